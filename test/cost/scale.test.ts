import { describe, expect, test } from 'vitest';
import { type Design, simulate } from '../bench/scale/creates.ts';
import { createUnits, limits, patience, transactionMilliseconds } from '../bench/scale/limits.ts';

// What docs/benchmarks/scale.md says rests on this simulation: it has to keep to what it is told.

const seed = 20_261_121;
const design = (lists: number, counters: number): Design => ({
  name: '',
  lists,
  counters,
  counterPartitions: lists,
});
const ceiling = limits.writeUnitsASecond / createUnits.lead;

describe('creates of one organization, simulated', () => {
  test('far below every limit, all are done at once', () => {
    const { created, refused, p99 } = simulate(design(1, 1000), 20, seed);
    expect(created).toBeGreaterThan(15);
    expect(refused).toBe(0);
    expect(p99).toBe(transactionMilliseconds);
  });

  test.each([1, 4])(
    '%i partitions of a list give so many times the units of one, and no more',
    (lists) => {
      const under = simulate(design(lists, 1000 * lists), 0.9 * ceiling * lists, seed);
      expect(under.refused).toBe(0);
      const over = simulate(design(lists, 1000 * lists), 2 * ceiling * lists, seed);
      expect(over.created).toBeLessThanOrEqual(ceiling * lists);
      expect(over.created).toBeGreaterThan(0.95 * ceiling * lists);
      expect(over.refused).toBeGreaterThan(40);
      expect(over.p99).toBeLessThanOrEqual(patience + transactionMilliseconds);
    },
  );

  test('one counter lets through one transaction at a time', () => {
    const { created, refused } = simulate(design(16, 1), 400, seed);
    expect(created).toBeLessThanOrEqual(1000 / transactionMilliseconds);
    expect(refused).toBeGreaterThan(0);
    expect(simulate(design(16, 100), 400, seed).refused).toBe(0);
  });

  test('the same seed gives the same', () => {
    const once = simulate(design(1, 10), 500, seed);
    expect(simulate(design(1, 10), 500, seed)).toEqual(once);
    expect(simulate(design(1, 10), 500, seed + 1)).not.toEqual(once);
  });
});
