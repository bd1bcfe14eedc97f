import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addMonths,
  countMonths,
  monthsBetween,
} from '../../../../../lib/billing/rules/months/calendar.ts';
import { seed } from '../../../../support/random.ts';

const at = (text: string) => Date.parse(`${text}Z`);

test.each([
  ['2026-01-31T10:00', 1, '2026-02-28T10:00'],
  ['2028-01-31T10:00', 1, '2028-02-29T10:00'],
  ['2026-01-31T10:00', 2, '2026-03-31T10:00'],
  ['2026-03-31T10:00', -1, '2026-02-28T10:00'],
  ['2028-02-29T23:59', 12, '2029-02-28T23:59'],
  ['2026-11-15T00:00', 3, '2027-02-15T00:00'],
  ['2026-11-15T00:00', -11, '2025-12-15T00:00'],
])('%s and %i months is %s', (from, months, expected) => {
  expect(addMonths(at(from), months)).toBe(at(expected));
});

test.each([
  ['2026-01-01T00:00', '2026-01-08T00:00', 1],
  ['2026-01-01T00:00', '2026-02-01T00:00', 1],
  ['2026-01-01T00:00', '2026-02-15T00:00', 1],
  ['2026-01-01T00:00', '2026-02-16T00:00', 2],
  ['2026-01-01T00:00', '2026-04-01T00:00', 3],
  ['2026-01-01T00:00', '2027-01-01T00:00', 12],
  ['2028-01-01T00:00', '2029-01-01T00:00', 12],
  ['2026-01-01T00:00', '2029-01-01T00:00', 36],
])('from %s to %s is %i months', (from, until, expected) => {
  expect(countMonths(at(from), at(until))).toBe(expected);
});

const time = fc.integer({ min: at('2020-01-01T00:00'), max: at('2050-01-01T00:00') });

test(`a time is in the month that is counted to it, and the next has not begun (SEED=${seed})`, () => {
  fc.assert(
    fc.property(time, time, (from, other) => {
      const months = monthsBetween(from, other);
      expect(addMonths(from, months)).toBeLessThanOrEqual(other);
      expect(addMonths(from, months + 1)).toBeGreaterThan(other);
    }),
    { seed },
  );
});
