import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { changeTypes } from '../../../lib/changes/change.ts';
import { mostWebhooks } from '../../../lib/organizations/limits.ts';
import { idempotencyKey } from '../../../lib/table/keys.ts';
import { type Answer, outcome } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const url = 'https://hooks.example.com/leads';
/** Of a type that nothing here brings about, so that nothing is posted. */
const quiet = { url, types: ['stars.depleted'] };

let own: Organization;
beforeAll(async () => {
  own = await provision();
});
const made = async (fields: object = {}) =>
  (await own.post('/webhooks', { ...quiet, ...fields })).body;

/** A webhook of its own, which is taken away afterwards: there may be ten. */
const withWebhook = async (work: (path: string) => Promise<void>) => {
  const path = `/webhooks/${(await made()).id}`;
  await work(path);
  expect(outcome(await own.delete(path))).toBe(204);
};

test('a webhook comes back as it was sent, with who made it, and its secret in the first answer only', async () => {
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
  const read = await organization.get(`/webhooks/${webhook.id}`);
  expect([read.body, read.headers.get('etag')]).toEqual([webhook, '"1"']);
  // Also once that member is gone.
  expect((await organization.delete(`/members/${admin}`)).status).toBe(204);
  const list = { items: [webhook], next_cursor: null };
  expect((await organization.get('/webhooks')).body).toEqual(list);
  const { body: plain } = await organization.post('/webhooks', { url });
  expect(plain).toMatchObject({ types: null, description: null });
});

test('it begins at the end of the feed, or where it is told to', async () => {
  const organization = await provision();
  await organization.lead();
  const last = async () => (await organization.get('/changes')).body.last_sequence;
  await eventually(last, (sequence) => sequence === 1);
  const at = async (fields: object) =>
    (await organization.post('/webhooks', { ...quiet, ...fields })).body;
  expect((await at({})).checkpoint).toBe(1);
  expect((await at({ after: 1 })).checkpoint).toBe(1);
  expect((await at({ after: 0 })).checkpoint).toBe(0);
  const { body: feed } = await organization.get('/changes');
  const beyond = {
    path: 'after',
    message: 'must be at most 1, the number of the last change',
    last_sequence: 1,
    feed_id: feed.feed_id,
  };
  expect((await at({ after: 2 })).error.details).toEqual([beyond]);
  const { id } = await at({});
  const replay = async (after: number) =>
    (await organization.post(`/webhooks/${id}/replay`, { after })).body;
  expect((await replay(1)).checkpoint).toBe(1);
  expect((await replay(2)).error.details).toEqual([beyond]);
});

test('it is changed by a merge patch, on its version if that is named', () =>
  withWebhook(async (path) => {
    const changed = await own.patch(path, { description: 'A', types: null, status: 'disabled' });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    const fields = { url, description: 'A', types: null, status: 'disabled' };
    expect(changed.body).toMatchObject(fields);
    expect((await own.get(path)).body).toEqual(changed.body);
    const match = (etag: string) => ({ headers: { 'if-match': etag } });
    const patch = { status: 'active' };
    expect(outcome(await own.patch(path, patch, match('"1"')))).toBe('precondition_failed');
    expect((await own.patch(path, patch, match('"2"'))).body.status).toBe('active');
    expect(outcome(await own.delete(path, match('"2"')))).toBe('precondition_failed');
    // Nobody else pauses it.
    expect(outcome(await own.patch(path, { status: 'paused' }))).toBe('invalid_request');
  }));

test('there are ten at most, and one that is deleted is gone, and makes room', async () => {
  const organization = await provision();
  const all = await Promise.all(
    Array.from({ length: mostWebhooks + 3 }, () => organization.post('/webhooks', quiet)),
  );
  const ids = all.filter(({ status }) => status === 201).map(({ body }) => body.id);
  expect(ids).toHaveLength(mostWebhooks);
  expect(new Set(all.map(outcome))).toEqual(new Set([201, 'limit_reached']));
  expect((await organization.get('/webhooks')).body.items).toHaveLength(mostWebhooks);
  const path = `/webhooks/${ids[0]}`;
  expect(outcome(await organization.delete(path))).toBe(204);
  expect(outcome(await organization.get(path))).toBe('not_found');
  expect(outcome(await organization.delete(path))).toBe('not_found');
  expect(outcome(await organization.post('/webhooks', quiet))).toBe(201);
  expect(outcome(await organization.post('/webhooks', quiet))).toBe('limit_reached');
});

test.each<[string, (path: string) => Promise<Answer>, number]>([
  ['read', (path) => own.get(path), 200],
  ['its deliveries', (path) => own.get(`${path}/deliveries`), 200],
  ['changed', (path) => own.patch(path, { description: 'x' }), 200],
  ['a secret', (path) => own.post(`${path}/secret`, undefined), 201],
  ['a replay', (path) => own.post(`${path}/replay`, { after: 0 }), 200],
  ['a test', (path) => own.post(`${path}/test`, undefined), 202],
])('one that is unknown is not found, and one that is there is: %s', (_what, ask, status) =>
  withWebhook(async (path) => {
    expect(outcome(await ask(path))).toBe(status);
    expect(outcome(await ask(`/webhooks/${randomUUID()}`))).toBe('not_found');
    expect(outcome(await ask('/webhooks/1'))).toBe('invalid_request');
  }),
);

describe('every wrong field is named', () => {
  const pathsOf = ({ body }: Answer) =>
    new Set(body.error.details.map(({ path }: { path: string }) => path));

  // Which addresses are refused is tested in test/unit/webhooks/endpoint/address.test.ts.
  test.each<[object, string]>([
    [{ url: undefined }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ types: [] }, 'types'],
    [{ types: ['lead.created', 'lead.created'] }, 'types'],
    [{ types: ['lead.created', 'webhook.test'] }, 'types.1'],
    [{ types: [...changeTypes, 'lead.created'] }, 'types'],
    [{ description: ' ' }, 'description'],
    [{ description: 'x'.repeat(201) }, 'description'],
    [{ after: -1 }, 'after'],
    [{ secret: 'whsec_mine' }, 'secret'],
    [{ status: 'disabled' }, 'status'],
  ])('%j', async (fields, path) => {
    const answer = await own.post('/webhooks', { ...quiet, ...fields });
    expect(pathsOf(answer)).toEqual(new Set([path]));
  });

  test('of a replay too', () =>
    withWebhook(async (path) => {
      for (const after of [-1, null, 10 ** 9]) {
        expect(pathsOf(await own.post(`${path}/replay`, { after }))).toEqual(new Set(['after']));
      }
    }));
});

describe('a request that is repeated with its key', () => {
  test('makes one webhook, and is told its secret again, which no record holds', async () => {
    const organization = await provision();
    const post = async (path: string, body: unknown, key: string) =>
      organization.post(path, body, { headers: { 'idempotency-key': key } });
    const key = randomUUID();
    const create = () => post('/webhooks', quiet, key);
    const [first, again] = [await create(), await create()];
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await organization.get('/webhooks')).body.items).toHaveLength(1);
    const { owner } = organization.users;
    const Key = idempotencyKey(organization.id, owner, `createWebhook#${key}`);
    const { tableName: TableName } = inject('service');
    const record = await table.send(new GetCommand({ TableName, Key }));
    expect(record.Item?.reply).toContain(first.body.id);
    expect(JSON.stringify(record.Item)).not.toContain('whsec_');
    // Once it has been replaced twice, there is no such secret any more.
    const path = `/webhooks/${first.body.id}/secret`;
    const rotation = randomUUID();
    const rotate = () => post(path, undefined, rotation);
    const second = await rotate();
    expect((await rotate()).body).toEqual(second.body);
    expect((await create()).body).toEqual(first.body);
    await organization.post(path, undefined);
    expect((await create()).body).toEqual({ ...first.body, secret: null });
    expect((await rotate()).body).toEqual(second.body);
  });

  test('sends one test', () =>
    withWebhook(async (path) => {
      const keyed = { headers: { 'idempotency-key': randomUUID() } };
      const tests = await Promise.all(
        [1, 2, 3].map(() => own.post(`${path}/test`, undefined, keyed)),
      );
      expect(new Set(tests.map(({ body }) => body.delivery_id)).size).toBe(1);
    }));
});
