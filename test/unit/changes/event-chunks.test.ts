import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bytesOfEntry,
  mostBytes,
  mostEntries,
  toChunks,
} from '../../../lib/changes/event-chunks.ts';
import { seed } from '../../support/random.ts';

const chunk = (sizes: readonly number[]) =>
  toChunks(sizes.map((bytes) => ({ bytes }))).map((one) => one.map(({ bytes }) => bytes));

test('a request takes ten entries, and so many bytes, and not one more', () => {
  // Less than a megabyte, whether that has 1,000 or 1,024 kilobytes.
  expect([mostEntries, mostBytes]).toEqual([10, 1000 * 1000 - 1]);
  const ten = Array.from({ length: mostEntries }, () => 1);
  expect(chunk([...ten, 2])).toEqual([ten, [2]]);
  expect(chunk([mostBytes - 1, 1])).toEqual([[mostBytes - 1, 1]]);
  expect(chunk([mostBytes, 1])).toEqual([[mostBytes], [1]]);
});

test('bytes are those of source, type and detail in UTF-8', () => {
  expect(bytesOfEntry({ Source: 'a', DetailType: 'bc', Detail: '{"é":"🦄"}' })).toBe(3 + 13);
});

test(`whatever the sizes: all of them, in their order, within the limits, and no request could take the next (SEED=${seed})`, () => {
  const size = fc.oneof(
    fc.integer({ min: 1, max: 2000 }),
    fc.integer({ min: 1, max: mostBytes }),
    fc.constant(mostBytes / 3),
  );
  const sum = (some: readonly number[]) => some.reduce((a, b) => a + b, 0);
  fc.assert(
    fc.property(fc.array(size, { maxLength: 120 }), (all) => {
      const chunks = chunk(all);
      expect(chunks.flat()).toEqual(all);
      for (const [i, one] of chunks.entries()) {
        expect(one.length).toBeGreaterThan(0);
        expect(one.length).toBeLessThanOrEqual(mostEntries);
        expect(sum(one)).toBeLessThanOrEqual(mostBytes);
        const next = chunks[i + 1]?.[0];
        if (next === undefined) continue;
        expect(one.length === mostEntries || sum(one) + next > mostBytes).toBe(true);
      }
    }),
    { seed },
  );
});
