import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { ApiError, createClient, SpendLimitError } from '../../../packages/client/src/index.ts';
import { routed } from '../../support/api.ts';
import { ClientFaults, type Fate } from '../../support/faults/client-faults.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { type Organization, provision } from '../../support/organization.ts';

let organization: Organization;
let proxy: FaultProxy;
const faults = new ClientFaults();

beforeAll(async () => {
  [organization, proxy] = await Promise.all([
    provision(),
    FaultProxy.start(inject('service').baseUrl, [faults.step]),
  ]);
});
afterEach(() => {
  faults.fates = [];
  faults.seen = [];
});
afterAll(() => proxy.close());

const client = () =>
  createClient({
    baseUrl: proxy.endpoint,
    organizationId: organization.id,
    token: async () => organization.tokens.owner,
    retry: { firstDelayMs: 1 },
  });
const input = (fields = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  ...fields,
});
const rejection = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not reject',
    (error: unknown) => error,
  );

test('an API key and an organization are given once, and go with every call', async () => {
  const { data: made } = await client().post('/keys', { body: { name: 'Robot', role: 'viewer' } });
  const { baseUrl } = inject('service');
  const { id: organizationId } = organization;
  const apiKey = made.key ?? '';
  for (const given of [apiKey, async () => apiKey]) {
    const robot = createClient({ baseUrl, organizationId, apiKey: given });
    const { data: me } = await robot.get('/me');
    expect(me.api_key).toMatchObject({ id: made.id, name: 'Robot', role: 'viewer' });
    expect((await robot.get('/leads')).status).toBe(200);
    const refusal = await rejection(robot.delete('/keys/{key_id}', { path: { key_id: made.id } }));
    expect(refusal).toMatchObject({ code: 'forbidden' });
  }
});

test('calls each method with typed paths, queries and bodies', async () => {
  const api = client();
  const { data: lead, etag, status } = await api.post('/leads', { body: input() });
  expect([lead.contact_name, status, etag]).toEqual(['Maria Silva', 201, '"1"']);
  const path = { lead_id: lead.id };
  const won = await api.patch('/leads/{lead_id}', { path, body: { stage: 'won' }, ifMatch: etag });
  expect([won.data.stage, won.etag]).toEqual(['won', '"2"']);
  expect((await api.get('/leads/{lead_id}', { path })).data).toEqual(won.data);
  expect((await api.get('/leads', { query: { stage: ['won'], limit: 1 } })).data.items).toEqual([
    won.data,
  ]);
  expect((await api.delete('/leads/{lead_id}', { path })).data).toBeUndefined();
  const user = { user_id: crypto.randomUUID() };
  const { data } = await api.put('/members/{user_id}', { path: user, body: { role: 'agent' } });
  expect(data).toEqual({ ...user, role: 'agent', name: null });
  // @ts-expect-error: there is no such path,
  await rejection(api.get('/lead'));
  // @ts-expect-error: no such field,
  await rejection(api.post('/leads', { body: input({}), colour: 'blue' }));
  // @ts-expect-error: and the path's parameter is missing.
  await rejection(api.get('/leads/{lead_id}'));
});

test('what is beyond a spend limit is an error that has the limit', async () => {
  const rich = await provision({ wallet: { pack_stars: 50 } });
  const { baseUrl } = inject('service');
  const api = createClient({ baseUrl, organizationId: rich.id, token: rich.tokens.owner });
  const path = { kind: 'default', name: 'spender' } as const;
  await api.put('/billing/limits/{kind}/{name}', { path, body: { stars: 20, period: 'total' } });
  const spend = (stars: number) =>
    rejection(
      api.put('/billing/spends/{event_id}', {
        path: { event_id: `${stars}` },
        body: { stars, spender: 'agent-7' },
      }),
    );
  const limit = { kind: 'spender', name: 'agent-7', by_default: true, period: 'total' };
  const beyond = await spend(21);
  expect(beyond).toBeInstanceOf(SpendLimitError);
  expect(beyond).toMatchObject({
    ...{ name: 'SpendLimitError', code: 'spend_limit_reached', status: 402 },
    limit: { ...limit, left_stars: 20, resets_at: null },
  });
  const tooMany = await spend(51);
  expect(tooMany).toBeInstanceOf(ApiError);
  expect(tooMany).not.toBeInstanceOf(SpendLimitError);
  expect(await spend(20)).toBe('it did not reject');
});

test('asks who the user is before an organization is chosen, and nothing else', async () => {
  const token = organization.tokens.support;
  const api = createClient({ baseUrl: proxy.endpoint, token });
  const { data } = await api.get('/me');
  const own = { id: organization.id, name: 'Test', role: 'support' };
  expect(data).toEqual({ user_id: organization.users.support, organizations: [own] });
  expect((await client().get('/me')).data.organizations.length).toBe(1);
  // @ts-expect-error: this needs an organization,
  await rejection(api.get('/leads'));
  // @ts-expect-error: and nothing can be changed without one.
  expect(api.post).toBeDefined();
});

test('a refusal is an ApiError with all that the API says, and is not tried again', async () => {
  const error = await rejection(client().post('/leads', { body: input({ email: 'maria' }) }));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    code: 'invalid_request',
    status: 400,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    details: [{ path: 'email', message: 'must be an email address' }],
  });
  expect(faults.seen.length).toBe(1);
});

test('lists are read to their end, a page at a time as they are asked for', async () => {
  const tag = crypto.randomUUID();
  for (let i = 0; i < 5; i++) await organization.lead({ tags: [tag] });
  const request = { query: { tag: [tag], limit: 2 } };
  const ids: string[] = [];
  for await (const { id } of client().items('/leads', request)) ids.push(id);
  const expected = await organization.readAll(`/leads?tag=${tag}`);
  expect(ids).toEqual(expected.map(({ id }) => id));
  expect(faults.seen.length).toBe(3);

  faults.seen = [];
  faults.fates = ['passes', 'loses its reply'];
  const sizes: number[] = [];
  for await (const page of client().pages('/leads', request)) sizes.push(page.length);
  expect([sizes, faults.seen.length]).toEqual([[2, 2, 1], 4]);

  faults.seen = [];
  for await (const _ of client().items('/leads', request)) break;
  expect(faults.seen.length).toBe(1);
});

const fates: Fate[] = ['is lost', 'loses its reply', 'loses half its reply', 429, 503];

test.each(fates)(
  'a request that meets “%s” is repeated with its key, and has its effect once',
  async (fate) => {
    const before = (await organization.readAll('/leads')).length;
    faults.fates = [fate, fate];
    const { data, replayed } = await client().post('/leads', { body: input() });
    expect(faults.seen.length).toBe(3);
    const keys = faults.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(replayed).toBe(String(fate).includes('reply'));
    const after = await organization.readAll('/leads');
    expect([after.length, after[0].id]).toEqual([before + 1, data.id]);
  },
);

test('a change on a version that loses its reply is not refused for what it did itself', async () => {
  const { id } = await organization.lead();
  faults.fates = ['loses its reply'];
  const request = { path: { lead_id: id }, body: { stage: 'won' }, ifMatch: '"1"' };
  const { data, etag } = await client().patch('/leads/{lead_id}', request);
  expect([data.stage, etag, faults.seen.length]).toEqual(['won', '"2"', 2]);
});

test('a member whose removal lost its reply is removed; who never was is not found', async () => {
  const user_id = crypto.randomUUID();
  const path = { user_id };
  await client().put('/members/{user_id}', { path, body: { role: 'viewer' } });
  faults.fates = ['loses its reply'];
  expect((await client().delete('/members/{user_id}', { path })).status).toBe(200);
  const error = await rejection(client().delete('/members/{user_id}', { path }));
  expect(error).toMatchObject({ code: 'not_found' });
});

test('a request has a key where its operation takes one; without one, it is safe to repeat', async () => {
  const withKey: string[] = [];
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: organization.id,
    token: 't',
    fetch: async (request) => {
      const { method, headers, url } = request as Request;
      if (headers.has('idempotency-key')) withKey.push(`${method} ${decodeURI(url)}`);
      return new Response(null, { status: 204 });
    },
  }) as unknown as Record<string, (path: string) => Promise<unknown>>;
  for (const { method, path } of routed) await api[method.toLowerCase()]!(path);
  const taking = routed.filter(({ idempotent }) => idempotent);
  expect(withKey).toEqual(
    taking.map(({ method, path }) => `${method} http://service.test/v1${path}`),
  );
  const unsafe = routed.filter(
    ({ method, idempotent }) => ['POST', 'PATCH'].includes(method) && !idempotent,
  );
  // A repeat finds what is left; ids make spends and the ends of holds happen once; a hold is extended to a time.
  expect(unsafe.map(({ id }) => id).sort()).toEqual(
    ['captureHold', 'createSpends', 'eraseLead', 'releaseHold', 'updateHold'].sort(),
  );
  expect(taking.length).toBeGreaterThan(3);
});

test('custom fields are typed by what the client is told of them', async () => {
  const field = { key: 'age', label: 'Age', type: 'number', filterable: true };
  await organization.post('/fields', field);
  interface Fields {
    age: number;
  }
  const api = createClient<Fields>({
    baseUrl: proxy.endpoint,
    organizationId: organization.id,
    token: organization.tokens.owner,
  });
  const { data } = await api.post('/leads', { body: input({ fields: { age: 7 } }) });
  const age: number | undefined = data.fields.age;
  expect(age).toBe(7);
  const found = await api.get('/leads', { query: { fields: { age: '7' } } });
  expect(found.data.items).toEqual([data]);
  const other = await api.post('/leads', { body: input() });
  const [path, from] = [{ lead_id: other.data.id }, data.id];
  const merged = await api.post('/leads/{lead_id}/merge', { path, body: { from } });
  const mergedAge: number | undefined = merged.data.fields.age;
  expect(mergedAge).toBe(7);
  const body = { fields: { age: null } };
  expect((await api.patch('/leads/{lead_id}', { path, body })).data.fields).toEqual({});
  // @ts-expect-error: no such field,
  const none: unknown = data.fields.colour;
  expect(none).toBeUndefined();
  // @ts-expect-error: and no such value.
  await rejection(api.patch('/leads/{lead_id}', { path, body: { fields: { age: 'seven' } } }));
});
