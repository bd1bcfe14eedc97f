import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { feedStart } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { quiet } from './hooks.ts';

const { url } = quiet;

test('a webhook comes back as it was sent, with who made it, also once that member is gone', async () => {
  const organization = await provision();
  const types = ['lead.deleted', 'lead.created'];
  const sent = { url: `${url}?a=%20`, types, description: ' ä 🦄 ' };
  const { status, headers, body } = await organization.post('/webhooks', sent, { role: 'admin' });
  expect([status, headers.get('etag')]).toEqual([201, '"1"']);
  const { secret, ...webhook } = body;
  expect(secret).toMatch(/^whsec_/);
  const { admin } = organization.users;
  const fresh = { status: 'active', failures: 0, waiting: 0, given_up: 0, created_by: admin };
  expect(webhook).toMatchObject({ ...sent, ...fresh });
  expect((await organization.delete(`/members/${admin}`)).status).toBe(200);
  // It passes over what it is not for.
  const items = [{ ...webhook, checkpoint: expect.any(Number) }];
  const list = { items, next_cursor: null };
  expect((await organization.get('/webhooks')).body).toEqual(list);
  const { body: plain } = await organization.post('/webhooks', { url });
  expect(plain).toMatchObject({ types: null, description: null });
});

test('a webhook begins at the end of the feed, or where it is told to', async () => {
  const organization = await provision();
  const last = 1 + (await feedStart(organization));
  await organization.lead();
  const read = async () => (await organization.get('/changes')).body;
  const { feed_id } = await eventually(read, ({ last_sequence }) => last_sequence === last);
  const at = async (fields: object) =>
    (await organization.post('/webhooks', { ...quiet, ...fields })).body;
  expect((await at({})).checkpoint).toBe(last);
  expect((await at({ after: last })).checkpoint).toBe(last);
  expect((await at({ after: 0 })).checkpoint).toBe(0);
  // Each of them is a change.
  await eventually(read, ({ last_sequence }) => last_sequence === last + 3);
  const message = `must be at most ${last + 3}, the number of the last change`;
  const beyond = { path: 'after', message, last_sequence: last + 3, feed_id };
  expect((await at({ after: last + 4 })).error.details).toEqual([beyond]);
});

let own: Organization;
beforeAll(async () => {
  own = await provision();
});

// Which addresses are refused is tested in test/unit/webhooks/endpoint/address.test.ts.
test.each<[object, string]>([
  [{ url: 'https://10.0.0.1/' }, 'url'],
  [{ types: ['lead.created', 'lead.created'] }, 'types'],
  [{ secret: 'whsec_mine' }, 'secret'],
])('a webhook with %j is refused, and the field is named', async (fields, path) => {
  const { body } = await own.post('/webhooks', { ...quiet, ...fields });
  const paths = body.error.details.map((detail: { path: string }) => detail.path);
  expect(new Set(paths)).toEqual(new Set([path]));
});

test('a repeat with its key makes no webhook, and is told the secret again, which no record holds', async () => {
  const organization = await provision();
  const key = randomUUID();
  const create = () =>
    organization.post('/webhooks', quiet, { headers: { 'idempotency-key': key } });
  const [first, again] = [await create(), await create()];
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect((await organization.get('/webhooks')).body.items).toHaveLength(1);
  const { owner } = organization.users;
  const Key = places.idempotencyRecord.key({
    organizationId: organization.id,
    userId: owner,
    record: `createWebhook#${key}`,
  });
  const { tableName: TableName } = inject('service');
  const record = await table.send(new GetCommand({ TableName, Key }));
  expect(record.Item?.reply).toContain(first.body.id);
  expect(JSON.stringify(record.Item)).not.toContain('whsec_');
  // Once it has been replaced twice, there is no such secret any more.
  const rotate = () => organization.post(`/webhooks/${first.body.id}/secret`, undefined);
  await rotate();
  expect((await create()).body).toEqual(first.body);
  await rotate();
  expect((await create()).body).toEqual({ ...first.body, secret: null });
});
