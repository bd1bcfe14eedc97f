import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { changeTypes } from '../../../lib/changes/change.ts';
import { mostWebhooks } from '../../../lib/organizations/limits.ts';
import { idempotencyKey } from '../../../lib/table/keys.ts';
import type { Answer } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const { tableName } = inject('service');
const url = 'https://hooks.example.com/leads';
/** Of a type that nothing here brings about, so that nothing is posted. */
const quiet = { url, types: ['stars.depleted'] };
const outcome = ({ status, body }: Answer) => body?.error?.code ?? status;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const match = (etag: string) => ({ headers: { 'if-match': etag } });

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});
const made = async (fields: object = {}, by = organization) =>
  (await by.post('/webhooks', { ...quiet, ...fields })).body;

describe('a webhook', () => {
  test('comes back as it was sent, with its secret in the first answer only', async () => {
    const own = await provision();
    const sent = {
      url: `${url}?a=%20`,
      types: ['lead.deleted', 'lead.created'],
      description: ' ä 🦄 ',
    };
    const { status, headers, body } = await own.post('/webhooks', sent);
    expect([status, headers.get('etag')]).toEqual([201, '"1"']);
    const { secret, ...webhook } = body;
    expect(secret).toMatch(/^whsec_/);
    expect(webhook).toMatchObject({
      ...sent,
      status: 'active',
      failures: 0,
      waiting: 0,
      given_up: 0,
    });
    const read = await own.get(`/webhooks/${webhook.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([webhook, '"1"']);
    expect((await own.get('/webhooks')).body).toEqual({ items: [webhook], next_cursor: null });
  });

  test('with its address alone is for changes of every type', async () => {
    const own = await provision();
    const { body } = await own.post('/webhooks', { url });
    expect(body).toMatchObject({ url, types: null, description: null });
    await own.delete(`/webhooks/${body.id}`);
  });

  test('says who made it, also once that member is gone and others have changed it', async () => {
    const own = await provision();
    const { admin } = own.users;
    const { body } = await own.post('/webhooks', quiet, { role: 'admin' });
    expect(body.created_by).toBe(admin);
    await own.patch(`/webhooks/${body.id}`, { description: 'A' });
    expect((await own.delete(`/members/${admin}`)).status).toBe(204);
    expect((await own.get(`/webhooks/${body.id}`, { role: 'admin' })).status).toBe(403);
    expect((await own.get('/webhooks')).body.items).toMatchObject([{ created_by: admin }]);
    expect((await made({}, own)).created_by).toBe(own.users.owner);
  });

  test('begins at the end of the feed, or where it is told to', async () => {
    const own = await provision();
    await own.lead();
    const last = async () => (await own.get('/changes')).body.last_sequence;
    await eventually(last, (sequence) => sequence === 1);
    const at = async (fields: object) =>
      (await own.post('/webhooks', { ...quiet, ...fields })).body;
    expect((await at({})).checkpoint).toBe(1);
    expect((await at({ after: 1 })).checkpoint).toBe(1);
    expect((await at({ after: 0 })).checkpoint).toBe(0);
    const { error } = await at({ after: 2 });
    expect(error.details).toEqual([
      { path: 'after', message: 'must not be beyond the last change' },
    ]);
  });

  test('is changed by a merge patch, on its version if that is named', async () => {
    const { id } = await made({ description: 'one' });
    const path = `/webhooks/${id}`;
    const changed = await organization.patch(path, { description: null, types: null });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(changed.body).toMatchObject({ url, description: null, types: null });
    expect((await organization.get(path)).body).toEqual(changed.body);
    await organization.patch(path, { types: quiet.types });
    expect(outcome(await organization.patch(path, { description: 'x' }, match('"2"')))).toBe(
      'precondition_failed',
    );
    expect(outcome(await organization.patch(path, { description: 'x' }, match('"3"')))).toBe(200);
    expect(outcome(await organization.delete(path, match('"3"')))).toBe('precondition_failed');
    expect(outcome(await organization.delete(path, match('"4"')))).toBe(204);
  });

  test('that is disabled can be active again; nobody else pauses it', async () => {
    const { id } = await made();
    const status = async (status: string) =>
      outcome(await organization.patch(`/webhooks/${id}`, { status }));
    const now = async () => (await organization.get(`/webhooks/${id}`)).body.status;
    expect([await status('disabled'), await now()]).toEqual([200, 'disabled']);
    expect([await status('active'), await now()]).toEqual([200, 'active']);
    expect([await status('paused'), await now()]).toEqual(['invalid_request', 'active']);
    await organization.delete(`/webhooks/${id}`);
  });

  test('that is deleted is gone, and makes room', async () => {
    const own = await provision();
    const all = await Promise.all(
      Array.from({ length: mostWebhooks + 3 }, () => own.post('/webhooks', quiet)),
    );
    const ids = all.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(ids).toHaveLength(mostWebhooks);
    expect(new Set(all.map(outcome))).toEqual(new Set([201, 'limit_reached']));
    expect((await own.get('/webhooks')).body.items).toHaveLength(mostWebhooks);
    expect(outcome(await own.delete(`/webhooks/${ids[0]}`))).toBe(204);
    for (const path of ['', '/deliveries']) {
      expect(outcome(await own.get(`/webhooks/${ids[0]}${path}`))).toBe('not_found');
    }
    expect(outcome(await own.delete(`/webhooks/${ids[0]}`))).toBe('not_found');
    expect(outcome(await own.post('/webhooks', quiet))).toBe(201);
    expect(outcome(await own.post('/webhooks', quiet))).toBe('limit_reached');
  });
});

describe('an unknown webhook is not found, by each operation', () => {
  const calls: [string, (path: string) => Promise<Answer>, number][] = [
    ['read', (path) => organization.get(path), 200],
    ['its deliveries', (path) => organization.get(`${path}/deliveries`), 200],
    ['changed', (path) => organization.patch(path, { description: 'x' }), 200],
    ['a secret', (path) => organization.post(`${path}/secret`, undefined), 201],
    ['a replay', (path) => organization.post(`${path}/replay`, { after: 0 }), 200],
    ['a test', (path) => organization.post(`${path}/test`, undefined), 202],
    ['deleted', (path) => organization.delete(path), 204],
  ];
  test('while one that is there is found', async () => {
    const { id } = await made();
    for (const [name, ask, status] of calls) {
      expect([name, outcome(await ask(`/webhooks/${id}`))]).toEqual([name, status]);
      const unknown = await ask(`/webhooks/${randomUUID()}`);
      expect([name, outcome(unknown)]).toEqual([name, 'not_found']);
      expect([name, outcome(await ask('/webhooks/1'))]).toEqual([name, 'invalid_request']);
    }
  });
});

describe('every wrong field is named', () => {
  test.each<[object, string]>([
    [{}, 'url'],
    [{ url: null }, 'url'],
    [{ url, types: [] }, 'types'],
    [{ url, types: ['lead.created', 'lead.created'] }, 'types'],
    [{ url, types: ['lead.created', 'webhook.test'] }, 'types.1'],
    [{ url, types: [...changeTypes, 'lead.created'] }, 'types'],
    [{ url, description: ' ' }, 'description'],
    [{ url, description: 'x'.repeat(201) }, 'description'],
    [{ url, after: -1 }, 'after'],
    [{ url, after: '0' }, 'after'],
    [{ url, secret: 'whsec_mine' }, 'secret'],
    [{ url, status: 'disabled' }, 'status'],
  ])('case %#', async (body, path) => {
    const { body: answer } = await organization.post('/webhooks', body);
    const paths = answer.error.details.map((one: { path: string }) => one.path);
    expect([...new Set(paths)]).toEqual([path]);
  });

  // Which addresses are refused is tested in test/unit/webhooks/endpoint/address.test.ts.
  test('whatever an address is refused for: it is told that it is, and nothing of where it leads', async () => {
    const rule =
      'must be an https address on the public internet, on port 443 or from 1024 on, without user name, password and #part';
    const { error } = (await organization.post('/webhooks', { url: 'https://10.0.0.1/' })).body;
    expect(error.details).toEqual([{ path: 'url', message: rule }]);
  });

  test('of a replay too', async () => {
    const { id } = await made();
    for (const after of [-1, null, 10 ** 9]) {
      const { body } = await organization.post(`/webhooks/${id}/replay`, { after });
      expect(body.error.details[0].path).toBe('after');
    }
    await organization.delete(`/webhooks/${id}`);
  });
});

describe('a request that is repeated with its key', () => {
  test('makes one webhook, and is told its secret again, which no record holds', async () => {
    const own = await provision();
    const key = randomUUID();
    const first = await own.post('/webhooks', quiet, keyed(key));
    const again = await own.post('/webhooks', quiet, keyed(key));
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await own.get('/webhooks')).body.items).toHaveLength(1);
    const Key = idempotencyKey(own.id, own.users.owner, `createWebhook#${key}`);
    const record = await table.send(new GetCommand({ TableName: tableName, Key }));
    expect(record.Item?.reply).toContain(first.body.id);
    expect(JSON.stringify(record.Item)).not.toContain('whsec_');
    // Once it has been replaced twice, there is no such secret any more.
    const path = `/webhooks/${first.body.id}/secret`;
    const rotation = randomUUID();
    const second = await own.post(path, undefined, keyed(rotation));
    expect((await own.post(path, undefined, keyed(rotation))).body).toEqual(second.body);
    expect((await own.post('/webhooks', quiet, keyed(key))).body).toEqual(first.body);
    await own.post(path, undefined);
    expect((await own.post('/webhooks', quiet, keyed(key))).body).toEqual({
      ...first.body,
      secret: null,
    });
    expect((await own.post(path, undefined, keyed(rotation))).body).toEqual(second.body);
  });

  test('sends one test', async () => {
    const { id } = await made();
    const key = randomUUID();
    const tests = await Promise.all(
      [1, 2, 3].map(() => organization.post(`/webhooks/${id}/test`, undefined, keyed(key))),
    );
    expect(new Set(tests.map(({ body }) => body.delivery_id)).size).toBe(1);
    await organization.delete(`/webhooks/${id}`);
  });
});
