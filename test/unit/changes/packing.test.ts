import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOfEntry, mostBytes, mostEntries, packEvents } from '../../../lib/changes/packing.ts';
import { seed } from '../../support/random.ts';

const sizesOf = (packs: { bytes: number }[][]) =>
  packs.map((pack) => pack.map(({ bytes }) => bytes));
const pack = (...sizes: number[]) => sizesOf(packEvents(sizes.map((bytes) => ({ bytes }))));

describe('a request takes', () => {
  test('ten entries, and not eleven', () => {
    const ten = Array.from({ length: mostEntries }, () => 1);
    expect(pack(...ten)).toEqual([ten]);
    expect(pack(...ten, 2)).toEqual([ten, [2]]);
    expect(mostEntries).toBe(10);
  });

  test('so many bytes, and not one more', () => {
    expect(pack(mostBytes - 1, 1)).toEqual([[mostBytes - 1, 1]]);
    expect(pack(mostBytes, 1)).toEqual([[mostBytes], [1]]);
    expect(pack(mostBytes)).toEqual([[mostBytes]]);
    // Less than a megabyte, whether that has 1,000 or 1,024 kilobytes.
    expect(mostBytes).toBe(1000 * 1000 - 1);
  });
});

test('bytes are those of source, type and detail in UTF-8', () => {
  expect(bytesOfEntry({ Source: 'a', DetailType: 'bc', Detail: '{"é":"🦄"}' })).toBe(3 + 13);
});

test('whatever the sizes: all of them, in their order, within the limits, and no request could take the next', () => {
  console.info(`SEED=${seed}`);
  const sizes = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: mostBytes }),
      fc.constant(mostBytes / 3),
    ),
    { maxLength: 120 },
  );
  fc.assert(
    fc.property(sizes, (all) => {
      const packs = pack(...all);
      const sum = (some: readonly number[]) => some.reduce((a, b) => a + b, 0);
      expect(packs.flat()).toEqual(all);
      for (const [i, one] of packs.entries()) {
        expect(one.length).toBeGreaterThan(0);
        expect(one.length).toBeLessThanOrEqual(mostEntries);
        expect(sum(one)).toBeLessThanOrEqual(mostBytes);
        const next = packs[i + 1]?.[0];
        if (next === undefined) continue;
        expect(one.length === mostEntries || sum(one) + next > mostBytes).toBe(true);
      }
    }),
    { seed },
  );
});
