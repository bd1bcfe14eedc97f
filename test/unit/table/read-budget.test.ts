import { expect, test } from 'vitest';
import { ReadBudget } from '../../../lib/table/read-budget.ts';

test('each item may be as large as they can be, unless the queries end before', () => {
  const budget = new ReadBudget({ unitsOfItem: 2 });
  expect(budget.affordable(1000)).toBe(120);
  expect(budget.affordable(7)).toBe(7);
  // A query ends at 1 MB, which is 128 units; two of them may take 256.
  expect(budget.affordable(1000, { queries: 1 })).toBe(1000);
  expect(budget.affordable(1000, { queries: 2 })).toBe(120);
  expect(budget.affordable(1000, { queries: 1, spare: 112 })).toBe(1000);
  expect(budget.affordable(1000, { queries: 1, spare: 113 })).toBe(63);
  budget.take({ examined: 100, units: 238 });
  expect([budget.affordable(1000), budget.affordable(1000, { spare: 1 })]).toEqual([1, 0]);
  budget.take({ examined: 0, units: 1 });
  expect([budget.affordable(1000), budget.units]).toEqual([0, 1]);
});

test('items end, too, and can be had anew; the units can’t', () => {
  const budget = new ReadBudget({ unitsOfItem: 0.1 });
  budget.take({ examined: 999, units: 60 });
  expect(budget.affordable(2)).toBe(1);
  budget.take({ examined: 1, units: 0 });
  expect([budget.affordable(1), budget.units]).toEqual([0, 180]);
  budget.renewItems();
  expect(budget.affordable(2000)).toBe(1000);
  budget.take({ examined: 500, units: 180 });
  budget.renewItems();
  expect(budget.affordable(1)).toBe(0);
});
