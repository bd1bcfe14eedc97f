import { readFile } from 'node:fs/promises';
import {
  type LocalIssuer,
  Processes,
  type RunningApp,
  startApp,
  startEngine,
  startIssuer,
  startTableProxy,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  ask,
  expectStatus,
  foreignHosts,
  foreignOrigins,
  ownHosts,
  type Served,
} from './guarding.ts';
import { makeDirectory, remove } from './support.ts';

// What a page in somebody's browser may ask of the runner's ports.

const processes = new Processes();
let directory: string;
let certificate: string;
let issuer: LocalIssuer;
let app: RunningApp;
let proxy: Awaited<ReturnType<typeof startTableProxy>>;

beforeAll(async () => {
  directory = await makeDirectory();
  issuer = await startIssuer({ audience: 'test', directory });
  certificate = await readFile(issuer.certificateFile, 'utf8');
  app = await startApp({
    directory: inject('appDirectory'),
    stack: 'MyApp',
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
  });
  proxy = await startTableProxy(app.tableEndpoint, [], 'pk');
});

afterAll(async () => {
  await proxy?.close();
  await app?.close();
  await issuer?.close();
  await processes.close();
  await remove(directory);
});

const invoke = '2015-03-31/functions/none/invocations';
const served: Served[] = [
  {
    what: 'the issuer’s keys',
    method: 'GET',
    address: () => `${issuer.url}/.well-known/jwks.json`,
    status: 200,
  },
  {
    what: 'Invoke',
    method: 'POST',
    address: () => `${app.lambdaEndpoint}/${invoke}`,
    status: 404,
  },
  {
    what: 'what Lambda does not have here',
    method: 'GET',
    address: () => `${app.lambdaEndpoint}/`,
    status: 404,
  },
  { what: 'PutEvents', method: 'POST', address: () => `${app.eventsEndpoint}/`, status: 400 },
  {
    what: 'the functions’ way to the table',
    method: 'POST',
    address: () => `${proxy.endpoint}/`,
    status: 500,
  },
  {
    what: 'a preflight of it',
    method: 'OPTIONS',
    address: () => `${proxy.endpoint}/`,
    status: 404,
  },
];

describe.each(served)('$what', (one) => {
  test('is for programs of this machine, by any of its names', () =>
    expectStatus(one, [{}, ...ownHosts.map((Host) => ({ Host }))], one.status, certificate));

  test('is for the page that it serves itself', () =>
    expectStatus(one, [{ Origin: new URL(one.address()).origin }], one.status, certificate));

  test.each(foreignHosts)('is not for a page whose name leads here: %s', (Host) =>
    expectStatus(one, [{ Host }, { Host, Origin: `http://${Host}` }], 403, certificate),
  );

  test.each(foreignOrigins)('is not for a page of another origin: %j', (Origin) =>
    expectStatus(one, [{ Origin }], 403, certificate),
  );
});

describe('the API', () => {
  test('answers pages of any origin as the deployed one does, by names of this machine only', async () => {
    const Origin = 'https://elsewhere.example';
    const note = `${app.baseUrl}/notes/none`;
    expect(await ask(note, 'GET', { Origin })).toBe(404);
    expect(await ask(note, 'GET', { Host: 'elsewhere.example', Origin })).toBe(403);
  });
});

test('the issuer logs nobody in at its own address', async () => {
  const query = `response_type=code&redirect_uri=${encodeURIComponent('http://localhost/docs/')}`;
  expect(await ask(`${issuer.url}/authorize?${query}`, 'GET', {}, certificate)).toBe(404);
  expect(await ask(`${issuer.url}/token`, 'POST', {}, certificate)).toBe(404);
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
