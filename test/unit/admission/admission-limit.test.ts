import { randomUUID } from 'node:crypto';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { organizationKind } from '../../../lib/organizations/organization.ts';
import {
  addToCounter,
  platformRequestCounterKind,
  readCounter,
  requestCounterKind,
} from '../../../lib/organizations/request-counter.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { requestCounters } from '../../../lib/table/keys.ts';
import { jsonReply } from '../../support/faults/failure-replies.ts';
import type { Step } from '../../support/faults/step.ts';
import { limitOrganization, readCountOf, useUpLimit } from '../../support/limit.ts';
import { sign } from '../../support/tokens.ts';
import { echo, echoed } from '../echo.ts';
import { Organization, platformHeaders, type Request, run, withSteps } from '../support.ts';

// The chain's step: what it does with the counter. Its arithmetic is in
// test/unit/organizations/request-limit.test.ts.

let organization: Organization;
/** What chance says of a request: below 0.05, one is counted. */
let chance: number;

// One request in twenty is counted here, as it is shipped.
beforeAll(() => vi.stubEnv('COUNT_ONE_REQUEST_IN', undefined));
afterAll(() => vi.unstubAllEnvs());

beforeEach(async () => {
  organization = await Organization.make();
  chance = 0.999;
  vi.spyOn(Math, 'random').mockImplementation(() => chance);
});

afterEach(() => vi.mocked(Math.random).mockRestore());

const send = (handler = serve(echo()), change: Request = {}) =>
  run(handler, echoed(organization, change));
const wrong = { body: '{"unknown":1}' };
const ofStranger = async () => ({ Authorization: `Bearer ${await sign({ sub: randomUUID() })}` });

const counter = () => readCountOf(openTable(), organization.id);
/** As if so many requests had been counted at a limit of 50 a second. */
const counted = async (requests: number) => {
  await limitOrganization(openTable(), organization.id, 50);
  await useUpLimit(openTable(), organization.id, requests * 20);
};
/** So many milliseconds later by the clock of the function. */
const wait = (milliseconds: number) => {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
  }
  vi.setSystemTime(Date.now() + milliseconds);
};
/** As if all that was counted were worked off. */
const clearCounter = () =>
  openTable().update(requestCounterKind.key({ organizationId: organization.id }), {
    set: { clear_at: Date.now() },
  });

/** An operation that writes so many units, as DynamoDB would count them. */
const costing = (written: number) =>
  serve(
    echo({
      idempotent: false,
      handle: (_call, _data, table) => {
        (table as TableClient).unitsByKind.written += written;
        return { body: {} };
      },
    }),
  );

test('an organization beyond its limit is refused, is told when to come again, and does nothing', async () => {
  await counted(400);
  let handled = 0;
  const handler = serve(
    echo({
      handle: () => {
        handled++;
        return { body: {} };
      },
    }),
  );
  const before = await counter();
  expect(await send(handler)).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited' } },
    headers: {
      'RateLimit-Policy': '"organization";q=100;w=2',
      RateLimit: expect.stringMatching(/^"organization";r=0;t=[78]$/),
      'Retry-After': expect.stringMatching(/^[34]$/),
    },
  });
  expect(handled).toBe(0);
  // What is refused is not counted, even where it is the one in twenty.
  chance = 0;
  expect((await send()).status).toBe(429);
  expect(await counter()).toEqual(before);
  // Another one beside it is not.
  organization = await Organization.make();
  expect([(await send(handler)).status, handled]).toEqual([201, 1]);
});

test('an organization beyond its limit shuts no platform key out, which has a limit of its own there', async () => {
  await counted(400);
  const handler = serve(echo());
  const { Authorization } = platformHeaders;
  const headers = { ...echoed(organization).headers, Authorization };
  const sendBoth = async () => [
    (await send(handler)).status,
    (await send(handler, { headers })).status,
  ];
  expect(await sendBoth()).toEqual([429, 201]);
  const key = platformRequestCounterKind.key({ organizationId: organization.id });
  await addToCounter(openTable(), key, 8000, { clearAt: 0 });
  await clearCounter();
  // It is not read again for a second.
  wait(1000);
  expect(await sendBoth()).toEqual([201, 429]);
  // What a platform key asks is counted there, and nowhere else.
  await openTable().update(key, { set: { clear_at: Date.now() } });
  wait(1000);
  const before = await counter();
  chance = 0;
  expect((await send(handler, { headers })).status).toBe(201);
  expect(await counter()).toEqual(before);
  expect((await readCounter(openTable(), key))!.clearAt).toBeGreaterThan(Date.now());
});

test('an organization beyond its limit hears that before what else is wrong, but a stranger hears `forbidden` and nothing of the limit', async () => {
  await counted(400);
  const handler = serve(echo());
  expect((await send(handler, wrong)).status).toBe(429);
  const stranger = await send(handler, { headers: await ofStranger() });
  expect(stranger.body.error.code).toBe('forbidden');
  expect(Object.keys(stranger.headers).filter((name) => /ratelimit/i.test(name))).toEqual([]);
});

test('an organization beyond its limit has its data read with its membership and counter again, once it has recovered', async () => {
  let requests = 0;
  const watching: Step = (_, pass) => {
    requests++;
    return pass();
  };
  const read = ({ organizationId }: { organizationId: string }, table: TableClient) =>
    table.get(organizationKind.key({ organizationId }));
  const handler = serve(echo({ read, idempotent: false }));
  const requestsOf = async (status: number): Promise<number> => {
    const before = requests;
    expect((await send(handler)).status).toBe(status);
    return requests - before;
  };
  await withSteps([watching], async () => {
    // The first request reads the issuer's keys, and its caller is unknown.
    await send(handler);
    expect(await requestsOf(201)).toBe(1);
    await counted(400);
    // The first to be refused had its data read; from then on, data waits for the decision.
    expect(await requestsOf(429)).toBe(1);
    await clearCounter();
    wait(1000);
    expect(await requestsOf(201)).toBe(2);
    expect(await requestsOf(201)).toBe(1);
    // Within a second after a refusal, the next reads nothing.
    await counted(400);
    expect(await requestsOf(429)).toBe(1);
    wait(999);
    expect(await requestsOf(429)).toBe(0);
    wait(1);
    expect(await requestsOf(429)).toBe(1);
  });
});

test('a stranger, and another organization, are no part of what an environment remembers', async () => {
  await counted(400);
  const handler = serve(echo());
  for (const _ of [1, 2]) expect((await send(handler)).status).toBe(429);
  const stranger = await send(handler, { headers: await ofStranger() });
  expect([stranger.status, stranger.log[0]?.line.capacity_units]).toEqual([403, 1]);
  organization = await Organization.make();
  expect((await send(handler)).status).toBe(201);
});

test('a counter that can’t be read is as it was seen last', async () => {
  const handler = serve(echo());
  let isLost = false;
  const losing: Step = (request, pass) =>
    isLost && request.operation === 'BatchGetItem' && request.body.includes(requestCounters)
      ? withoutCounter(request, pass)
      : pass();
  await withSteps([losing], async () => {
    await send(handler);
    await counted(400);
    expect((await send(handler)).status).toBe(429);
    isLost = true;
    wait(1000);
    expect((await send(handler)).status).toBe(429);
    // Until it is worked off.
    wait(8000);
    expect((await send(handler)).status).toBe(201);
  });
});

test('one request in twenty is counted as twenty, and the others are not', async () => {
  await limitOrganization(openTable(), organization.id, 50);
  const handler = serve(echo());
  chance = 0.05;
  await send(handler);
  expect((await counter()).clearAt).toBe(0);
  chance = 0.049;
  const from = Date.now();
  const last = await send(handler);
  // Twenty requests are 400 milliseconds of 50 a second.
  expect((await counter()).clearAt).toBeGreaterThanOrEqual(from + 400);
  expect((await counter()).clearAt).toBeLessThanOrEqual(Date.now() + 400);
  expect(last.log[0]?.line.capacity_units).toBe(3);
});

test('one request in twenty is counted with what is wrong with it, and where it fails, but not if a stranger sent it', async () => {
  chance = 0;
  await send(serve(echo()), { ...wrong, headers: await ofStranger() });
  expect((await counter()).clearAt).toBe(0);
  expect((await send(serve(echo()), wrong)).status).toBe(400);
  const { clearAt } = await counter();
  expect(clearAt).toBeGreaterThan(0);
  const handle = () => {
    throw new ApiError('not_found');
  };
  expect((await send(serve(echo({ handle })))).status).toBe(404);
  expect((await counter()).clearAt).toBeGreaterThan(clearAt);
});

test('one request in twenty is counted after it by what it cost, so that the next one is refused', async () => {
  await limitOrganization(openTable(), organization.id, 50);
  const before = Date.now();
  await send(costing(35));
  expect((await counter()).clearAt).toBe(0);
  // The excess of 20 requests and more is always counted.
  await send(costing(35 * 301));
  expect((await counter()).clearAt).toBeGreaterThanOrEqual(before + 300 * 20);
  expect((await send(costing(0))).status).toBe(429);
});

/** As DynamoDB answers where the counter's partition takes no more: the other keys of a batch are read. */
const withoutCounter: Step = async (request, pass) => {
  const asked = JSON.parse(request.body.toString());
  const [table = ''] = Object.keys(asked.RequestItems);
  const { Keys: keys, ...options } = asked.RequestItems[table];
  const isCounter = ({ pk }: { pk: { S: string } }) => pk.S.startsWith(requestCounters);
  const read = { ...options, Keys: keys.filter((key: never) => !isCounter(key)) };
  const left = { ...options, Keys: keys.filter(isCounter) };
  if (read.Keys.length === 0) {
    return jsonReply(200, { Responses: {}, UnprocessedKeys: asked.RequestItems });
  }
  const body = Buffer.from(JSON.stringify({ ...asked, RequestItems: { [table]: read } }));
  const reply = await pass({ ...request, body });
  const answered = JSON.parse(reply.body.toString());
  return jsonReply(200, { ...answered, UnprocessedKeys: { [table]: left } });
};

test.each([
  ['fails', async () => undefined],
  ['is never answered', () => new Promise<undefined>(() => {})],
])('a request goes on without its count where that %s', async (_how, reply) => {
  let lost = 0;
  const losing: Step = (request, pass) => {
    if (!request.body.includes(requestCounters)) return pass();
    lost++;
    return request.operation === 'BatchGetItem' ? withoutCounter(request, pass) : reply();
  };
  chance = 0;
  await withSteps([losing], async () => expect((await send()).status).toBe(201));
  // Read and write were both tried.
  expect(lost).toBeGreaterThanOrEqual(2);
});
