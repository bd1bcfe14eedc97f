import { expect, test } from 'vitest';
import { areInOnePeriod, resetsAt } from '../../../../lib/billing/limits/periods.ts';

test.each([
  ['day', '2026-11-29T00:00:00.000Z'],
  ['week', '2026-11-30T00:00:00.000Z'],
  ['month', '2026-12-01T00:00:00.000Z'],
  ['total', null],
] as const)('the %s that runs on a Saturday ends at %s', (period, end) => {
  expect(resetsAt(period, Date.parse('2026-11-28T23:59:59.999Z'))).toBe(end);
});

test.each([
  ['day', '2026-11-28T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z'],
  ['month', '2026-11-01T00:00:00.000Z'],
  ['month', '2028-03-01T00:00:00.000Z'],
  ['week', '2027-01-04T00:00:00.000Z'],
] as const)('a %s begins at %s, not a millisecond before', (period, begin) => {
  const at = Date.parse(begin);
  expect(areInOnePeriod(period, at, at + 1)).toBe(true);
  expect(areInOnePeriod(period, at - 1, at)).toBe(false);
  expect(resetsAt(period, at - 1)).toBe(begin);
});

test('total is one period, for ever', () => {
  expect(areInOnePeriod('total', 0, Date.parse('9999-12-31T00:00:00Z'))).toBe(true);
});
