import type { ServerResponse } from 'node:http';
import { createServer, globalAgent, type Server } from 'node:https';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { fetchKeySet, keysIn } from '../../../lib/tokens/key-set.ts';

// How an issuer is asked for its keys, by a real HTTPS server.

const key = { kty: 'EC', kid: 'a', use: 'sig', crv: 'P-256', x: 'AA', y: 'AA' };

let server: Server;
let uri: string;
let answer: (response: ServerResponse) => unknown;
/** The paths that were asked for, and the requests that nobody waits for any more. */
let asked: (string | undefined)[];
let givenUp: number;
/** What the other files of this process trust. */
let othersCa: typeof globalAgent.options.ca;

beforeAll(async () => {
  const { private: privateKey, cert } = await generate(
    [{ name: 'commonName', value: 'localhost' }],
    {
      keySize: 2048,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    },
  );
  othersCa = globalAgent.options.ca;
  globalAgent.options.ca = cert;
  server = createServer({ key: privateKey, cert }, ({ url }, response) => {
    asked.push(url);
    response.on('close', () => response.writableEnded || givenUp++);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  uri = `https://localhost:${(server.address() as { port: number }).port}/jwks`;
});

beforeEach(() => {
  asked = [];
  givenUp = 0;
});

afterAll(() => {
  globalAgent.options.ca = othersCa;
  server.closeAllConnections();
  server.close();
});

const sending =
  (status: number, body: string | Buffer, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

test('the keys are as old as the request for them', async () => {
  const before = Date.now();
  let answeredAt = 0;
  answer = (response) => {
    answeredAt = Date.now();
    sending(200, JSON.stringify({ keys: [key] }))(response);
  };
  const { fetchedAt, keys } = await fetchKeySet(uri);
  expect(keys).toEqual([key]);
  expect(fetchedAt).toBeGreaterThanOrEqual(before);
  expect(fetchedAt).toBeLessThanOrEqual(answeredAt);
});

test.each([
  ['is down', sending(503, JSON.stringify({ keys: [key] }))],
  ['publishes no key', sending(200, '{"keys":[]}')],
  ['publishes what is no key set', sending(200, '<html>')],
  [
    'answers what is not UTF-8',
    sending(200, Buffer.from(JSON.stringify({ keys: [{ ...key, x: 'ç' }] }), 'latin1')),
  ],
  ['sends elsewhere', sending(302, '', { location: '/moved' })],
])('an issuer that %s gives no keys', async (_what, how) => {
  answer = how;
  await expect(fetchKeySet(uri)).rejects.toThrow();
  expect(new Set(asked)).toEqual(new Set(['/jwks']));
});

test('an issuer that says nothing is asked twice, and then given up', async () => {
  answer = () => {};
  await expect(fetchKeySet(uri)).rejects.toThrow();
  expect(asked).toHaveLength(2);
  await vi.waitFor(() => expect(givenUp).toBe(2), 60_000);
});

test.each<[string, unknown]>([
  ['null', null],
  ['a list', []],
  ['a text', 'keys'],
  ['without keys', {}],
  ['with keys that are no list', { keys: 1 }],
  ['with keys that are null', { keys: null }],
])('a key set that is %s has no keys', (_what, value) => {
  expect(keysIn(JSON.stringify(value))).toEqual([]);
  expect(keysIn(JSON.stringify({ keys: [null, key, {}] }))).toEqual([key]);
});
