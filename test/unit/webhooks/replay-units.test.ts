import { beforeEach, expect, test } from 'vitest';
import { handler as createWebhook } from '../../../functions/webhooks/create-webhook.ts';
import { handler as getWebhook } from '../../../functions/webhooks/get-webhook.ts';
import { handler as replayWebhook } from '../../../functions/webhooks/replay-webhook.ts';
import { feedHeadKind, feedIdOf } from '../../../lib/changes/feed.ts';
import { openTable } from '../../../lib/table/client.ts';
import { put } from '../../../lib/table/write.ts';
import { unitsOfReplay } from '../../../lib/webhooks/replay-units.ts';
import { limitOrganization, readCountOf, useUpLimit } from '../../support/limit.ts';
import { Organization, run } from '../support.ts';

// Whoever has changes posted once more is counted at once for what the workers will have to do.

let organization: Organization;
const table = openTable();
const last = 50_000;

beforeEach(async () => {
  organization = await Organization.make();
  const ids = { organizationId: organization.id, feedId: feedIdOf(organization.id) };
  await table.transact([put(feedHeadKind.key(ids), { sequence: last, numbered_at: Date.now() })]);
  // A request a second, and ten that are there: so what is counted is not worked off meanwhile.
  await limitOrganization(table, organization.id, 1);
  await useUpLimit(table, organization.id, 10_000);
});

const send = (
  handler: typeof createWebhook,
  body?: object,
  path: Record<string, string> | null = null,
) =>
  run(handler, {
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    path,
    body: body ? JSON.stringify(body) : null,
  });
const url = 'https://hooks.example.com/';

/** Does something, and says as how many requests that counts. */
const countOf = async (work: () => Promise<{ status: number }>): Promise<[number, number]> => {
  const from = (await readCountOf(table, organization.id)).clearAt;
  const { status } = await work();
  return [status, ((await readCountOf(table, organization.id)).clearAt - from) / 1000];
};

test('a replay counts two written units for each change that it goes back over, up to 30,000', () => {
  expect([unitsOfReplay(7, 7), unitsOfReplay(7, 9), unitsOfReplay(9, 7)]).toEqual([0, 0, 4]);
  expect([unitsOfReplay(30_001, 1), unitsOfReplay(30_002, 1)]).toEqual([60_000, 60_000]);
});

test('a replay is counted when it is asked for, and refused beyond the limit', async () => {
  const { body } = await send(createWebhook, { url });
  const path = { webhook_id: body.id };
  const replay = (after: number) => countOf(() => send(replayWebhook, { after }, path));
  expect(await replay(last - 50)).toEqual([200, 0]);
  const [status, requests] = await replay(last - 1050);
  expect(status).toBe(200);
  expect(requests).toBeGreaterThan(2000 / 35 - 1);
  expect(requests).toBeLessThan(2000 / 35 + 1);
  // Forward is for nothing.
  expect(await replay(last)).toEqual([200, 0]);
  expect((await replay(0))[0]).toBe(200);
  expect((await replay(1))[0]).toBe(429);
  await useUpLimit(table, organization.id, -2_000_000);
  expect((await send(getWebhook, undefined, path)).body.checkpoint).toBe(0);
});

test('a webhook that begins further back counts likewise, and one that does not as itself', async () => {
  expect(await countOf(() => send(createWebhook, { url }))).toEqual([201, 0]);
  const begin = (after: number) => countOf(() => send(createWebhook, { url, after }));
  const [status, requests] = await begin(last - 1000);
  expect(status).toBe(201);
  expect(requests).toBeGreaterThan(2000 / 35 - 1);
  expect(requests).toBeLessThan(2000 / 35 + 1);
  expect((await begin(0))[0]).toBe(201);
  expect((await begin(0))[0]).toBe(429);
});
