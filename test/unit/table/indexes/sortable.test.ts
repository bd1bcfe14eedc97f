import fc from 'fast-check';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { idText, numberText, timeText } from '../../../../lib/table/indexes/sortable.ts';
import { seed } from '../../../support/random.ts';

const isSortedAs = (one: number, other: number, [a, b]: readonly [string, string]): void => {
  expect(Math.sign(one - other)).toBe(a < b ? -1 : a > b ? 1 : 0);
  expect([a.length, b.length]).toEqual([9, 9]);
};

test(`numbers sort as their texts do, up to the largest (SEED=${seed})`, () => {
  const whole = fc.oneof(fc.nat(1000), fc.maxSafeNat(), fc.constant(Number.MAX_SAFE_INTEGER));
  fc.assert(
    fc.property(whole, whole, (a, b) => isSortedAs(a, b, [numberText(a), numberText(b)])),
    { seed },
  );
});

test(`moments sort as their texts do, in all years of four digits (SEED=${seed})`, () => {
  const [min, max] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
  const moment = fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, -1, 0, 1, max));
  const textOf = (ms: number) => timeText(new Date(ms).toISOString());
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      isSortedAs(a, b, [textOf(a), textOf(b)]);
      expect(timeText(a)).toBe(textOf(a));
    }),
    { seed },
  );
  expect(timeText(min - 1)).toBe(timeText(min));
});

test('leads of one millisecond differ', () => {
  const ids = Array.from({ length: 1000 }, () => v7({ msecs: 1 }));
  const texts = ids.map(idText);
  expect(new Set(texts).size).toBe(ids.length);
  expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([10]));
});
