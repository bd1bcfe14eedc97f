import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { operation as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { operation as createLead } from '../../../functions/leads/create-lead.ts';
import { operation as createLeads } from '../../../functions/leads/create-leads.ts';
import { operation as getLead } from '../../../functions/leads/get-lead.ts';
import type { Input, Sent } from '../../../lib/admission/input.ts';
import { Memory } from '../../../lib/admission/memory.ts';
import { endRequest, type OpenRequest, openRequest } from '../../../lib/admission/open-request.ts';
import { run } from '../../../lib/admission/run.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import type { Lead } from '../../../lib/leads/lead.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import type { Role } from '../../../lib/operations/permissions.ts';
import type { Reply } from '../../../lib/operations/request.ts';
import type { Caller } from '../../../lib/organizations/caller.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { timeBoundsAfter } from '../../../lib/table/retry.ts';
import { parseApiKey } from '../../../lib/tokens/api-key.ts';
import { limitOrganization, readCountOf, useUpLimit } from '../../support/limit.ts';
import { echo } from '../echo.ts';
import { Organization } from '../support.ts';

// An operation with nothing of HTTP around it.

const table = openTable();
let organization: Organization;
let memory: Memory;

beforeAll(async () => {
  organization = await Organization.make();
});
beforeEach(() => {
  memory = new Memory();
});

interface Asking {
  caller?: Caller;
  named?: string | undefined;
  input?: Partial<Input>;
  request?: OpenRequest;
}

const open = () =>
  openRequest(
    { requestId: randomUUID(), startedAt: Date.now() },
    table.during(timeBoundsAfter(60_000)),
    memory,
  );

/** What becomes of it, in a request of its own if in no other. */
const ask = async (operation: AnyOperation, sent: Sent, asking: Asking = {}) => {
  const { caller = user('owner'), input, request = open() } = asking;
  const named = 'named' in asking ? asking.named : organization.id;
  const whole = { isLarge: false, read: () => sent, ...input };
  const outcome = await run(operation, caller, named, whole, request).then(
    (reply: Reply) => ({ reply }),
    (error: unknown) => ({ error: error as ApiError }),
  );
  return { ...outcome, request } as { reply?: Reply; error?: ApiError; request: OpenRequest };
};

const user = (role: Role): Caller => ({ userId: organization.users[role] });
const sent = (change: object = {}): Sent => ({ path: { id: 'a' }, body: { value: 1 }, ...change });
const newLead = () => ({ contact_name: 'Ana', pipeline_id: organization.pipelineId });

test('a member gets the reply to what was asked', async () => {
  const { reply, request } = await ask(echo(), sent({ query: { limit: ['20'] }, ifMatch: '3' }));
  expect(reply?.body).toMatchObject({
    organizationId: organization.id,
    userId: organization.users.owner,
    origin: { by: organization.users.owner, requestId: request.requestId },
    role: 'owner',
    path: { id: 'a' },
    query: { limit: '20' },
    body: { value: 1 },
    ifMatch: '3',
    now: request.startedAt,
  });
  expect(request.organizationId).toBe(organization.id);
});

test('what one operation made, another finds', async () => {
  const made = await ask(createLead, { body: newLead() });
  const lead = made.reply?.body as Lead | undefined;
  expect(lead).toMatchObject(newLead());
  const found = await ask(getLead, { path: { lead_id: lead?.id } });
  expect(found.reply?.body).toEqual(lead);
});

test('a stranger and a viewer are refused, and nothing of what they sent is looked at', async () => {
  const read = vi.fn(() => sent());
  const strangers = [
    { caller: { userId: randomUUID() } },
    { named: randomUUID() },
    { caller: user('viewer') },
  ];
  for (const one of strangers) {
    const { error, request } = await ask(echo(), {}, { ...one, input: { read } });
    expect([error?.code, request.table.units, request.verdict]).toEqual([
      'forbidden',
      1,
      undefined,
    ]);
  }
  expect(read).not.toHaveBeenCalled();
  expect((await ask(echo(), {}, { input: { read } })).reply).toBeDefined();
  expect(read).toHaveBeenCalledOnce();
});

test('who may read is not known as who may write: being refused costs one read', async () => {
  const viewer = { caller: user('viewer') };
  const reading = echo({ permission: 'leads:read' });
  for (const _ of [1, 2]) expect((await ask(reading, sent(), viewer)).reply).toBeDefined();
  const { error, request } = await ask(echo(), sent(), viewer);
  expect([error?.code, request.table.units]).toEqual(['forbidden', 1]);
});

test('what is wrong with what was asked is told field by field', async () => {
  const { error } = await ask(createLead, { body: { ...newLead(), colour: 'red' } });
  expect([error?.code, error?.details]).toEqual([
    'invalid_request',
    [{ path: 'colour', message: 'is not known here' }],
  ]);
});

test('what can’t be read is told to a member', async () => {
  const read = () => {
    throw new ApiError('unsupported_media_type');
  };
  expect((await ask(echo(), {}, { input: { read } })).error?.code).toBe('unsupported_media_type');
});

test('under a key there is one reply, of a batch for each part', async () => {
  const idempotencyKey = randomUUID();
  const once = { body: newLead(), idempotencyKey };
  const [first, again] = [await ask(createLead, once), await ask(createLead, once)];
  expect(again.reply).toEqual({
    ...first.reply,
    headers: { ...first.reply?.headers, 'Idempotency-Replayed': 'true' },
  });
  const other = await ask(createLead, { ...once, body: { ...newLead(), contact_name: 'Rui' } });
  expect(other.error?.code).toBe('idempotency_key_reused');
  const batch = { body: { leads: [newLead(), newLead()] }, idempotencyKey };
  const [all, allAgain] = [await ask(createLeads, batch), await ask(createLeads, batch)];
  expect(allAgain.reply?.body).toEqual(all.reply?.body);
  expect(all.reply?.body).toMatchObject({ items: [{ status: 201 }, { status: 201 }] });
});

test('beyond the organization’s limit nothing is run, and what is large is not read', async () => {
  organization = await Organization.make();
  await limitOrganization(table, organization.id, 50);
  const read = vi.fn(() => sent());
  const handle = vi.fn(() => ({ body: {} }));
  const operation = echo({ handle });
  const large = { input: { read, isLarge: true } };
  const admitted = await ask(operation, {}, large);
  expect(admitted.request.verdict).toMatchObject({ admitted: true, remaining: 100 });
  expect([read.mock.calls.length, handle.mock.calls.length]).toEqual([1, 1]);
  await useUpLimit(table, organization.id, 8000);
  const { error, request } = await ask(operation, {}, large);
  expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  expect(request.verdict).toMatchObject({ admitted: false, remaining: 0 });
  expect([read.mock.calls.length, handle.mock.calls.length]).toEqual([1, 1]);
});

/** Takes what so many requests take. */
const costing = (requests: number, then: (table: TableClient) => unknown = () => {}) =>
  echo({
    handle: async (_call, _data, own) => {
      (own as TableClient).unitsByKind.written += 35 * requests;
      await then(own as TableClient);
      return { body: {} };
    },
  });

/** Each request counts, and as a second. Some are there, so that all others are added to them. */
const countEach = async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('COUNT_ONE_REQUEST_IN', '1');
  organization = await Organization.make();
  await limitOrganization(table, organization.id, 1);
  await useUpLimit(table, organization.id, 60_000);
  const { clearAt } = await readCountOf(table, organization.id);
  return async () => ((await readCountOf(table, organization.id)).clearAt - clearAt) / 1000;
};

test.each(['at once', 'one after the other'])(
  'of operations that one request runs %s, each counts by what it took, and the request knows of all',
  async (when) => {
    const count = await countEach();
    const request = open();
    const running = [];
    for (const requests of [10, 20]) {
      const asked = ask(costing(requests), sent(), { request });
      running.push(when === 'at once' ? asked : await asked);
    }
    const outcomes = await Promise.all(running);
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    const counted = await count();
    expect(counted).toBeGreaterThanOrEqual(30);
    expect(counted).toBeLessThan(31);
    expect(request.table.unitsByKind.written).toBeGreaterThanOrEqual(35 * 30);
    expect(request).toMatchObject({
      organizationId: organization.id,
      verdict: { admitted: true, perSecond: 1 },
    });
    await endRequest(request);
    expect(await count()).toBe(counted);
  },
);

test('an operation that the end of its request cuts off is counted; neither it nor others go on', async () => {
  const count = await countEach();
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const operation = costing(10, async (own) => {
    begun.resolve();
    await ended.promise;
    await own.get({ pk: 'a', sk: 'a' });
  });
  const request = open();
  const asked = ask(operation, sent(), { request });
  await begun.promise;
  // That the request came is counted while it is worked on.
  await vi.waitFor(async () => expect(await count()).toBeGreaterThanOrEqual(1));
  await endRequest(request);
  const counted = await count();
  expect(counted).toBeGreaterThanOrEqual(10);
  expect(counted).toBeLessThan(11);
  ended.resolve();
  expect((await asked).error?.code).toBe('timeout');
  expect((await ask(costing(10), sent(), { request })).error?.code).toBe('timeout');
  expect(await count()).toBe(counted);
});

test('the bearer of an API key may what its role may, in its organization, which nobody has to name', async () => {
  const made = await ask(createApiKey, { body: { name: 'Robot', role: 'viewer' } });
  const apiKey = parseApiKey((made.reply!.body as { key: string }).key)!;
  const bearer = { caller: { userId: apiKey.id, apiKey }, named: undefined };
  const reading = echo({ permission: 'leads:read' });
  expect((await ask(reading, sent(), bearer)).reply?.body).toMatchObject({
    organizationId: organization.id,
    role: 'viewer',
    origin: { by: apiKey.id },
  });
  const codeOf = async (asking: Asking, operation = reading) =>
    (await ask(operation, sent(), { ...bearer, ...asking })).error?.code;
  expect(await codeOf({}, echo())).toBe('forbidden');
  expect(await codeOf({ named: randomUUID() })).toBe('unauthenticated');
  const stranger = { userId: apiKey.id, apiKey: { ...apiKey, digest: 'of another secret' } };
  expect(await codeOf({ caller: stranger })).toBe('unauthenticated');
});

test('all that is thrown is an error of the API, with its cause', async () => {
  const failing = (cause: unknown) =>
    echo({
      request: { body: z.any() },
      handle: () => {
        throw cause;
      },
    });
  const bug = new TypeError('a bug');
  const late = Object.assign(new Error('late'), { name: 'TimeoutError' });
  for (const [cause, code] of [
    [bug, 'internal'],
    [late, 'timeout'],
  ] as const) {
    const { error } = await ask(failing(cause), { body: {} });
    expect(error).toBeInstanceOf(ApiError);
    expect([error?.code, error?.cause]).toEqual([code, cause]);
  }
  const refusal = new ApiError('not_found');
  expect((await ask(failing(refusal), { body: {} })).error).toBe(refusal);
});
