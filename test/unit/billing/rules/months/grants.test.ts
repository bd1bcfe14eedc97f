import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMonths } from '../../../../../lib/billing/rules/months/calendar.ts';
import {
  endedGrantOf,
  grantOf,
  starsBefore,
} from '../../../../../lib/billing/rules/months/grants.ts';
import {
  grantOfMonth,
  monthAt,
  monthFrom,
} from '../../../../../lib/billing/rules/months/months.ts';
import type { Month } from '../../../../../lib/billing/stored/months/month.ts';
import type { PaidLine } from '../../../../../lib/billing/stored/months/paid-line.ts';
import { seed } from '../../../../support/random.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const line = (from: string, until: string, stars: number, more: Partial<PaidLine> = {}) => ({
  from: day(from),
  until: day(until),
  monthly_grant_stars: stars,
  ...more,
});
const proration = (from: string, until: string, stars: number) =>
  line(from, until, stars, { proration: true });
const month = (from: string, until: string, whole_from = from): Month => ({
  from: day(from),
  until: day(until),
  whole_from: day(whole_from),
});

/** The months of lines from a day on, each with its stars. */
const monthsOf = (lines: readonly PaidLine[], from: string) => {
  const all: [string, string, number][] = [];
  const text = (time: number) => new Date(time).toISOString().slice(0, 10);
  let next = monthFrom(lines, day(from));
  while (next) {
    const after = monthFrom(lines, next.from + 1);
    const end = Math.min(next.until, after?.from ?? Number.POSITIVE_INFINITY);
    all.push([text(next.from), text(end), grantOf(lines, next, after?.from)]);
    next = after;
  }
  return all;
};

const january = line('2026-01-01', '2026-02-01', 100);

describe('a month has the stars of its lines', () => {
  test.each<[string, number, PaidLine[]]>([
    ['one line', 100, [january]],
    ['two items', 400, [january, line('2026-01-01', '2026-02-01', 300)]],
    [
      'a line that is over when the month begins',
      100,
      [january, line('2025-12-01', '2026-01-01', 7)],
    ],
    [
      'an upgrade half way, whose two halves are the whole difference',
      200,
      [
        january,
        { ...proration('2026-01-01', '2026-02-01', -100), from: day('2026-01-16') + 43_200_000 },
        { ...proration('2026-01-01', '2026-02-01', 300), from: day('2026-01-16') + 43_200_000 },
      ],
    ],
    [
      'an upgrade on the last day',
      106,
      [
        january,
        proration('2026-01-31', '2026-02-01', -100),
        proration('2026-01-31', '2026-02-01', 300),
      ],
    ],
    [
      'a third of it reversed',
      66,
      [january, { ...january, monthly_grant_stars: -100, share: { amount: 1, of: 3 } }],
    ],
    ['more credited than paid', 0, [january, proration('2026-01-01', '2026-02-01', -300)]],
  ])('%s: %i', (_, stars, lines) => {
    expect(grantOf(lines, month('2026-01-01', '2026-02-01'))).toBe(stars);
  });

  test('the first part of an anchored subscription is the end of a month', () => {
    const part = line('2026-01-20', '2026-02-01', 100, { proration: true, part: true });
    expect(monthAt([part], day('2026-01-25'))).toEqual(
      month('2026-01-20', '2026-02-01', '2026-01-01'),
    );
    expect(monthsOf([part], '2026-01-01')).toEqual([['2026-01-20', '2026-02-01', 38]]);
    const halfYear = { ...part, until: day('2026-04-01') };
    expect(monthsOf([halfYear], '2026-01-01')).toEqual([
      ['2026-01-20', '2026-02-01', 38],
      ['2026-02-01', '2026-03-01', 100],
      ['2026-03-01', '2026-04-01', 100],
    ]);
  });

  test('a trial gives all of its stars in one month, and none in another', () => {
    const trial = line('2026-01-01', '2026-03-10', 50, { trial: true });
    expect(monthsOf([trial], '2026-01-01')).toEqual([['2026-01-01', '2026-03-10', 50]]);
    expect(monthsOf([trial, line('2026-01-11', '2026-02-11', 300)], '2026-01-01')).toEqual([
      ['2026-01-01', '2026-01-11', 50],
      ['2026-01-11', '2026-02-11', 300],
    ]);
  });
});

describe('months', () => {
  test('a year is twelve, a week is a short one', () => {
    const year = monthsOf([line('2026-01-31', '2027-01-31', 100)], '2026-01-31');
    expect(year).toHaveLength(12);
    expect(year.every(([, , stars]) => stars === 100)).toBe(true);
    expect(year.slice(0, 3).map(([from]) => from)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
    ]);
    expect(year.at(-1)).toEqual(['2026-12-31', '2027-01-31', 100]);
    expect(monthsOf([line('2026-01-01', '2026-01-08', 100)], '2026-01-01')).toEqual([
      ['2026-01-01', '2026-01-08', 100],
    ]);
  });

  test('a line that begins within a month ends it, and cuts those after it', () => {
    const lines = [january, line('2026-01-11', '2026-02-11', 300)];
    expect(monthsOf(lines, '2026-01-01')).toEqual([
      ['2026-01-01', '2026-01-11', 100],
      ['2026-01-11', '2026-02-11', 367],
    ]);
    expect(endedGrantOf(lines, month('2026-01-01', '2026-02-01'), day('2026-01-11'))).toBe(32);
  });

  test('of lines of one time, a plain one has the months, then a part, then a trial', () => {
    const plain = line('2026-01-31', '2026-04-15', 100);
    const part: PaidLine = { ...plain, part: true };
    const trial: PaidLine = { ...plain, trial: true };
    const endsOf = (...lines: PaidLine[]) =>
      [lines, lines.toReversed()].map((some) => monthAt(some, plain.from)?.until);
    const [ofPlain, ofPart, ofTrial] = ['2026-02-28', '2026-02-15', '2026-04-15'].map(day);
    expect(endsOf(plain, part)).toEqual([ofPlain, ofPlain]);
    expect(endsOf(plain, trial)).toEqual([ofPlain, ofPlain]);
    expect(endsOf(part, trial)).toEqual([ofPart, ofPart]);
    expect(endsOf(trial)).toEqual([ofTrial, ofTrial]);
  });

  test('a longer line cuts again where a shorter one ended', () => {
    const lines = [line('2026-01-01', '2026-05-01', 100), line('2026-02-11', '2026-03-11', 1)];
    expect(monthsOf(lines, '2026-01-01').map(([from]) => from)).toEqual([
      '2026-01-01',
      '2026-02-01',
      '2026-02-11',
      '2026-03-11',
      '2026-04-01',
    ]);
  });

  test('what is credited whole makes none', () => {
    const year = line('2026-01-02', '2027-01-02', 100);
    const credit = proration('2026-01-03', '2027-01-02', -100);
    const lines = [year, credit, line('2026-01-03', '2026-02-03', 100)];
    expect(monthsOf(lines, '2026-01-03')).toEqual([['2026-01-03', '2026-02-03', 100]]);
  });

  test('a line that begins a month without a star ends no other, and counts in it', () => {
    const lines = [
      january,
      proration('2026-01-11', '2026-02-01', -100),
      line('2026-01-11', '2026-02-11', 300),
      proration('2026-01-11', '2026-02-11', -300),
    ];
    expect(monthsOf(lines, '2026-01-01')).toEqual([['2026-01-01', '2026-02-01', 32]]);
  });

  test('lines that leave a gap leave one between their months', () => {
    expect(monthsOf([january, line('2026-02-03', '2026-03-03', 100)], '2026-01-01')).toEqual([
      ['2026-01-01', '2026-02-01', 100],
      ['2026-02-03', '2026-03-03', 100],
    ]);
  });
});

describe('before a moment', () => {
  test.each<[string, number, PaidLine[]]>([
    ['the month before', 100, [january]],
    ['a half of it', 51, [proration('2026-01-16', '2026-02-01', 100)]],
    ['a year of which two months are over', 200, [line('2025-12-01', '2026-12-01', 100)]],
    ['what begins then', 0, [line('2026-02-01', '2026-03-01', 100)]],
    ['what was credited, rounded down', -52, [proration('2026-01-16', '2026-02-01', -100)]],
    ['a trial', 0, [line('2026-01-01', '2026-01-15', 100, { trial: true })]],
  ])('%s: %i', (_, stars, lines) => {
    expect(starsBefore(lines, day('2026-02-01'))).toBe(stars);
  });
});

const stars = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
const anyTime = fc.integer({ min: day('2026-01-01'), max: day('2027-06-01') });
const anyLine = fc
  .record({
    from: anyTime,
    length: fc.integer({ min: 1, max: 400 * 86_400_000 }),
    monthly_grant_stars: stars,
    kind: fc.constantFrom(
      {},
      { proration: true as const },
      { proration: true as const, part: true as const },
      { trial: true as const },
    ),
  })
  .map(
    ({ from, length, kind, ...one }): PaidLine => ({ from, until: from + length, ...one, ...kind }),
  );

test(`the order of the lines does not matter, and months never overlap (SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(anyLine, { minLength: 1, maxLength: 8 }),
      anyTime,
      fc.integer(),
      (lines, time, by) => {
        const other = lines.toSorted((a, b) => ((a.from ^ by) % 97) - ((b.from ^ by) % 97));
        let one = monthFrom(lines, time);
        expect(one).toEqual(monthFrom(other, time));
        for (let i = 0; one && i < 40; i++) {
          const next = monthFrom(lines, one.from + 1);
          expect(next).toEqual(monthFrom(other, one.from + 1));
          const grant = grantOfMonth(lines, one);
          expect(grant).toBe(grantOfMonth(other, one));
          // A month ends where a line begins another. Where a later month of a line ends it, what it had too early goes then.
          const isBegun = lines.some(({ from }) => from === next?.from);
          const end = isBegun && next && next.from < one.until ? next.from : undefined;
          if (isBegun || !next || next.from >= one.until) {
            expect(grant).toBe(grantOf(lines, one, end));
          }
          if (next) expect(next.from).toBeGreaterThan(one.from);
          one = next;
        }
        expect(starsBefore(lines, time)).toBe(starsBefore(other, time));
      },
    ),
    { seed, numRuns: 300 },
  );
});

/** Levels of a plan, each from a moment of January on: what is credited and paid for each change. */
const changes = fc
  .array(
    fc.record({
      at: fc.integer({ min: day('2026-01-01'), max: day('2026-02-01') - 1 }),
      level: fc.integer({ min: 0, max: 1_000_000_000_000 }),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.toSorted((a, b) => a.at - b.at));

const linesOf = (levels: { at: number; level: number }[], until = day('2026-02-01')) => {
  let before = 100;
  return levels.flatMap(({ at: from, level }): PaidLine[] => {
    const [credited, paid] = [-before, level];
    before = level;
    return [credited, paid].map((one) => ({
      ...{ from, until, monthly_grant_stars: one, proration: true as const },
    }));
  });
};

test(`a month has what each level is worth for its time, in any order of the lines (SEED=${seed})`, () => {
  const running = month('2026-01-01', '2026-02-01');
  fc.assert(
    fc.property(changes, fc.integer(), (levels, by) => {
      const lines = [january, ...linesOf(levels)];
      const steps = [{ at: running.from, level: 100 }, ...levels];
      const worth = steps.reduce((sum, { at, level }, i) => {
        const end = steps[i + 1]?.at ?? running.until;
        return sum + BigInt(level) * BigInt(end - at);
      }, 0n);
      const wanted = Number(worth / BigInt(running.until - running.from));
      const other = lines.toSorted((a, b) => ((a.from ^ by) % 89) - ((b.from ^ by) % 89));
      expect([grantOf(lines, running), grantOf(other, running)]).toEqual([wanted, wanted]);
    }),
    { seed },
  );
});

test(`up and down again gives no star (SEED=${seed})`, () => {
  const running = month('2026-01-01', '2026-02-01');
  fc.assert(
    fc.property(changes, (levels) => {
      // Each change is taken back at its own moment.
      const back = levels.flatMap(({ at, level }) => [
        { at, level },
        { at, level: 100 },
      ]);
      expect(grantOf([january, ...linesOf(back)], running)).toBe(100);
    }),
    { seed },
  );
});

test(`a year is twelve months of all of its stars, whenever it begins (SEED=${seed})`, () => {
  const begin = fc.integer({ min: day('2020-01-01'), max: day('2050-01-01') });
  fc.assert(
    fc.property(begin, fc.integer({ min: 1, max: 1_000_000_000_000 }), (from, amount) => {
      const until = addMonths(from, 12);
      const lines = [{ from, until, monthly_grant_stars: amount }];
      const grants: number[] = [];
      let next = monthFrom(lines, from);
      while (next) {
        const after = monthFrom(lines, next.from + 1);
        grants.push(grantOf(lines, next));
        expect(after?.from ?? until).toBe(next.until);
        next = after;
      }
      expect(grants).toEqual(Array(12).fill(amount));
    }),
    { seed },
  );
});
