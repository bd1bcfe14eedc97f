import fc from 'fast-check';
import { expect } from 'vitest';
import { seed } from '../../../support/random.ts';
import type { Step, WalletModel } from '../../../support/wallet-model.ts';
import { RulesAsModel } from './rules-as-model.ts';
import { type Draft, draft, minuteMs, stepsOf } from './steps-by-chance.ts';

// The rules and a model of them, side by side: the same steps by chance for both, which have to tell the same after each.

/** Ends of months, of a leap year, too, and one within a day. */
const starts = ['2026-01-31T00:00Z', '2028-02-29T00:00Z', '2026-11-15T10:30Z', '2027-12-31T23:59Z'];

/** How often each kind of step was done, or refused. */
export type Counts = Record<string, number>;

/**
 * Plays sequences of steps to the rules and to models. Throws what the shortest sequence was after which they differ, one step
 * a line with its minute. `make`: a new model, whose time begins then.
 */
export const compareWithModel = (
  make: (start: number) => WalletModel,
  { runs, steps }: { runs: number; steps: number },
): Counts => {
  const counts: Counts = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let played = 0;
  const play = (start: number, drafts: readonly Draft[]) => {
    played = 0;
    const [rules, model] = [new RulesAsModel(start), make(start)];
    const months = new Months();
    let passed = start;
    for (const { at, step, kinds } of stepsOf(start, drafts)) {
      played += 1;
      // What the clock alone does is compared, too.
      for (const moment of new Set([Math.floor((passed + at) / 2), at])) {
        months.pass(rules.balance().next_grant?.at, moment);
        for (const one of [rules, model]) one.passTime(moment);
        expect(model.balance(), `at ${(moment - start) / minuteMs}`).toEqual(rules.balance());
        passed = moment;
      }
      const [wanted, answer] = [rules.do(step), model.do(step)];
      expect(answer, step.id).toEqual(wanted);
      expect(model.balance(), step.id).toEqual(rules.balance());
      count('steps');
      const end = wanted.refused ? 'refused' : 'done';
      for (const kind of [step.type, ...kinds, ...months.kindsOf(step, end)])
        count(`${kind} ${end}`);
    }
  };
  const all = fc.tuple(
    fc.constantFrom(...starts).map((text) => Date.parse(text)),
    fc.array(draft, { minLength: 1, maxLength: steps, size: 'max' }),
  );
  const result = fc.check(
    fc.property(all, ([start, drafts]) => play(start, drafts)),
    { seed, numRuns: runs },
  );
  if (!result.failed) return counts;
  const [start, drafts] = result.counterexample![0];
  // The last steps of the shortest sequence may come after the difference.
  expect(() => play(start, drafts)).toThrow();
  const told = stepsOf(start, drafts)
    .slice(0, played)
    .map(({ at, step }) => `${(at - start) / minuteMs} ${withMinutes(step, start)}`);
  const from = new Date(start).toISOString();
  throw new Error(`seed ${seed}, from ${from}:\n${told.join('\n')}`, {
    cause: result.errorInstance,
  });
};

/** Sees what months and subscriptions are passed. */
class Months {
  #begun = 0;
  readonly #ofHolds = new Map<string, number>();
  #own: string | undefined;

  pass(next: number | undefined, moment: number) {
    if (next !== undefined && next <= moment) this.#begun += 1;
  }

  kindsOf(step: Step, end: 'done' | 'refused'): string[] {
    const begun = this.#ofHolds.get(step.id);
    if (step.type === 'hold' && begun === undefined) this.#ofHolds.set(step.id, this.#begun);
    if (step.type === 'capture' || step.type === 'release') {
      return begun !== undefined && begun < this.#begun ? ['a hold of an earlier month'] : [];
    }
    if (step.type !== 'subscription.paid' || step.subscription_id === undefined) return [];
    const isOther = this.#own !== undefined && this.#own !== step.subscription_id;
    if (end === 'done') this.#own = step.subscription_id;
    return isOther ? ['another subscription'] : [];
  }
}

/** Times in minutes from the start, as they are read more easily. */
const withMinutes = (step: Step, start: number): string =>
  JSON.stringify(step, (_, value) =>
    typeof value === 'number' && value > 1e12 ? `${(value - start) / minuteMs} min` : value,
  );
