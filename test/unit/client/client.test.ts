import { expect, test } from 'vitest';
import { ApiError, ConnectionError, createClient } from '../../../packages/client/src/index.ts';
import { allOf } from './support.ts';

// What a call sends, and what it makes of the answer. By a real service: test/tools/client/client.test.ts. What is sent again:
// retry.test.ts.

const organizationId = '0b861954-ed91-4e84-8458-6e46c6a6d30c';
const id = '0b861954-ed91-4e84-8458-6e46c6a6d30d';

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  text: string;
  signal: AbortSignal;
}

/** A client of a service that answers these, one after the other, and what it was sent. */
const clientOf = (...answers: (() => Response)[]) => {
  const sent: Sent[] = [];
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId,
    token: 't',
    retry: { attempts: 1 },
    fetch: async (input) => {
      const { method, url, headers, signal } = input as Request;
      sent.push({ method, url, headers, signal, text: await (input as Request).text() });
      return answers[Math.min(sent.length, answers.length) - 1]!();
    },
  });
  return { api, sent };
};

const json = (body: object, init?: ResponseInit) => () => Response.json(body, init);
const path = { lead_id: id };

test.each<[string, (api: ReturnType<typeof clientOf>['api']) => Promise<object>, string, boolean]>([
  ['get', (api) => api.get('/leads/{lead_id}', { path }), `GET /leads/${id}`, false],
  ['post', (api) => api.post('/leads', { body: {} as never }), 'POST /leads', true],
  ['patch', (api) => api.patch('/leads/{lead_id}', { path, body: {} }), `PATCH /leads/${id}`, true],
  [
    'put',
    (api) => api.put('/members/{user_id}', { path: { user_id: id }, body: { role: 'agent' } }),
    `PUT /members/${id}`,
    true,
  ],
  ['delete', (api) => api.delete('/leads/{lead_id}', { path }), `DELETE /leads/${id}`, true],
  // Its own id makes it happen once.
  [
    'put of a spend',
    (api) => api.put('/billing/spends/{event_id}', { path: { event_id: 'e' }, body: { stars: 1 } }),
    'PUT /billing/spends/e',
    false,
  ],
  [
    'post of spends',
    (api) => api.post('/billing/spends', { body: { spends: [] } }),
    'POST /billing/spends',
    false,
  ],
  [
    'erasing',
    (api) => api.post('/leads/{lead_id}/erase', { path }),
    `POST /leads/${id}/erase`,
    false,
  ],
])(
  'the request of %s goes to its address, with a key where it takes one',
  async (_, call, line, hasKey) => {
    const { api, sent } = clientOf(json({}));
    await call(api);
    const [{ method, url, headers }] = sent as [Sent];
    expect(`${method} ${url.replace('http://service.test/v1', '')}`).toBe(line);
    expect(headers.get('authorization')).toBe('Bearer t');
    expect(headers.get('x-organization-id')).toBe(organizationId);
    expect(headers.has('idempotency-key')).toBe(hasKey);
    expect(headers.has('if-match')).toBe(false);
  },
);

test('a call sends its query, its body, its key and its version', async () => {
  const { api, sent } = clientOf(json({ items: [], next_cursor: null }));
  await api.get('/leads', { query: { stage: ['a b'], tag: ['x', 'y'], limit: 2 } });
  expect(decodeURIComponent(sent[0]!.url)).toMatch(/\/leads\?stage=a b&tag=x&tag=y&limit=2$/);
  const request = { path, body: { stage: 'won' }, ifMatch: '"1"', idempotencyKey: id };
  await api.patch('/leads/{lead_id}', request);
  const [, { headers, text }] = sent as [Sent, Sent];
  expect(JSON.parse(text)).toEqual({ stage: 'won' });
  expect(headers.get('idempotency-key')).toBe(id);
  expect(headers.get('if-match')).toBe('"1"');
});

test('an answer is its body, its status, its version and its request, and whether it is a repeat', async () => {
  const headers = { etag: '"2"', 'x-request-id': 'r', 'idempotency-replayed': 'true' };
  const { api } = clientOf(
    json({ id }, { status: 201, headers }),
    json({ id }, { headers: { 'idempotency-replayed': 'false' } }),
    () => new Response(null, { status: 204 }),
    () => new Response('', { status: 202 }),
    json({ at: 1 }, { status: 202 }),
  );
  const get = () => api.get('/leads/{lead_id}', { path });
  const none = { etag: undefined, replayed: false, requestId: undefined };
  const told = { etag: '"2"', replayed: true, requestId: 'r' };
  expect(await get()).toEqual({ data: { id }, status: 201, ...told });
  expect(await get()).toEqual({ data: { id }, status: 200, ...none });
  expect(await get()).toEqual({ data: undefined, status: 204, ...none });
  expect(await get()).toEqual({ data: undefined, status: 202, ...none });
  expect(await get()).toEqual({ data: { at: 1 }, status: 202, ...none });
});

const failureOf = async (answer: () => Response) => {
  const { api } = clientOf(answer);
  return api.get('/me').then(
    () => undefined,
    (error: Error) => error,
  );
};

test('a refusal is an ApiError with all that the API says', async () => {
  const details = [{ path: 'a', message: 'is wrong' }];
  const error = { code: 'invalid_request', message: 'Look here.', details, request_id: 'r' };
  const headers = { 'x-request-id': 'r' };
  const refused = await failureOf(json({ error }, { status: 400, headers }));
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({
    ...{ name: 'ApiError', code: 'invalid_request', status: 400, requestId: 'r', details },
    message: 'Look here.',
  });
  const short = await failureOf(
    json({ error: { code: 'forbidden', message: 'No.' } }, { status: 403 }),
  );
  expect(short).toMatchObject({ code: 'forbidden', requestId: undefined, details: [] });
});

test.each([
  ['a page', 200, '<html>'],
  ['nothing', 200, ''],
  ['half of it', 200, '{"id":'],
  ['a page', 502, '<html>'],
])('what is no answer of the API is told as that: %s, with %i', async (_, status, text) => {
  const error = await failureOf(() => new Response(text, { status }));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    ...{ code: 'unknown', status, details: [] },
    message: `The answer was ${status}, and none of the API’s.`,
  });
});

test('without an answer it is a ConnectionError, which says why', async () => {
  const cause = new TypeError('fetch failed');
  const error = await failureOf(() => {
    throw cause;
  });
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({
    ...{ name: 'ConnectionError', message: 'The API could not be reached.', cause },
  });
});

test('a list is read page by page, each with the same query and the cursor of the one before', async () => {
  const page = (ids: string[], next_cursor: string | null) =>
    json({ items: ids.map((one) => ({ id: one })), next_cursor });
  const pages = [page(['1', '2'], 'a'), page([], 'b'), page(['3'], null)];
  const { signal } = new AbortController();
  const request = { query: { stage: ['new'], limit: 2 }, signal };
  const queriesOf = (sent: Sent[]) => sent.map(({ url }) => new URL(url).search);
  const queries = ['', '&cursor=a', '&cursor=b'].map((more) => `?stage=new&limit=2${more}`);

  const byPage = clientOf(...pages);
  expect(await allOf(byPage.api.pages('/leads', request))).toEqual([
    [{ id: '1' }, { id: '2' }],
    [],
    [{ id: '3' }],
  ]);
  expect(queriesOf(byPage.sent)).toEqual(queries);
  const byItem = clientOf(...pages);
  expect(await allOf(byItem.api.items('/leads', request))).toEqual([
    { id: '1' },
    { id: '2' },
    { id: '3' },
  ]);
  expect(queriesOf(byItem.sent)).toEqual(queries);
  // Without a request, and no further than somebody asks for it.
  const first = clientOf(...pages);
  for await (const one of first.api.items('/leads')) {
    expect(one).toEqual({ id: '1' });
    break;
  }
  expect(queriesOf(first.sent)).toEqual(['']);
  const whole = clientOf(...pages);
  expect((await allOf(whole.api.pages('/leads'))).length).toBe(3);
});

test('an abort reaches each request of a list', async () => {
  const reason = new Error('not wanted any more');
  const aborting = new AbortController();
  const { api, sent } = clientOf(json({ items: [{ id }], next_cursor: 'a' }));
  const reading = async () => {
    for await (const _ of api.items('/leads', { signal: aborting.signal })) aborting.abort(reason);
  };
  await expect(reading()).rejects.toBe(reason);
  expect(sent).toHaveLength(1);
});
