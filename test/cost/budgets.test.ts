import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { budgets } from './budgets.ts';
import { type CountedService, startCountedService } from './counted-service.ts';
import { roundTrips, type TableRequest } from './counting-proxy.ts';
import { measureCalls, unitsOf } from './measure.ts';
import { makeSetting, wholeLead } from './setting.ts';

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
  expect(await measured(), 'what was measured should be in test/cost/budgets.ts').toEqual(budgets);
});

/** Of ten leads in a batch that differ in all but this; the fewest of some tries, as above. */
const tripsOfBatch = async (shared: object): Promise<number> => {
  const setting = await makeSetting(counted.service);
  const { pipelineId, owner, client } = setting;
  counted.proxy.delayAnswers(50);
  const tries: number[] = [];
  for (let n = 0; n < mostTries; n++) {
    const leads = Array.from({ length: 10 }, (_, i) => ({
      ...wholeLead(pipelineId, owner, 3000 + 100 * n + i),
      ...shared,
    }));
    counted.proxy.take();
    await client.send({ id: 'createLeads', path: '/leads/batch', body: { leads } });
    tries.push(roundTrips(counted.proxy.take()));
  }
  counted.proxy.delayAnswers(0);
  return Math.min(...tries);
};

test('leads of a batch wait for one another where they share what is unique, and only there', async () => {
  // Membership and what the leads refer to, the start, the leads, the end.
  expect(await tripsOfBatch({ phone: '+5511987650000' })).toBe(4);
  expect(await tripsOfBatch({ email: 'maria@example.com' })).toBe(3 + 10);
});

test('each operation that uses the table has a budget', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const measuredIds = new Set(Object.keys(budgets).map((name) => name.split(/[, ]/)[0]));
  const without = operations
    .filter(({ id, table }) => table.length > 0 && !measuredIds.has(id))
    .map(({ id }) => id);
  expect(without, 'to be added to test/cost/calls.ts and budgets.ts').toEqual([]);
});

test('requests that overlap are one round trip, and those that wait for one another are several', () => {
  const request = (from: number, to: number) => ({ from, to }) as TableRequest;
  expect(roundTrips([request(0, 5), request(1, 6), request(4, 9)])).toBe(1);
  expect(roundTrips([request(0, 5), request(1, 6), request(6, 9)])).toBe(2);
  expect(roundTrips([request(3, 4), request(0, 2), request(5, 6)])).toBe(3);
});
