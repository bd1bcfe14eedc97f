import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Budget } from '../../functions/example.ts';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { isPlatformPermission } from '../../lib/operations/permissions.ts';
import { wholeLead } from '../../tools/examples/setting.ts';
import { callNames } from '../bench/calls/names.ts';
import { Client } from '../faults/client.ts';
import { roundTrips, type TableRequest } from '../support/faults/request-meter.ts';
import { prepared } from '../support/prepared.ts';
import { type Call, calls } from './calls.ts';
import { costOf, measureCalls, unitsOf } from './measure.ts';
import { type MeteredService, startMeteredService } from './metered-service.ts';
import { makeSetting } from './setting.ts';

let metered: MeteredService;

beforeAll(async () => {
  metered = await startMeteredService({ prepared: await prepared() });
});

afterAll(() => metered?.close());

/** Milliseconds by which answers come later, try after try: what is sent within them is sent at once. */
const delays = [15, 50, 100, 200, 400];
/**
 * By an environment that has seen its member. These are exact; but a refused transaction, which a
 * repeat is, costs nothing on the local engine only.
 */
const budgets = Object.fromEntries(calls.map(({ name, budget }) => [name, budget]));

/**
 * What each call costs. On a busy machine a call can seem to wait more often than it does: the fewest round trips of some
 * tries count. A try of a few calls can have less to read: the units are those of a try of all calls, and fewer round trips are no
 * surprise. If units are wrong, all are tried again, as a request whose answer is late is sent twice.
 */
const measured = async (): Promise<Record<string, Budget>> => {
  const costs: Record<string, Budget> = {};
  const hasUnits = ({ name, budget: [read, write] }: Call) =>
    costs[name]?.[0] === read && costs[name][1] === write;
  const isOpen = ({ name, budget }: Call) => costs[name]?.[2] !== budget[2];
  for (const delay of delays) {
    const ofAll = !calls.every(hasUnits);
    const wanted = calls.filter(
      (call, i) => ofAll || isOpen(call) || (calls[i + 1]?.repeat && isOpen(calls[i + 1]!)),
    );
    // Units that are wrong three times are not so by chance: slower tries would only take minutes.
    if (wanted.length === 0 || (ofAll && delay > 50)) break;
    const setting = await makeSetting(metered.service);
    for (const cost of await measureCalls(metered, setting, { delay, wanted })) {
      const now = unitsOf(cost);
      const [read, write, trips] = costs[cost.name] ?? [0, 0, cost.trips];
      const units = ofAll ? ([now.read, now.write] as const) : ([read, write] as const);
      const isWhole = now.read === units[0] && now.write === units[1];
      const least = isWhole ? 0 : budgets[cost.name]![2];
      costs[cost.name] = [...units, Math.min(trips, Math.max(least, cost.trips))];
    }
  }
  return costs;
};

/** A line for each call, so that a difference shows what to write, and where. */
const linesOf = (costs: Record<string, Budget>): string[] =>
  calls.flatMap(({ name, file, repeat }) => {
    const cost = costs[name];
    return cost
      ? [`${file}: ${name}: ${repeat ? 'costsAgain' : 'costs'}: [${cost.join(', ')}]`]
      : [];
  });

test('each call costs what its budget says, in capacity units and round trips', async () => {
  const lines = linesOf(await measured());
  expect(lines, 'what was measured should be in these files').toEqual(linesOf(budgets));
});

/** Of ten leads in a batch that differ in all but this: the fewest of some tries, as above, or `expected`. */
const tripsOfBatch = async (shared: object, expected: number): Promise<number> => {
  const setting = await makeSetting(metered.service);
  const { client } = setting;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [n, delay] of delays.entries()) {
    if (fewest === expected) break;
    metered.meter.delayReplies(delay);
    const leads = Array.from({ length: 10 }, (_, i) => ({
      ...wholeLead(setting.examples, `${n}-${i}`),
      phone: `+55119${87_660_000 + 100 * n + i}`,
      tags: [],
      ...shared,
    }));
    await metered.meter.take();
    await client.send({ id: 'createLeads', path: '/leads/batch', body: { leads } });
    fewest = Math.min(fewest, roundTrips(await metered.meter.take()));
  }
  metered.meter.delayReplies(0);
  return fewest;
};

/** The operations that members may do. */
const ofMembers = new Set(
  (await loadOperations())
    .filter(isRouted)
    .filter(({ operation }) => operation.permission && !isPlatformPermission(operation.permission))
    .map(({ operation }) => operation.id),
);

test('an outsider costs the read of a membership, whatever is asked for, and nobody else is booked for it', async () => {
  metered.meter.delayReplies(0);
  const setting = await makeSetting(metered.service);
  const token = await metered.service.issuer.idToken(randomUUID());
  const outsider = new Client(metered.service, setting.id, token);
  const elsewhere = new Client(metered.service, randomUUID(), token);
  const lines: object[] = [];
  // Whoever is refused is so before anything but the operation matters.
  const firsts = [...Map.groupBy(calls, ({ name }) => name.split(',')[0]!)]
    .filter(([id]) => ofMembers.has(id))
    .map(([, [first]]) => first!);
  for (const { request } of firsts) {
    const sent = await request(setting.examples);
    if (sent.path === undefined) continue;
    for (const stranger of [outsider, elsewhere]) {
      await metered.takeLog();
      await metered.meter.take();
      expect((await stranger.send(sent)).code).toBe('forbidden');
      const cost = costOf(await metered.meter.take());
      expect([sent.id, cost.requests, unitsOf(cost)]).toEqual([
        sent.id,
        ['GetItem'],
        { read: 1, write: 0 },
      ]);
      lines.push(JSON.parse(await metered.takeLog()).message);
    }
  }
  expect(lines).toEqual(lines.map((line) => ({ ...line, capacity_units: 1, code: 'forbidden' })));
  expect(lines.length).toBeGreaterThan(2 * 25);
});

test('whoever is a member of nothing asks so for one unit', async () => {
  metered.meter.delayReplies(0);
  const token = await metered.service.issuer.idToken(randomUUID());
  await metered.meter.take();
  const { body } = await new Client(metered.service, randomUUID(), token).send({
    id: 'getMe',
    path: '/me',
  });
  expect(body.organizations).toEqual([]);
  expect(unitsOf(costOf(await metered.meter.take()))).toEqual({ read: 1, write: 0 });
});

test('an API key alone costs the read of the key more the first time, and then what it does with its organization', async () => {
  metered.meter.delayReplies(0);
  const setting = await makeSetting(metered.service);
  const { key } = await setting.client.call('createApiKey', {
    body: { name: 'Robot', role: 'admin' },
  });
  const send = async (organizationId?: string) => {
    await metered.meter.take();
    const client = new Client(metered.service, organizationId, key);
    expect((await client.send({ id: 'getAlerts', path: '/billing/alerts' })).status).toBe(200);
    return costOf(await metered.meter.take()).requests;
  };
  // The function's environment is there, and has the issuer's keys.
  await setting.client.send({ id: 'getAlerts', path: '/billing/alerts' });
  // The use of the key is noted once a day.
  expect(await send()).toEqual(['GetItem', 'BatchGetItem', 'UpdateItem']);
  expect(await send()).toEqual(['BatchGetItem']);
  await send(setting.id);
  expect(await send(setting.id)).toEqual(['BatchGetItem']);
});

test('leads of a batch wait for one another where they share what is unique, and only there', async () => {
  // Membership and what the leads refer to, the start, the count, the leads.
  expect(await tripsOfBatch({ phone: '+5511987650000' }, 4)).toBe(4);
  // The first is made. Each refusal, by what is known of it then, is recorded before the next lead has its turn.
  const inTurn = 3 + 1 + 9;
  expect(await tripsOfBatch({ email: 'maria@example.com' }, inTurn)).toBe(inTurn);
});

test('each operation that uses the table has a budget', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const measuredIds = new Set(Object.keys(budgets).map((name) => name.split(',')[0]));
  const without = operations
    .filter(({ id, table }) => table.length > 0 && !measuredIds.has(id))
    .map(({ id }) => id);
  expect(without, 'none of its examples has `costs`').toEqual([]);
});

test('requests that overlap are one round trip, and those that wait for one another are several', () => {
  const request = (from: number, to: number) => ({ from, to }) as TableRequest;
  expect(roundTrips([request(0, 5), request(1, 6), request(4, 9)])).toBe(1);
  expect(roundTrips([request(0, 5), request(1, 6), request(6, 9)])).toBe(2);
  expect(roundTrips([request(3, 4), request(0, 2), request(5, 6)])).toBe(3);
});

test('every call that the benchmarks name is measured', () => {
  const names = calls.map(({ name }) => name);
  expect(callNames.filter((name) => !names.includes(name))).toEqual([]);
});
