import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { operation as createLeads } from '../../../functions/leads/create-leads.ts';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import {
  counterTimeoutMs,
  requestCounterKind,
} from '../../../lib/organizations/request-counter.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { requestCounters } from '../../../lib/table/keys.ts';
import { replyBeforeTimeoutMs } from '../../../lib/table/retry.ts';
import { withoutGuards } from '../../support/faults/hidden-guards.ts';
import type { Step } from '../../support/faults/step.ts';
import { limitOrganization, readCountOf, useUpLimit } from '../../support/limit.ts';
import { echo, echoed } from '../echo.ts';
import { Organization, type Request, run, withSteps } from '../support.ts';

// A request is counted by what it cost, however it ends. Its weight is rules of
// test/unit/organizations/request-limit.test.ts.

let organization: Organization;

// Every request is counted, and nothing else of it is by chance.
beforeAll(() => vi.stubEnv('COUNT_ONE_REQUEST_IN', '1'));
afterAll(() => vi.unstubAllEnvs());

beforeEach(async () => {
  organization = await Organization.make();
  await limitOrganization(openTable(), organization.id, perSecond);
  await useUpLimit(openTable(), organization.id, aheadMs);
});

/** So much is there that it is not worked off meanwhile: what is counted is added to it, and a hundred more may be there. */
const [perSecond, aheadMs] = [1, 60_000];

const clearAt = async () => (await readCountOf(openTable(), organization.id)).clearAt;

const [unitsOfRequest, readUnitsOfRequest] = [35, 70];
const tags = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(50, 'x'));
const manyLeads = (count: number) => ({
  headers: organization.headers({ 'Content-Type': 'application/json' }),
  body: JSON.stringify({
    leads: Array.from({ length: count }, () => ({
      contact_name: 'Maria Silva',
      pipeline_id: organization.pipelineId,
      tags,
    })),
  }),
});

/** Transactions are answered until there were so many, and others not any more. */
const silentAfter = (transactions: number): Step => {
  let seen = 0;
  return (request, pass) => {
    if (request.operation === 'TransactWriteItems' && seen++ >= transactions) {
      return new Promise(() => {});
    }
    return pass(request);
  };
};

/** The counter's writes get this. */
const atCounter =
  (then: Step): Step =>
  (request, pass) =>
    request.operation === 'UpdateItem' && request.body.includes(requestCounters)
      ? then(request, pass)
      : pass(request);

/** What it cost by the log, and as what it was counted: both in usual requests. */
const send = async (handler: HttpHandler, request: Request, milliseconds?: number) => {
  const [from, before] = [Date.now(), await clearAt()];
  const { status, body, log } = await run(handler, request, milliseconds);
  const [{ line } = { line: {} }] = log;
  const { capacity_units = 0, uncounted_requests = 0 } = line as Record<string, number | undefined>;
  return {
    status,
    body,
    tookMs: Date.now() - from,
    cost: capacity_units / unitsOfRequest,
    uncounted: uncounted_requests,
    counted: ((await clearAt()) - before) * (perSecond / 1000),
  };
};

// Enough for what is done, on a slow machine, too.
const time = 2000;
const untilTimeout = replyBeforeTimeoutMs + time;

test('a request whose time is over is counted by what it cost: a batch that is cut off', async () => {
  await withSteps([silentAfter(5)], async () => {
    const sent = await send(serve(createLeads), manyLeads(10), untilTimeout);
    expect(sent.tookMs).toBeGreaterThanOrEqual(time - 1);
    const statuses = sent.body.items?.map(({ status }: { status: number }) => status);
    expect(statuses ?? [504]).toContain(504);
    // Five leads were made, and of five more nobody knows.
    expect(sent.cost).toBeGreaterThan(5);
    // Where a machine is slow, the one may be missing that is counted while leads are being made.
    expect(sent.uncounted).toBeLessThanOrEqual(1);
    expect(sent.counted).toBeGreaterThan(0.9 * sent.cost - 1);
  });
});

test('a request whose time is over is counted by what it cost: an operation that goes on and on', async () => {
  const operation = echo({
    idempotent: false,
    handle: (_call, _data, table) => {
      (table as TableClient).unitsByKind.written += 100 * unitsOfRequest;
      return new Promise(() => {});
    },
  });
  const sent = await send(serve(operation), echoed(organization), untilTimeout);
  expect([sent.status, sent.uncounted]).toEqual([504, 0]);
  expect(sent.tookMs).toBeGreaterThanOrEqual(time - 1);
  expect(sent.counted).toBeGreaterThan(95);
  expect(sent.counted).toBeLessThan(105);
});

test('a batch that has its time is counted by what it cost, and no more', async () => {
  const sent = await send(serve(createLeads), manyLeads(15));
  expect(sent.status).toBe(200);
  expect(sent.cost).toBeGreaterThan(15);
  expect(sent.counted).toBeGreaterThan(0.9 * sent.cost);
  expect(sent.counted).toBeLessThan(1.1 * sent.cost);
});

test('what was refused is counted by what it would have cost', async () => {
  // Their guards are hidden from the reads, so that transactions refuse them.
  const leads = manyLeads(10);
  const body = JSON.parse(leads.body);
  body.leads.forEach((lead: object, n: number) => {
    Object.assign(lead, { email: `${n}@example.com` });
  });
  const request = { ...leads, body: JSON.stringify(body) };
  const made = await send(serve(createLeads), request);
  await withSteps([withoutGuards], async () => {
    const refused = await send(serve(createLeads), request);
    const codes = refused.body.items.map(({ error }: { error?: { code: string } }) => error?.code);
    expect(codes).toEqual(Array(10).fill('duplicate_lead'));
    expect(refused.cost).toBeGreaterThan(0.6 * made.cost);
    expect(refused.counted).toBeGreaterThan(0.9 * refused.cost);
  });
});

test('what was read for a request that the limit refuses counts, and the refusal does not', async () => {
  const reading = (units: number) =>
    serve(
      echo({
        idempotent: false,
        read: async (_call, table) => {
          // Later than the verdict.
          await table.get(requestCounterKind.key({ organizationId: organization.id }));
          (table as TableClient).unitsByKind.read += units;
        },
      }),
    );
  const handlers = { dear: reading(10 * readUnitsOfRequest), cheap: reading(1) };
  organization = await Organization.make();
  await limitOrganization(openTable(), organization.id, 10);
  for (const handler of [handlers.cheap, handlers.dear]) {
    expect((await send(handler, echoed(organization))).status).toBe(201);
  }
  // Beyond the limit, which neither environment knows of yet.
  await useUpLimit(openTable(), organization.id, 60_000);
  const before = await clearAt();
  expect((await send(handlers.cheap, echoed(organization))).status).toBe(429);
  expect(await clearAt()).toBe(before);
  expect((await send(handlers.dear, echoed(organization))).status).toBe(429);
  const counted = ((await clearAt()) - before) / 100;
  expect(counted).toBeGreaterThan(8.9);
  expect(counted).toBeLessThan(9.5);
});

test.each<[string, Step]>([
  ['fail', async () => undefined],
  ['are never answered', () => new Promise(() => {})],
])(
  'where the counter’s writes %s, the answer comes in time and the log has what is missing',
  async (_how, then) => {
    await withSteps([atCounter(then)], async () => {
      const handler = serve(
        echo({
          idempotent: false,
          handle: (_call, _data, table) => {
            (table as TableClient).unitsByKind.written += 100 * unitsOfRequest;
            return { body: {} };
          },
        }),
      );
      const sent = await send(handler, echoed(organization));
      expect(sent.status).toBe(201);
      expect(counterTimeoutMs).toBeLessThanOrEqual(replyBeforeTimeoutMs / 3);
      // With the one that is counted while the request is being done.
      expect(sent.uncounted).toBeGreaterThanOrEqual(100);
      expect(sent.uncounted).toBeLessThanOrEqual(102);
      expect(sent.counted).toBe(0);
    });
  },
);
