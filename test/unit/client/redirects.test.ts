import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { Connection } from '../../../packages/client/src/cli/connection.ts';
import { ApiError, createClient, RedirectError } from '../../../packages/client/src/index.ts';
import { redirects, serviceOf } from './support.ts';

const succeeds: RequestListener = (_request, response) =>
  response.writeHead(200).end('{"id":"other"}');
const breaks: RequestListener = ({ socket }) => socket.destroy();

const organizationId = crypto.randomUUID();
const clientOf = (baseUrl: string, options: { fetch?: typeof fetch } = {}) =>
  createClient({ baseUrl, organizationId, token: 't', retry: { firstDelayMs: 1 }, ...options });
const body = { contact_name: 'Maria', pipeline_id: organizationId };
const methods = ['get', 'post'] as const;
const send = ({ get, post }: ReturnType<typeof clientOf>, method: (typeof methods)[number]) =>
  method === 'get' ? get('/leads') : post('/leads', { body });
const rejection = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not reject',
    (error: unknown) => error as RedirectError,
  );

test.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
  'a request that is answered %i is sent nowhere else, nor again',
  async (status) => {
    const other = await serviceOf(succeeds);
    const location = `${other.baseUrl}/leads`;
    const { baseUrl, asked } = await serviceOf(redirects(status, location));
    const url = `${baseUrl}/leads`;
    for (const method of methods) {
      const error = await rejection(send(clientOf(baseUrl), method));
      expect(error).toBeInstanceOf(RedirectError);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'unknown', status, url, location });
      expect((error as Error).message).toBe(
        `${method.toUpperCase()} ${url} was redirected to ${location}. The API never redirects: see whether the base URL is right. Nothing was carried out.`,
      );
    }
    expect([asked(), other.asked()]).toEqual([2, 0]);
  },
);

test.each([200, 299, 400, 404])(
  'a request that is answered %i is not redirected',
  async (status) => {
    const { baseUrl } = await serviceOf((_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('{}'),
    );
    const outcome = await clientOf(baseUrl)
      .get('/leads')
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject({ status });
    expect(outcome).not.toBeInstanceOf(RedirectError);
  },
);

const byHand = async (request: Request): Promise<Response> => {
  const response = await fetch(request.clone());
  const location = response.headers.get('location');
  return location ? fetch(location, { method: 'GET' }) : response;
};
test.each<[string, (request: Request) => Promise<Response>]>([
  ['follows by itself', (request) => fetch(new Request(request, { redirect: 'follow' }))],
  ['follows by hand', byHand],
])('a client whose own fetch %s takes nothing for what the API answers', async (_how, own) => {
  const fetch: typeof globalThis.fetch = (request) => own(request as Request);
  for (const method of methods) {
    const other = await serviceOf(succeeds);
    const location = `${other.baseUrl}/elsewhere`;
    const { baseUrl, asked } = await serviceOf(redirects(307, location));
    const error = await rejection(send(clientOf(baseUrl, { fetch }), method));
    expect(error).toMatchObject({ name: 'RedirectError', url: `${baseUrl}/leads`, location });
    expect((error as Error).message).toContain('Its fetch followed, so that nobody knows');
    expect([asked(), other.asked()]).toEqual([1, 1]);
    expect((await send(clientOf(other.baseUrl, { fetch }), method)).status).toBe(200);
  }
});

test.each([
  ['/v2/leads#top', (origin: string) => `${origin}/v2/leads#top`],
  ['//other.test/v1', () => 'http://other.test/v1'],
  ['http://[', () => 'http://['],
  [undefined, () => undefined],
])('a redirect may point to %s', async (location, target) => {
  const { baseUrl } = await serviceOf(redirects(302, location));
  const error = await rejection(clientOf(baseUrl).get('/leads'));
  expect(error).toMatchObject({ name: 'RedirectError', location: target(new URL(baseUrl).origin) });
});

/** An answer that says of itself what only a browser, or a real connection, makes. */
const answering = (told: { type?: string; status?: number; url?: string }) => {
  const fetch = async () =>
    Object.defineProperties(
      new Response('{}'),
      Object.fromEntries(Object.entries(told).map(([name, value]) => [name, { value }])),
    );
  return clientOf('http://service.test/v1', { fetch }).get('/leads');
};

test('a browser does not say where a redirect points to', async () => {
  const error = await rejection(answering({ type: 'opaqueredirect', status: 0 }));
  expect(error).toMatchObject({ name: 'RedirectError', location: undefined });
  expect((error as Error).message).toContain('/leads was redirected to another address.');
});

test('an answer of the address that was asked is the API’s, whatever follows the # of it', async () => {
  for (const url of ['', 'http://service.test/v1/leads', 'http://service.test/v1/leads#top'])
    expect((await answering({ url })).status).toBe(200);
  const error = await rejection(answering({ url: 'http://service.test/v1/lead' }));
  expect(error).toMatchObject({ name: 'RedirectError', location: 'http://service.test/v1/lead' });
});

const full: RequestListener = (_request, response) => response.writeHead(429).end('{}');
test.each([
  [
    'a lost reply leaves open what became of the attempt before',
    breaks,
    /This attempt was not carried out; one before it may have been\.$/,
  ],
  [
    'a failure leaves that open, too',
    redirects(500),
    /This attempt was not carried out; one before it may have been\.$/,
  ],
  ['a refusal says that nothing was carried out', full, /right\. Nothing was carried out\.$/],
] as const)('a redirect after %s', async (_what, first, message) => {
  const { baseUrl, asked } = await serviceOf(first, redirects(308, '/elsewhere'));
  const error = await rejection(clientOf(baseUrl).post('/leads', { body }));
  expect([(error as Error).message, asked()]).toEqual([expect.stringMatching(message), 2]);
});

test('lists, changes and the command line end with a redirect, too', async () => {
  const other = await serviceOf(succeeds);
  const { baseUrl } = await serviceOf(redirects(307, other.baseUrl));
  const crm = clientOf(baseUrl);
  const where = { baseUrl, organization: organizationId };
  const line = new Connection(where, { LEADS_TOKEN: 't' });
  for (const work of [
    crm.items('/leads').next(),
    crm.changes().next(),
    line.send((client) => client.post('/leads', { body })),
  ]) {
    expect(await rejection(work)).toMatchObject({ name: 'RedirectError', location: other.baseUrl });
  }
  expect(other.asked()).toBe(0);
});
