import fc from 'fast-check';
import { addMonths } from '../../../../lib/billing/rules/months/calendar.ts';
import type { ModelLine, Step, StepType } from '../../../support/wallet-model.ts';

// What happens to a wallet by chance: what is paid, spent, held, reversed, at which time, and what of it comes again.

export const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

/** A step by chance. `one` says which of the purchases, spends, holds or payments so far it names. */
export interface Draft {
  /** How much later than the last one it comes; or as the last period ends, or an hour before that. */
  later: number | 'end' | 'before the end';
  one: number;
  /** An earlier step once more, or another step by its id. */
  again: 'repeat' | 'other' | undefined;
  /** Times in it are counted from now, in milliseconds; of lines, from the beginning of a day. */
  fields: { type: StepType } & Record<string, unknown>;
}

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
const few = fc.integer({ min: 1, max: 150 });
const fewer = fc.integer({ min: 1, max: 60 });
const days = (min: number, max: number) => fc.integer({ min, max }).map((n) => n * dayMs);
const later = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Draft['later']>(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 200 }).map((n) => n * minuteMs) },
  { weight: 3, arbitrary: days(1, 10) },
  { weight: 1, arbitrary: days(25, 70) },
  { weight: 2, arbitrary: fc.constantFrom<Draft['later']>('end', 'before the end') },
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
const shortLength = fc.oneof(
  fc.record({ days: fc.constantFrom(1, 7, 14, 30) }),
  fc.record({ months: fc.constant(1) }),
);
const paidLineFields = {
  from: fc.oneof(
    { weight: 3, arbitrary: fc.constant<number | 'renewal'>(0) },
    { weight: 3, arbitrary: fc.integer({ min: -45, max: 40 }) },
    { weight: 3, arbitrary: fc.constant<'renewal'>('renewal') },
  ),
  length,
  monthly_grant_stars: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(100, 200, 300, 500) },
    { weight: 1, arbitrary: fc.integer({ min: -300, max: 300 }) },
  ),
  tier: fc.constantFrom('pro', 'max'),
  kind,
};
const paidLine = fc.record(paidLineFields);
/** From one plan to another, until a day or the period's end: an upgrade, a downgrade, or the end with credit. */
const change = fc.record({
  from: fc.integer({ min: -3, max: 1 }),
  days: fc.oneof(fc.integer({ min: 2, max: 31 }), fc.constant<'period'>('period')),
  stars: fc.tuple(fc.constantFrom(100, 300), fc.constantFrom(0, 100, 300, 500)),
});
/** A month or less that was paid when it was over. */
const late = fc
  .record({ ...paidLineFields, from: fc.integer({ min: -80, max: -31 }), length: shortLength })
  .map((line) => [line]);
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
const expires_in = fc.integer({ min: 12, max: 7 * 24 }).map((hours) => hours * 3_600_000);
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
  of('subscription.paid', { lines: late }),
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
  of(
    'pack.purchased',
    { stars: few, expires_at: maybe(days(0, 60)), amount: maybe(fc.constant(700)) },
    3,
  ),
  of('pack.reversed', { stars: maybe(few), ...ofReversal }, 2),
  of('pack.reversed', { amount: fc.integer({ min: 0, max: 800 }), ...ofReversal }, 2),
  of('stars.spent', { stars: fewer }, 5),
  of('stars.refunded', { stars: fewer }, 3),
  of('stars.adjusted', {
    pack_change: fc.integer({ min: 1, max: 40 }),
    monthly_change: maybe(few),
  }),
  of('stars.adjusted', {
    pack_change: fc.integer({ min: -40, max: -1 }),
    monthly_change: maybe(fc.integer({ min: -40, max: -1 })),
  }),
  of('stars.adjusted', { owed_change: fc.integer({ min: -40, max: -1 }) }),
  of('hold', { stars: fewer, expires_in }, 5),
  of('extend', { expires_in }, 3),
  of('capture', { stars: maybe(few), up_to_available: fc.boolean() }, 4),
  of('release', {}, 2),
);

export const draft: fc.Arbitrary<Draft> = fc.record({
  later,
  one: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(9) }),
  again: fc
    .integer({ min: 0, max: 39 })
    .map((n) => (n === 1 || n === 2 ? 'repeat' : n === 3 ? 'other' : undefined)),
  fields,
});

const named: Partial<Record<StepType, [field: string, type: StepType]>> = {
  'pack.reversed': ['purchase', 'pack.purchased'],
  'subscription.reversed': ['paid', 'subscription.paid'],
  'stars.refunded': ['refunds', 'stars.spent'],
};
const ofHold: readonly StepType[] = ['extend', 'capture', 'release'];
const timeFields = ['occurred_at', 'expires_at', 'period_end', 'period_start'];

/** The last period that was told: what follows it, or changes it, ends with it. */
type Period = Pick<ModelLine, 'from' | 'until' | 'monthly_grant_stars'>;

const lineOf = (
  day: number,
  { from, length, kind, ...line }: LineDraft,
  period: Period | undefined,
): ModelLine => {
  const begin = from === 'renewal' ? (period?.until ?? day) : day + from * dayMs;
  const until = 'days' in length ? begin + length.days * dayMs : addMonths(begin, length.months);
  const isTrial = kind.trial && line.monthly_grant_stars < 0;
  return { from: begin, until, ...line, ...(isTrial ? {} : kind) };
};

const changeOf = (
  at: number,
  { from, days, stars: [before, after] }: ChangeDraft,
  period: Period | undefined,
): ModelLine[] => {
  const day = Math.floor(at / dayMs) * dayMs;
  const isOfPeriod = days === 'period' && period !== undefined && at < period.until;
  const time = isOfPeriod
    ? { from: Math.max(at, period.from), until: period.until, proration: true }
    : {
        from: day + from * dayMs,
        until: day + (days === 'period' ? 31 : days) * dayMs,
        proration: true,
      };
  return [
    { ...time, monthly_grant_stars: isOfPeriod ? -period.monthly_grant_stars : -before },
    { ...time, monthly_grant_stars: after, tier: 'max' },
  ];
};

/** A step at its time, and what of it is worth to be counted. */
export interface TimedStep {
  at: number;
  step: Step;
  kinds: string[];
}

const timeAfter = (at: number, later: Draft['later'], period: Period | undefined): number => {
  if (typeof later === 'number') return at + later;
  const end = period?.until ?? at;
  return Math.max(at, later === 'end' ? end : end - 60 * minuteMs);
};

/** Steps with their times and ids, among those of the steps before them. */
export const stepsOf = (start: number, drafts: readonly Draft[]): TimedStep[] => {
  const steps: TimedStep[] = [];
  let at = start;
  let period: Period | undefined;
  const add = (step: Step, ...kinds: string[]) => {
    const isEqual = steps.at(-1)?.at === at;
    steps.push({ at, step, kinds: [...kinds, ...(isEqual ? ['an equal moment'] : [])] });
  };
  const idOf = (types: readonly StepType[], one: number) => {
    const all = steps.filter(({ step }) => types.includes(step.type)).map(({ step }) => step.id);
    return all.at(-1 - (one % Math.max(1, all.length))) ?? 'none';
  };
  /** Mostly a hold that may still be open; else any. */
  const holdOf = (one: number) => {
    const ended = steps.filter(({ step: { type } }) => type === 'capture' || type === 'release');
    const open = steps.filter(
      (hold) =>
        hold.step.type === 'hold' &&
        hold.at + hold.step.expires_in > at &&
        !ended.some(({ step }) => step.id === hold.step.id),
    );
    return one % 4 === 3 || open.length === 0
      ? idOf(['hold'], one)
      : open.at(-1 - (one % open.length))!.step.id;
  };
  drafts.forEach(({ later, one, again, fields }, i) => {
    at = timeAfter(at, later, period);
    if (again === 'repeat' && steps.length > 0) {
      add(steps[steps.length - 1 - (one % steps.length)]!.step, 'a repeat');
      return;
    }
    const { type, lines = [], changes = [], ...rest } = fields;
    const day = Math.floor(at / dayMs) * dayMs;
    const all = [
      ...(lines as LineDraft[]).map((line) => lineOf(day, line, period)),
      ...(changes as ChangeDraft[]).flatMap((line) => changeOf(at, line, period)),
    ];
    for (const line of all) {
      if (line.monthly_grant_stars > 0 && !line.proration && line.from >= (period?.from ?? 0))
        period = line;
    }
    const [field, of] = named[type] ?? [];
    const own = again === 'other' ? idOf([type], one) : `${type}-${i}`;
    const id = ofHold.includes(type) ? holdOf(one) : own === 'none' ? `${type}-${i}` : own;
    const told = Object.entries(rest)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, timeFields.includes(name) ? day + Number(value) : value]);
    const step = {
      ...{ type, id, ...Object.fromEntries(told) },
      ...(all.length > 0 && { lines: all }),
      ...(field && of && { [field]: idOf(of === 'stars.spent' ? [of, 'hold'] : [of], one) }),
    } as Step;
    add(step, ...kindsOf(step, at, again === 'other' && own !== 'none'));
  });
  return steps;
};

/** What a payment is of, as those who sell would say it. */
const kindsOf = (step: Step, at: number, isReused: boolean): string[] => {
  const kinds = isReused && !ofHold.includes(step.type) ? ['an id of something else'] : [];
  if (step.type !== 'subscription.paid') return kinds;
  if (step.grace_minutes) kinds.push('grace');
  if ('tier' in step) return (step.quantity ?? 1) > 1 ? [...kinds, 'seats'] : kinds;
  const { lines } = step;
  const has = (isSo: (line: ModelLine) => unknown) => lines.some(isSo);
  if (has(({ trial }) => trial)) kinds.push('a trial');
  if (has((line) => line.until - line.from > 360 * dayMs)) kinds.push('a year');
  if (lines.every(({ until }) => until <= at)) kinds.push('a payment after its time');
  if (has(({ part }) => part)) kinds.push('a part');
  lines.forEach(({ monthly_grant_stars: before, from, proration }, i) => {
    const next = lines[i + 1];
    if (before >= 0 || !proration || next?.from !== from || next.monthly_grant_stars < 0) return;
    const after = next.monthly_grant_stars;
    if (after === 0) kinds.push('a credit');
    else if (after > -before) kinds.push('an upgrade');
    else if (after < -before) kinds.push('a downgrade');
  });
  return kinds;
};
