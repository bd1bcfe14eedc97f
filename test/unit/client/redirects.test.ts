import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../../packages/client/src/cli/connection.ts';
import { ApiError, createClient, RedirectError } from '../../../packages/client/src/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A service at an address of its own that answers so, and how often it was asked. */
const serviceOf = async (...answers: Answer[]) => {
  let asked = 0;
  const server = createServer((request, response) => {
    answers[Math.min(asked++, answers.length - 1)]!(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked: () => asked };
};

const succeeds: Answer = (_request, response) => response.writeHead(200).end('{"id":"other"}');
const redirects =
  (status: number, location?: string): Answer =>
  (_request, response) =>
    response.writeHead(status, location === undefined ? {} : { location }).end('elsewhere');
const breaks: Answer = ({ socket }) => socket.destroy();

const organizationId = crypto.randomUUID();
const clientOf = (baseUrl: string, options: { fetch?: typeof fetch } = {}) =>
  createClient({ baseUrl, organizationId, token: 't', retry: { firstDelayMs: 1 }, ...options });
const body = { contact_name: 'Maria', pipeline_id: organizationId };
const rejection = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not reject',
    (error: unknown) => error as RedirectError,
  );

describe.each(['get', 'post'] as const)('a %s', (method) => {
  const send = ({ get, post }: ReturnType<typeof clientOf>) =>
    method === 'get' ? get('/leads') : post('/leads', { body });

  test.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
    'that is answered %i is sent nowhere else, nor again',
    async (status) => {
      const other = await serviceOf(succeeds);
      const location = `${other.baseUrl}/leads`;
      const { baseUrl, asked } = await serviceOf(redirects(status, location));
      const error = await rejection(send(clientOf(baseUrl)));
      expect(error).toBeInstanceOf(RedirectError);
      expect(error).toBeInstanceOf(ApiError);
      const url = `${baseUrl}/leads`;
      expect(error).toMatchObject({ code: 'unknown', status, url, location });
      expect((error as Error).message).toBe(
        `${method.toUpperCase()} ${url} was redirected to ${location}. The API never redirects: see whether the base URL is right. Nothing was carried out.`,
      );
      expect([asked(), other.asked()]).toEqual([1, 0]);
    },
  );

  test.each([200, 299, 400, 404])('that is answered %i is not redirected', async (status) => {
    const { baseUrl } = await serviceOf((_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('{}'),
    );
    const outcome = await send(clientOf(baseUrl)).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ status });
    expect(outcome).not.toBeInstanceOf(RedirectError);
  });

  const byHand = async (request: Request): Promise<Response> => {
    const response = await fetch(request.clone());
    const location = response.headers.get('location');
    return location ? fetch(location, { method: 'GET' }) : response;
  };
  test.each<[string, (request: Request) => Promise<Response>]>([
    ['follows by itself', (request) => fetch(new Request(request, { redirect: 'follow' }))],
    ['follows by hand', byHand],
  ])('whose own fetch %s is not taken for what the API answers', async (_how, own) => {
    const other = await serviceOf(succeeds);
    const location = `${other.baseUrl}/elsewhere`;
    const fetch: typeof globalThis.fetch = (request) => own(request as Request);
    const { baseUrl, asked } = await serviceOf(redirects(307, location));
    const error = await rejection(send(clientOf(baseUrl, { fetch })));
    expect(error).toMatchObject({ name: 'RedirectError', url: `${baseUrl}/leads`, location });
    expect((error as Error).message).toContain('Its fetch followed, so that nobody knows');
    expect([asked(), other.asked()]).toEqual([1, 1]);
    expect((await send(clientOf(other.baseUrl, { fetch }))).status).toBe(200);
  });
});

test.each([
  ['/v2/leads#top', (origin: string) => `${origin}/v2/leads#top`],
  ['//other.test/v1', () => 'http://other.test/v1'],
  ['http://[', () => 'http://['],
  [undefined, () => undefined],
])('it may point to %s', async (location, target) => {
  const { baseUrl } = await serviceOf(redirects(302, location));
  const error = await rejection(clientOf(baseUrl).get('/leads'));
  expect(error).toMatchObject({ name: 'RedirectError', location: target(new URL(baseUrl).origin) });
});

test('a redirect after a lost reply leaves open what became of the attempt before', async () => {
  const { baseUrl, asked } = await serviceOf(breaks, redirects(308, '/elsewhere'));
  const error = await rejection(clientOf(baseUrl).post('/leads', { body }));
  expect((error as Error).message).toMatch(
    /This attempt was not carried out; one before it may have been\.$/,
  );
  expect(asked()).toBe(2);
});

test('a redirect after a refusal that stored nothing says that nothing was carried out', async () => {
  const full: Answer = (_request, response) => response.writeHead(429).end('{}');
  const { baseUrl } = await serviceOf(full, redirects(308, '/elsewhere'));
  const error = await rejection(clientOf(baseUrl).post('/leads', { body }));
  expect((error as Error).message).toMatch(/right\. Nothing was carried out\.$/);
});

test('lists and changes end with it too', async () => {
  const { baseUrl } = await serviceOf(redirects(301, '/elsewhere'));
  const crm = clientOf(baseUrl);
  expect(await rejection(crm.items('/leads').next())).toBeInstanceOf(RedirectError);
  expect(await rejection(crm.changes().next())).toBeInstanceOf(RedirectError);
});

test('the command line ends with it', async () => {
  const other = await serviceOf(succeeds);
  const { baseUrl, asked } = await serviceOf(redirects(307, other.baseUrl));
  const connection = new Connection(
    { baseUrl, organization: organizationId },
    { LEADS_TOKEN: 't' },
  );
  const error = await rejection(connection.send((client) => client.post('/leads', { body })));
  expect(error).toMatchObject({ name: 'RedirectError', location: other.baseUrl });
  expect([asked(), other.asked()]).toEqual([1, 0]);
});
