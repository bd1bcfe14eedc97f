import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { budgets } from './budgets.ts';
import { type CountedService, startCountedService } from './counted-service.ts';
import { roundTrips, type TableRequest } from './counting-proxy.ts';
import { measureCalls, unitsOf } from './measure.ts';
import { makeSetting } from './setting.ts';

let counted: CountedService;

beforeAll(async () => {
  counted = await startCountedService();
});

afterAll(() => counted?.close());

const mostTries = 3;

/**
 * What each call costs. The round trips are the fewest of some tries: a call can't be seen to wait less
 * often than it does, but on a machine that is busy it can be seen to wait more often.
 */
const measured = async () => {
  const costs: Record<string, number[]> = {};
  for (let tries = 0; tries < mostTries; tries++) {
    counted.proxy.delayAnswers(0);
    const setting = await makeSetting(counted.service);
    counted.proxy.delayAnswers(50);
    for (const cost of await measureCalls(counted, setting)) {
      const { read, write } = unitsOf(cost);
      const [, , before = Number.POSITIVE_INFINITY] = costs[cost.name] ?? [];
      costs[cost.name] = [read, write, Math.min(before, cost.trips)];
    }
    if (Object.entries(budgets).every(([name, [, , trips]]) => costs[name]?.[2] === trips)) break;
  }
  return costs;
};

test('each call costs what its budget says, in capacity units and round trips', async () => {
  expect(await measured()).toEqual(budgets);
});

test('each operation that uses the table has a budget', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const names = Object.keys(budgets);
  const without = operations.filter(
    ({ id, table }) => table.length > 0 && !names.some((name) => name.startsWith(id)),
  );
  expect(without).toEqual([]);
});

test('requests that overlap are one round trip, and those that wait for one another are several', () => {
  const request = (from: number, to: number) => ({ from, to }) as TableRequest;
  expect(roundTrips([request(0, 5), request(1, 6), request(4, 9)])).toBe(1);
  expect(roundTrips([request(0, 5), request(1, 6), request(6, 9)])).toBe(2);
  expect(roundTrips([request(3, 4), request(0, 2), request(5, 6)])).toBe(3);
});
