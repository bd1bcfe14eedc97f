import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { operation as putPlan } from '../../../functions/billing/put-plan.ts';
import { handler as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { operation as getMe } from '../../../functions/organizations/get-me.ts';
import { serveCaller } from '../../../lib/handlers/http/serve.ts';
import {
  addToCounter,
  readCounter,
  userRequestCounterKind,
} from '../../../lib/organizations/request-counter.ts';
import { usualPerSecond } from '../../../lib/organizations/request-limit.ts';
import { openTable } from '../../../lib/table/client.ts';
import { newApiKey } from '../../../lib/tokens/api-key.ts';
import type { Step } from '../../support/faults/step.ts';
import { sign } from '../../support/tokens.ts';
import { Organization, platformHeaders, run, withSteps } from '../support.ts';

// What is done in no organization is counted by user.

const table = openTable();
const keyOf = (userId: string) => userRequestCounterKind.key({ userId });
let userId: string;
let authorization: string;
/** What chance says of a request: below 0.05, one is counted. */
let chance: number;

beforeEach(async () => {
  userId = randomUUID();
  authorization = `Bearer ${await sign({ sub: userId })}`;
  chance = 0.999;
  vi.stubEnv('COUNT_ONE_REQUEST_IN', undefined);
  vi.spyOn(Math, 'random').mockImplementation(() => chance);
});

afterEach(() => {
  vi.mocked(Math.random).mockRestore();
  vi.stubEnv('COUNT_ONE_REQUEST_IN', 'Infinity');
});

const ask = (credential = authorization, handler = serveCaller(getMe), query?: object) =>
  run(handler, { headers: { Authorization: credential }, query: (query ?? null) as never });

/** As if so many requests of the user had been counted. */
const counted = (requests: number, id = userId) =>
  addToCounter(table, keyOf(id), (requests * 1000) / usualPerSecond, { clearAt: 0 });

test('a user who is beyond fifty requests a second is told when to come again, and no other', async () => {
  await counted(400);
  const refused = await ask();
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers['Retry-After']).toMatch(/^[34]$/);
  // The counter, and at most the first look into the index.
  expect(refused.log[0]?.line.capacity_units).toBeLessThanOrEqual(1);
  const other = `Bearer ${await sign({ sub: randomUUID() })}`;
  expect((await ask(other)).status).toBe(200);
});

test('a hundred requests at once are none too many, and what the count may err', async () => {
  await counted(190);
  expect((await ask()).status).toBe(200);
});

test('one request in twenty is counted as twenty, also one that is wrong, and what is refused is not', async () => {
  const clearAt = async () => (await readCounter(table, keyOf(userId)))?.clearAt ?? 0;
  await ask();
  expect(await clearAt()).toBe(0);
  chance = 0.049;
  const from = Date.now();
  await ask();
  const first = await clearAt();
  expect(first).toBeGreaterThanOrEqual(from + 400);
  expect(first).toBeLessThanOrEqual(Date.now() + 400);
  expect((await ask(authorization, serveCaller(getMe), { unknown: ['1'] })).status).toBe(400);
  expect(await clearAt()).toBeGreaterThanOrEqual(first + 399);
  await counted(400);
  const over = await clearAt();
  expect((await ask()).status).toBe(429);
  expect(await clearAt()).toBe(over);
});

test('refusals within a second read nothing', async () => {
  await counted(600);
  const handler = serveCaller(getMe);
  expect((await ask(authorization, handler)).status).toBe(429);
  const units = async () => {
    const { status, log } = await ask(authorization, handler);
    return [status, log[0]?.line.capacity_units];
  };
  expect(await units()).toEqual([429, 0]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const [status, read] = await units();
  expect([status, Number(read) > 0]).toEqual([429, true]);
});

test('an API key is counted by itself, once it is known to be one', async () => {
  const organization = await Organization.make();
  const { body } = await run(createApiKey, {
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    body: JSON.stringify({ name: 'Robot', role: 'viewer' }),
  });
  expect((await ask(`Bearer ${body.key}`)).status).toBe(200);
  await counted(400, body.id);
  expect((await ask(`Bearer ${body.key}`)).status).toBe(429);
  const { status, log } = await ask(`Bearer ${newApiKey('organization', body.id).text}`);
  expect([status, log[0]?.line.capacity_units]).toEqual([401, 1]);
});

test('a counter that fails, or never answers, keeps nobody out', async () => {
  await counted(400);
  for (const reply of [async () => undefined, () => new Promise<undefined>(() => {})]) {
    const losing: Step = (request, pass) =>
      request.body.includes('REQUESTS#USER#') ? reply() : pass();
    await withSteps([losing], async () => {
      expect((await ask(authorization, serveCaller(getMe))).status).toBe(200);
    });
  }
});

test('what only a platform key may is counted by nobody', async () => {
  const read: string[] = [];
  const looking: Step = (request, pass) => {
    if (request.body.includes('REQUESTS#')) read.push(request.operation);
    return pass();
  };
  await withSteps([looking], async () => {
    const path = { tier: 'pro' };
    const body = '{}';
    const request = { headers: platformHeaders, path, body };
    expect((await run(serveCaller(putPlan), request)).status).toBe(400);
  });
  // The use of the key is noted, once a day.
  expect(read).toEqual(['UpdateItem']);
});
