import { expect, test } from 'vitest';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import type { ModelBalance, Step, StepType } from '../../../support/wallet-model.ts';
import { RulesAsModel } from './rules-as-model.ts';
import { compareWithModel } from './side-by-side.ts';

// What is compared with a model of the rules, and that a difference is found.

test(`the rules are what they are, and all kinds of steps are done and refused (SEED=${seed})`, () => {
  const counts = compareWithModel((start) => new RulesAsModel(start), {
    runs: times(120, 500),
    steps: 60,
  });
  const done: StepType[] = [
    ...(['subscription.paid', 'subscription.changed', 'subscription.reversed'] as const),
    ...(['pack.purchased', 'pack.reversed', 'stars.spent', 'stars.refunded'] as const),
    ...(['stars.adjusted', 'hold', 'extend', 'capture', 'release'] as const),
  ];
  const often = done.map((type) => [type, (counts[`${type} done`] ?? 0) > 0]);
  expect(often).toEqual(done.map((type) => [type, true]));
  for (const type of ['subscription.paid', 'stars.spent', 'capture'] as const) {
    expect(counts[`${type} refused`]).toBeGreaterThan(3);
  }
});

/** A star too many once something has happened. */
class Generous extends RulesAsModel {
  #isWrong = false;

  override do(step: Step) {
    const answer = super.do(step);
    this.#isWrong ||= step.type === 'subscription.reversed' && !answer.refused;
    return answer;
  }

  override balance(): ModelBalance {
    const balance = super.balance();
    return { ...balance, monthly_stars: balance.monthly_stars + Number(this.#isWrong) };
  }
}

test(`a model that differs is found, with the shortest way to it (SEED=${seed})`, () => {
  const compare = () => compareWithModel((start) => new Generous(start), { runs: 50, steps: 60 });
  expect(compare).toThrow(/^seed \d+, from .*:\n.*subscription\.paid(.|\n)*subscription\.reversed/);
});
