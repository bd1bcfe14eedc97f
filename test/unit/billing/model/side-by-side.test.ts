import { expect, test } from 'vitest';
import { seed } from '../../../support/random.ts';
import type { ModelBalance, Step } from '../../../support/wallet-model.ts';
import { RulesAsModel } from './rules-as-model.ts';
import { compareWithModel } from './side-by-side.ts';

// A difference between the rules and a model is found.

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
