import { describe, expect, test } from 'vitest';
import { type Design, simulateCreates } from '../bench/many/creates.ts';
import {
  createUnits,
  limits,
  patience,
  readMilliseconds,
  spendUnits,
  transactionMilliseconds,
} from '../bench/many/limits.ts';
import { simulateSpends, transactionOf } from '../bench/many/spends.ts';

// What docs/benchmarks.md says of one organization rests on this simulation: it has to keep to what it is told.
// @module-tag long

const seed = 20_261_121;
const design = (lists: number, counters: number): Design => ({
  name: '',
  lists,
  counters,
  counterPartitions: lists,
});
const ceiling = limits.writeUnitsASecond / createUnits.lead;

describe('creates of one organization, simulated', () => {
  test.each([1, 4])(
    '%i partitions of a list give so many times the units of one, and no more',
    (lists) => {
      const under = simulateCreates(design(lists, 1000 * lists), 0.9 * ceiling * lists, seed);
      expect(under.refused).toBe(0);
      const over = simulateCreates(design(lists, 1000 * lists), 2 * ceiling * lists, seed);
      expect(over.done).toBeLessThanOrEqual(ceiling * lists);
      expect(over.done).toBeGreaterThan(0.95 * ceiling * lists);
      expect(over.refused).toBeGreaterThan(40);
      expect(over.p99).toBeLessThanOrEqual(patience + transactionMilliseconds);
    },
  );

  test('one counter lets through one transaction at a time', () => {
    const { done, refused } = simulateCreates(design(16, 1), 400, seed);
    expect(done).toBeLessThanOrEqual(1000 / transactionMilliseconds);
    expect(refused).toBeGreaterThan(0);
    expect(simulateCreates(design(16, 100), 400, seed).refused).toBe(0);
  });
});

describe('spends of one wallet, simulated', () => {
  const most = 1000 / (readMilliseconds + transactionOf(1));

  test('that come seldom are done at once', () => {
    for (const size of [1, 25]) {
      const { done, refused, p99 } = simulateSpends(0.2, size, seed);
      expect(done).toBeGreaterThan(0);
      expect([refused, p99]).toEqual([0, readMilliseconds + transactionOf(size)]);
    }
  });

  test('are done one after the other, however many come', () => {
    const many = simulateSpends(4 * most, 1, seed);
    expect(many.done).toBeLessThanOrEqual(most);
    expect(many.done).toBeGreaterThan(0.9 * most);
    expect(many.refused).toBeGreaterThan(60);
  });

  test('in batches of 25 are 200 a second within a second, and as many as the ledger has units for', () => {
    const wanted = simulateSpends(200, 25, seed);
    expect(wanted.refused).toBe(0);
    expect(wanted.p99).toBeLessThan(1000);
    const units = spendUnits.entry + spendUnits.number;
    const { done, refused } = simulateSpends(400, 25, seed);
    expect(done).toBeLessThanOrEqual(1.01 * (limits.writeUnitsASecond / units));
    expect(refused).toBeGreaterThan(20);
  });
});
