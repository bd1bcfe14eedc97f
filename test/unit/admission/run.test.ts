import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { operation as createLead } from '../../../functions/leads/create-lead.ts';
import { operation as createLeads } from '../../../functions/leads/create-leads.ts';
import { operation as getLead } from '../../../functions/leads/get-lead.ts';
import type { Input, Sent } from '../../../lib/admission/input.ts';
import { Memory } from '../../../lib/admission/memory.ts';
import { endRequest, openRequest } from '../../../lib/admission/open-request.ts';
import { run } from '../../../lib/admission/run.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import type { Lead } from '../../../lib/leads/lead.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import type { Reply } from '../../../lib/operations/request.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { timeBoundsAfter } from '../../../lib/table/retry.ts';
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
  userId?: string;
  named?: string | undefined;
  input?: Partial<Input>;
}

/** What becomes of it, with the request as it was ended. */
const ask = async (operation: AnyOperation, sent: Sent, asking: Asking = {}) => {
  const { userId = organization.users.owner, named = organization.id, input } = asking;
  const start = { requestId: randomUUID(), startedAt: Date.now() };
  const request = openRequest(start, table.during(timeBoundsAfter(60_000)), memory);
  const whole = { isLarge: false, read: () => sent, ...input };
  const outcome = await run(operation, { userId }, named, whole, request).then(
    (reply: Reply) => ({ reply }),
    (error: unknown) => ({ error: error as ApiError }),
  );
  await endRequest(request);
  return { ...outcome, request } as { reply?: Reply; error?: ApiError; request: typeof request };
};

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
    { userId: randomUUID() },
    { named: randomUUID() },
    { userId: organization.users.viewer },
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
  const viewer = { userId: organization.users.viewer };
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

test('what it cost is counted once the request ends', async () => {
  organization = await Organization.make();
  const operation = echo({
    handle: (_call, _data, own) => {
      (own as TableClient).unitsByKind.written += 35 * 1000;
      return { body: {} };
    },
  });
  vi.stubEnv('COUNT_ONE_REQUEST_IN', '20');
  try {
    await ask(operation, sent());
  } finally {
    vi.unstubAllEnvs();
  }
  expect((await readCountOf(table, organization.id)).clearAt).toBeGreaterThan(Date.now());
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
