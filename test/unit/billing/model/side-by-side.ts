import fc from 'fast-check';
import { expect } from 'vitest';
import { addMonths } from '../../../../lib/billing/rules/months/calendar.ts';
import { seed } from '../../../support/random.ts';
import type { ModelLine, Step, StepType, WalletModel } from '../../../support/wallet-model.ts';
import { RulesAsModel } from './rules-as-model.ts';

// The rules and a model of them, side by side: the same steps by chance for both, which have to tell the same after each.

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** A step by chance. `one` says which of the purchases, spends, holds or payments so far it names. */
interface Draft {
  /** How much later than the last one it comes. */
  later: number;
  one: number;
  /** Whether it is an earlier step once more. */
  isRepeat: boolean;
  /** Times in it are counted from now, in milliseconds; of lines, from the beginning of a day. */
  fields: { type: StepType } & Record<string, unknown>;
}

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
const few = fc.integer({ min: 1, max: 150 });
const days = (min: number, max: number) => fc.integer({ min, max }).map((n) => n * dayMs);
const later = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 200 }).map((n) => n * minuteMs) },
  { weight: 3, arbitrary: days(1, 10) },
  { weight: 1, arbitrary: days(25, 70) },
);

/** How long lines are: parts of a month, and months. */
const length = fc.oneof(
  { weight: 1, arbitrary: fc.record({ days: fc.constantFrom(1, 7, 14, 30, 45) }) },
  { weight: 4, arbitrary: fc.record({ months: fc.constantFrom(1, 1, 1, 2, 3, 12) }) },
);
const kind = fc.constantFrom<Partial<ModelLine>>(
  ...[{}, {}, {}, { proration: true }, { proration: true }],
  ...[{ proration: true, part: true }, { part: true }, { trial: true }],
);
const paidLine = fc.record({
  from: fc.oneof(fc.constant(0), fc.integer({ min: -45, max: 40 })),
  length,
  monthly_grant_stars: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(100, 300, 500) },
    { weight: 1, arbitrary: fc.integer({ min: -300, max: 300 }) },
  ),
  tier: fc.constantFrom('pro', 'max'),
  kind,
});
/** From one plan to another, until a day: what an upgrade or downgrade brings, with or without a new period. */
const change = fc.record({
  from: fc.integer({ min: -3, max: 1 }),
  days: fc.integer({ min: 2, max: 31 }),
  stars: fc.tuple(fc.constantFrom(100, 300), fc.constantFrom(0, 100, 300, 500)),
});
type LineDraft = typeof paidLine extends fc.Arbitrary<infer T> ? T : never;
type ChangeDraft = typeof change extends fc.Arbitrary<infer T> ? T : never;

const ofSubscription = {
  subscription_id: maybe(fc.constantFrom('a', 'a', 'a', 'b')),
  occurred_at: maybe(days(-3, 1)),
};
const ofReversal = {
  source: maybe(fc.constantFrom('x', 'y', 'z')),
  claw_back: fc.boolean(),
  occurred_at: maybe(days(-3, 1)),
};
/** How long holds last: up to a week. */
const expires_in = fc.integer({ min: 1, max: 7 * 24 }).map((hours) => hours * 3_600_000);
const of = (type: StepType, fields: Record<string, fc.Arbitrary<unknown>>, weight = 1) => ({
  weight,
  arbitrary: fc.record({ type: fc.constant(type), ...fields }) as fc.Arbitrary<Draft['fields']>,
});

const fields = fc.oneof(
  of(
    'subscription.paid',
    {
      lines: fc.array(paidLine, { minLength: 1, maxLength: 3 }),
      changes: fc.array(change, { maxLength: 1 }),
      amount: maybe(fc.constant(900)),
      grace_minutes: maybe(fc.constantFrom(0, 120, 10_080)),
      ...ofSubscription,
    },
    6,
  ),
  of('subscription.paid', { changes: fc.array(change, { minLength: 1, maxLength: 2 }) }, 3),
  of(
    'subscription.paid',
    {
      tier: fc.constantFrom('pro', 'pro', 'pro', 'none'),
      period_end: days(-1, 70),
      period_start: maybe(days(-40, 5)),
      quantity: maybe(fc.integer({ min: 1, max: 3 })),
      ...ofSubscription,
    },
    2,
  ),
  of('subscription.changed', {
    status: fc.constantFrom('active', 'paused', 'trialing', 'odd'),
    ...ofSubscription,
  }),
  of('subscription.canceled', ofSubscription),
  of(
    'subscription.reversed',
    { amount: maybe(fc.integer({ min: 0, max: 900 })), ...ofReversal },
    4,
  ),
  of('pack.purchased', { stars: few, expires_at: maybe(days(0, 60)), amount: fc.constant(700) }, 3),
  of('pack.reversed', { stars: maybe(few), ...ofReversal }, 2),
  of('pack.reversed', { amount: fc.integer({ min: 0, max: 800 }), ...ofReversal }, 2),
  of('stars.spent', { stars: few }, 5),
  of('stars.refunded', { stars: few }, 3),
  of('stars.adjusted', {
    pack_change: fc.integer({ min: 1, max: 40 }),
    monthly_change: maybe(few),
  }),
  of('stars.adjusted', { owed_change: fc.integer({ min: -40, max: -1 }) }),
  of('hold', { stars: few, expires_in }, 4),
  of('extend', { expires_in }, 3),
  of('capture', { stars: maybe(fc.nat(200)), up_to_available: fc.boolean() }, 3),
  of('release', {}, 2),
);

const draft: fc.Arbitrary<Draft> = fc.record({
  later,
  one: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) }),
  isRepeat: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  fields,
});

const named: Partial<Record<StepType, [field: string, type: StepType]>> = {
  'pack.reversed': ['purchase', 'pack.purchased'],
  'subscription.reversed': ['paid', 'subscription.paid'],
  'stars.refunded': ['refunds', 'stars.spent'],
};
const ofHold: readonly StepType[] = ['extend', 'capture', 'release'];
const timeFields = ['occurred_at', 'expires_at', 'period_end', 'period_start'];

const lineOf = (day: number, { from, length, kind, ...line }: LineDraft): ModelLine => {
  const begin = day + from * dayMs;
  const until = 'days' in length ? begin + length.days * dayMs : addMonths(begin, length.months);
  const isTrial = kind.trial && line.monthly_grant_stars < 0;
  return { from: begin, until, ...line, ...(isTrial ? {} : kind) };
};

const changeOf = (
  day: number,
  { from, days, stars: [before, after] }: ChangeDraft,
): ModelLine[] => {
  const time = { from: day + from * dayMs, until: day + days * dayMs, proration: true };
  return [
    { ...time, monthly_grant_stars: -before },
    { ...time, monthly_grant_stars: after, tier: 'max' },
  ];
};

/** Steps with their times and ids, among those of the steps before them. */
const stepsOf = (start: number, drafts: readonly Draft[]): { at: number; step: Step }[] => {
  const steps: { at: number; step: Step }[] = [];
  let at = start;
  const idOf = (types: readonly StepType[], one: number) => {
    const all = steps.filter(({ step }) => types.includes(step.type)).map(({ step }) => step.id);
    return all.at(-1 - (one % Math.max(1, all.length))) ?? 'none';
  };
  drafts.forEach(({ later, one, isRepeat, fields }, i) => {
    at += later;
    if (isRepeat && steps.length > 0) {
      steps.push({ at, step: steps[steps.length - 1 - (one % steps.length)]!.step });
      return;
    }
    const { type, lines = [], changes = [], ...rest } = fields;
    const day = Math.floor(at / dayMs) * dayMs;
    const all = [
      ...(lines as LineDraft[]).map((line) => lineOf(day, line)),
      ...(changes as ChangeDraft[]).flatMap((line) => changeOf(day, line)),
    ];
    const [field, of] = named[type] ?? [];
    const id = ofHold.includes(type) ? idOf(['hold'], one) : `${type}-${i}`;
    const told = Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, timeFields.includes(name) ? day + Number(value) : value]);
    const step = {
      ...{ type, id, ...Object.fromEntries(told) },
      ...(all.length > 0 && { lines: all }),
      ...(field && of && { [field]: idOf(of === 'stars.spent' ? [of, 'hold'] : [of], one) }),
    };
    steps.push({ at, step: step as Step });
  });
  return steps;
};

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
  { runs, steps, from: chosen = seed }: { runs: number; steps: number; from?: number },
): Counts => {
  const counts: Counts = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let played = 0;
  const play = (start: number, drafts: readonly Draft[]) => {
    played = 0;
    const [rules, model] = [new RulesAsModel(start), make(start)];
    let passed = start;
    for (const { at, step } of stepsOf(start, drafts)) {
      // What the clock alone does is compared, too.
      played += 1;
      for (const moment of new Set([Math.floor((passed + at) / 2), at])) {
        for (const one of [rules, model]) one.passTime(moment);
        expect(model.balance(), `at ${(moment - start) / minuteMs}`).toEqual(rules.balance());
        passed = moment;
      }
      const [wanted, answer] = [rules.do(step), model.do(step)];
      expect(answer, step.id).toEqual(wanted);
      expect(model.balance(), step.id).toEqual(rules.balance());
      count('steps');
      count(`${step.type} ${wanted.refused ? 'refused' : 'done'}`);
    }
  };
  const all = fc.tuple(
    fc.constantFrom(...starts).map((text) => Date.parse(text)),
    fc.array(draft, { minLength: 1, maxLength: steps, size: 'max' }),
  );
  const result = fc.check(
    fc.property(all, ([start, drafts]) => play(start, drafts)),
    { seed: chosen, numRuns: runs },
  );
  if (!result.failed) return counts;
  const [start, drafts] = result.counterexample![0];
  // The last steps of the shortest sequence may come after the difference.
  expect(() => play(start, drafts)).toThrow();
  const told = stepsOf(start, drafts)
    .slice(0, played)
    .map(({ at, step }) => `${(at - start) / minuteMs} ${withMinutes(step, start)}`);
  const from = new Date(start).toISOString();
  throw new Error(`seed ${chosen}, from ${from}:\n${told.join('\n')}`, {
    cause: result.errorInstance,
  });
};

/** Times in minutes from the start, as they are read more easily. */
const withMinutes = (step: Step, start: number): string =>
  JSON.stringify(step, (_, value) =>
    typeof value === 'number' && value > 1e12 ? `${(value - start) / minuteMs} min` : value,
  );
