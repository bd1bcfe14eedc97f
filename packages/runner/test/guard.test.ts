import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Processes, startEngine, startTableProxy } from '@leads-and-stars/runner';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

// What a page in somebody's browser may ask of the runner's ports. test/browser/foreign-pages.test.ts asks from pages.

const { baseUrl, issuer, lambdaEndpoint, eventsEndpoint, tableEndpoint, certificate } =
  inject('service');
const processes = new Processes();
let proxy: Awaited<ReturnType<typeof startTableProxy>>;

beforeAll(async () => {
  proxy = await startTableProxy(tableEndpoint, [], 'pk');
});

afterAll(async () => {
  await proxy?.close();
  await processes.close();
});

/** The status of what is answered to just these headers. */
const ask = async (
  address: string,
  method: string,
  { Host, ...headers }: Record<string, string>,
): Promise<number> => {
  const { protocol, hostname, port, pathname, search } = new URL(address);
  const socket =
    protocol === 'https:'
      ? connectTls({ host: hostname, port: Number(port), ca: certificate })
      : connectTcp(Number(port), hostname);
  const lines = { Host: Host ?? `${hostname}:${port}`, ...headers, Connection: 'close' };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n`);
  const [bytes] = await once(socket, 'data');
  socket.destroy();
  return Number(String(bytes).split(' ')[1]);
};

const docs = `${new URL(baseUrl).origin}/docs`;
const redirect = `redirect_uri=${encodeURIComponent(`${docs}/`)}`;

/** Each thing that is served beside the API: where, how, and what a program of this machine is answered. */
const served: [string, string, () => string, number][] = [
  ['the reference', 'GET', () => `${docs}/`, 200],
  ['the login', 'GET', () => `${docs}/login?${redirect}`, 200],
  ['a code', 'GET', () => `${docs}/issuer/authorize?response_type=code&${redirect}`, 302],
  ['a token', 'POST', () => `${docs}/issuer/token`, 400],
  ['the issuer’s keys', 'GET', () => `${issuer}/.well-known/jwks.json`, 200],
  ['Invoke', 'POST', () => `${lambdaEndpoint}/2015-03-31/functions/none/invocations`, 404],
  ['what Lambda does not have here', 'GET', () => `${lambdaEndpoint}/`, 404],
  ['PutEvents', 'POST', () => `${eventsEndpoint}/`, 400],
  ['the functions’ way to the table', 'POST', () => `${proxy.endpoint}/`, 500],
  ['a preflight of it', 'OPTIONS', () => `${proxy.endpoint}/`, 404],
];

describe.each(served)('%s', (_what, method, address, status) => {
  const own = () => new URL(address()).origin;

  test('is for programs of this machine, by any of its names', async () => {
    for (const Host of ['localhost', '127.0.0.1:1', '[::1]']) {
      // A code is for the page of its own address only.
      if (address().includes(redirect)) continue;
      expect([Host, await ask(address(), method, { Host })]).toEqual([Host, status]);
    }
    expect(await ask(address(), method, {})).toBe(status);
  });

  test('is for the page that it serves itself', async () => {
    expect(await ask(address(), method, { Origin: own() })).toBe(status);
  });

  test.each(['rebound.example', '169.254.169.254', 'localhost.rebound.example:80'])(
    'is not for a page whose name leads here: %s',
    async (Host) => {
      expect(await ask(address(), method, { Host })).toBe(403);
      expect(await ask(address(), method, { Host, Origin: `http://${Host}` })).toBe(403);
    },
  );

  test.each(['https://elsewhere.example', 'http://localhost:1', 'http://127.0.0.1', 'null', ''])(
    'is not for a page of another origin: %j',
    async (Origin) => {
      expect(await ask(address(), method, { Origin })).toBe(403);
    },
  );
});

describe('the API', () => {
  // What it allows to pages is in the template: test/cors.test.ts.
  test('answers pages of any origin as the deployed one does, by names of this machine only', async () => {
    const Origin = 'https://elsewhere.example';
    expect(await ask(`${baseUrl}/leads`, 'GET', { Origin })).toBe(401);
    expect(await ask(`${baseUrl}/leads`, 'GET', { Host: 'elsewhere.example', Origin })).toBe(403);
  });
});

test('the issuer logs nobody in at its own address', async () => {
  const query = `response_type=code&${redirect}`;
  expect(await ask(`${issuer}/authorize?${query}`, 'GET', {})).toBe(404);
  expect(await ask(`${issuer}/token`, 'POST', {})).toBe(404);
});

describe('the engine', () => {
  const healthy = (address: string) =>
    fetch(address).then(
      ({ status }) => status,
      () => 'nothing there',
    );

  test('has an address that a page can’t guess, and is at no other', async () => {
    const engines = await Promise.all(
      Array.from({ length: 3 }, () => startEngine(processes, 'memory', 'dynoxide')),
    );
    const hosts = engines.map((endpoint) => new URL(endpoint).hostname);
    expect(new Set(hosts.map((host) => host.split('.', 3).join())).size).toBe(3);
    for (const endpoint of engines) {
      const { hostname, port } = new URL(endpoint);
      expect(hostname).toMatch(/^127\.[1-9]\d*\.\d+\.[1-9]\d*$/);
      expect(await healthy(endpoint)).toBe(200);
      for (const host of ['localhost', '127.0.0.1', '[::1]', '127.0.1.1', '0.0.0.0']) {
        expect([host, await healthy(`http://${host}:${port}`)]).toEqual([host, 'nothing there']);
      }
    }
  });
});
