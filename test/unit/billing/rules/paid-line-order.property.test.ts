import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { day, line, Played, paid, proration } from './played.ts';

// Paid lines come in any order. A run is repeated with its SEED.

/** The wallet without what says in which order it came to be. */
const endOf = (n: number, causes: readonly Cause[]) => {
  const { months: _, ...wallet } = new Played().at(n, ...causes).wallet;
  const { lines = [], ...subscription } = wallet.subscription ?? {};
  const texts = lines.map((one) => JSON.stringify(Object.entries(one).sort())).sort();
  return { ...wallet, subscription: { ...subscription, lines: texts } };
};

const stars = fc.integer({ min: 1, max: 5000 });
const more = fc.record({ grace_minutes: fc.constant(120), subscription_id: fc.constant('a') });

/** Invoices of lines that begin with the month, or within it, each as one event. */
const invoice = fc
  .array(
    fc.oneof(
      fc
        .record({ until: fc.constantFrom(31, 59, 365), stars })
        .map((one) => line(0, one.until, one.stars)),
      fc
        .record({ from: fc.integer({ min: 0, max: 20 }), stars, is: fc.boolean() })
        .map((one) => proration(one.from, 31, one.is ? one.stars : -one.stars)),
      stars.map((one) => line(40, 71, one)),
      stars.map((one) => line(0, 31, one, { part: true, proration: true })),
      fc
        .record({ until: fc.constantFrom(26, 31, 40), stars })
        .map((one) => line(0, one.until, one.stars, { trial: true })),
      fc
        .record({
          from: fc.integer({ min: 26, max: 70 }),
          days: fc.integer({ min: 1, max: 40 }),
          stars,
        })
        .map((one) => line(one.from, one.from + one.days, one.stars)),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((lines) => more.map((fields) => paid(lines, fields)));

/** More is paid than the others can credit. */
const first = paid([line(0, 31, 100_000)], { grace_minutes: 120, subscription_id: 'a' });

test(`invoices of one month end in one wallet, in any order (SEED=${seed})`, () => {
  let reordered = 0;
  const orders = fc.array(invoice, { minLength: 2, maxLength: 6 }).chain((events) =>
    fc.record({
      events: fc.constant(events),
      other: fc.shuffledSubarray(events, { minLength: events.length }),
    }),
  );
  fc.assert(
    fc.property(orders, ({ events, other }) => {
      expect(endOf(25, [first, ...other])).toEqual(endOf(25, [first, ...events]));
      expect(endOf(25, [...other, first])).toEqual(endOf(25, [first, ...events]));
      if (other.some((one, i) => one !== events[i])) reordered++;
    }),
    { seed, numRuns: times(300, 5000) },
  );
  expect(reordered).toBeGreaterThan(100);
});

/**
 * Plans that are changed within minutes, each by one invoice that credits what the last one paid. The minutes are worth less
 * than a star: so no line of the past has one.
 */
const switches = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 3 }),
    stars: fc.integer({ min: 1, max: 1000 }),
    year: fc.boolean(),
  }),
  { minLength: 2, maxLength: 5 },
);

test(`plans that are changed within minutes end in one wallet, in any order (SEED=${seed})`, () => {
  fc.assert(
    fc.property(switches, fc.infiniteStream(fc.nat()), (all, random) => {
      let [now, until, before] = [0, 31, 100];
      const events = all.map(({ minutes, stars, year }) => {
        now += minutes / 1440;
        const credit = proration(now, until, -before);
        until = now + (year ? 365 : 31);
        before = stars;
        return paid([credit, line(now, until, stars)], { subscription_id: 'a' });
      });
      const begun = paid([line(0, 31, 100)], { subscription_id: 'a' });
      const inOrder = [begun, ...events];
      const other = inOrder
        .map((one) => ({ one, key: random.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ one }) => one);
      expect(endOf(now + 0.01, other)).toEqual(endOf(now + 0.01, inOrder));
    }),
    { seed, numRuns: times(200, 5000) },
  );
});

test('a line of the past comes in addition once a month has begun, and lapses with the last one before that', () => {
  const past = paid([proration(5, 31, 310)]);
  const next = paid([line(10, 41, 300)]);
  const begun = () => new Played().at(0, paid([line(0, 31, 100)]));
  // From day 10 on it gives 21 tenths of a hundred in either order; of the five days before, 50 in the month that has begun.
  expect(begun().at(20, past, next).stars).toBe(300 + 67 + 210);
  expect(begun().at(20, next, past).stars).toBe(300 + 67 + 210 + 50);
});

test('a line of the past is unserved where no month runs', () => {
  const [past, next] = [paid([line(0, 31, 100)]), paid([line(31, 59, 100)])];
  expect(new Played().at(40, next, past).stars).toBe(200);
  const other = new Played().at(40, past);
  expect(other.last.unserved).toBe(true);
  expect(other.at(40, next).stars).toBe(100);
  expect(day(40)).toBeGreaterThan(day(31));
});

/** Plans of a year that are changed now and then, each at its time, until the year's end. */
const levels = fc
  .array(fc.record({ hour: fc.integer({ min: 1, max: 365 * 24 - 1 }), stars: fc.nat(5000) }), {
    maxLength: 10,
  })
  .map((all) => all.toSorted((a, b) => a.hour - b.hour));

test(`a year gives what each of its months is worth, however often plans change, and nobody spends (SEED=${seed})`, () => {
  fc.assert(
    fc.property(levels, (changes) => {
      const played = new Played().at(0, paid([line(0, 365, 100)]));
      let before = 100;
      for (const { hour, stars } of changes) {
        const n = hour / 24;
        played.at(n, paid([proration(n, 365, -before), proration(n, 365, stars)]));
        before = stars;
      }
      const given = played.at(366).steps.reduce((sum, { entry }) => sum + entry.stars, 0);
      const steps = [{ hour: 0, stars: 100 }, ...changes, { hour: 365 * 24, stars: 0 }];
      const wanted = Array.from({ length: 12 }, (_, month) => {
        const [from, until] = [month, month + 1].map(
          (k) => (Date.UTC(2026, k) - day(0)) / 3_600_000,
        );
        const worth = steps.slice(0, -1).reduce((sum, { hour, stars }, i) => {
          const hours = Math.min(until!, steps[i + 1]!.hour) - Math.max(from!, hour);
          return sum + stars * Math.max(0, hours);
        }, 0);
        return Math.floor(worth / (until! - from!));
      });
      expect(given).toBe(wanted.reduce((sum, one) => sum + one, 0));
    }),
    { seed, numRuns: times(150, 3000) },
  );
});

/** Periods that overlap, and what is paid or credited of them: also more than is paid, so that months have no star. */
const overlapping = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 12 }).map((n) => 5 * n),
    days: fc.constantFrom(5, 10, 30, 31, 65, 90, 365),
    stars: fc.constantFrom(100, 310, -100, -310, -620),
    part: fc.boolean(),
  }),
  { minLength: 2, maxLength: 6 },
);

/** A part whose first month has no star: its second one ends the month of a year. */
const laterMonth = [
  { from: 0, days: 365, stars: 310, part: false },
  { from: 5, days: 65, stars: 100, part: true },
  { from: 5, days: 5, stars: -620, part: false },
];

test(`periods that overlap give what each month's own time is worth, and no time twice (SEED=${seed})`, () => {
  let later = 0;
  fc.assert(
    fc.property(overlapping, (all) => {
      const lines = all.map(({ from, days, stars, part }) =>
        line(from, from + days, stars, { [stars < 0 ? 'proration' : 'part']: stars < 0 || part }),
      );
      const { steps } = new Played().at(0, paid(lines)).at(450);
      const months = steps.flatMap(({ wallet: { month } }, i) =>
        month && month.from !== steps[i - 1]?.wallet.month?.from ? [month] : [],
      );
      const wanted = months.map(({ from, until, whole_from }, i) => {
        const next = months[i + 1]?.from ?? until;
        if (next < until && !lines.some((one) => Date.parse(one.from) === next)) later++;
        const worth = lines.reduce((sum, one) => {
          const end = Math.min(until, next, Date.parse(one.until));
          const sharedMs = Math.max(0, end - Math.max(from, Date.parse(one.from)));
          return sum + BigInt(one.monthly_grant_stars) * BigInt(sharedMs);
        }, 0n);
        return worth > 0n ? Number(worth / BigInt(until - whole_from)) : 0;
      });
      const given = steps.reduce((sum, { entry }) => sum + entry.stars, 0);
      expect(given).toBe(wanted.reduce((sum, one) => sum + one, 0));
    }),
    { seed, numRuns: times(1000, 20_000), examples: [[laterMonth]] },
  );
  // Also where a later month of a line ends one that ran.
  expect(later).toBeGreaterThan(0);
});
