import { beforeAll, expect, test } from 'vitest';
import { handler as createWebhook } from '../../../../functions/webhooks/create-webhook.ts';
import { handler as listDeliveries } from '../../../../functions/webhooks/list-webhook-deliveries.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { putDelivery, toEvictionDelivery } from '../../../../lib/webhooks/delivery/delivery-log.ts';
import { Organization, run } from '../../support.ts';

const day = 24 * 60 * 60 * 1000;
const hour = 60 * 60 * 1000;

let organization: Organization;
let webhook_id: string;

beforeAll(async () => {
  organization = await Organization.make();
  const headers = organization.headers({ 'Content-Type': 'application/json' });
  const body = JSON.stringify({ url: 'https://hooks.example.com/' });
  webhook_id = (await run(createWebhook, { headers, body })).body.id;
});

/** The log of an attempt that was made so many milliseconds ago. */
const attempt = async (agoMs: number): Promise<string> => {
  const message = { id: organization.id, type: 'lead.created', sequence: 1 } as const;
  const delivery = toEvictionDelivery(message, 1, Date.now() - agoMs);
  await openTable().transact([putDelivery(organization.id, webhook_id, delivery)]);
  return delivery.id;
};

const page = async (limit: number, cursor?: string) => {
  const query = { limit: [String(limit)], ...(cursor && { cursor: [cursor] }) };
  const headers = organization.headers();
  return (await run(listDeliveries, { headers, path: { webhook_id }, query })).body;
};

const listed = async (limit: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 10; pages++) {
    const { items, next_cursor } = await page(limit, cursor);
    ids.push(...items.map(({ id }: { id: string }) => id));
    if (next_cursor === null) return ids;
    cursor = next_cursor;
  }
  throw new Error('the list does not end');
};

test('attempts are listed for 30 days, also where they are deleted late', async () => {
  expect(await listed(1)).toEqual([]);
  for (const agoMs of [30 * day, 30 * day + hour, 90 * day]) await attempt(agoMs);
  for (const limit of [1, 50]) expect(await listed(limit)).toEqual([]);
  const ids: string[] = [];
  for (const agoMs of [30 * day - hour, day, 0]) ids.unshift(await attempt(agoMs));
  for (const limit of [1, 2, 3, 4, 200]) expect(await listed(limit)).toEqual(ids);
});
