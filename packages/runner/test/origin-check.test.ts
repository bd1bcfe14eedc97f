import { readFile } from 'node:fs/promises';
import {
  type LocalIssuer,
  type RunningApp,
  startApp,
  startIssuer,
  startTableProxy,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { isOwnHost } from '../src/machine/origin-check.ts';
import { ask, foreignHeaders } from './ask.ts';
import { ownDirectory } from './support.ts';

// What a page in somebody's browser may ask of the runner's ports.

const directory = ownDirectory();
let certificate: string;
let issuer: LocalIssuer;
let app: RunningApp;
let proxy: Awaited<ReturnType<typeof startTableProxy>>;

beforeAll(async () => {
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
});

const invocations = '2015-03-31/functions/none/invocations';
test.each([
  ['the issuer’s keys', 'GET', () => `${issuer.url}/.well-known/jwks.json`, 200],
  ['Invoke', 'POST', () => `${app.lambdaEndpoint}/${invocations}`, 404],
  ['PutEvents', 'POST', () => `${app.eventsEndpoint}/`, 400],
  ['the functions’ way to the table', 'POST', () => `${proxy.endpoint}/`, 500],
])(
  '%s is for programs of this machine and its own page, and for no other page',
  async (_what, method, address, status) => {
    const own = [{}, { host: 'localhost:1' }, { origin: new URL(address()).origin }];
    for (const headers of own) {
      expect([headers, await ask(address(), method, headers, certificate)]).toEqual([
        headers,
        status,
      ]);
    }
    for (const headers of foreignHeaders) {
      expect([headers, await ask(address(), method, headers, certificate)]).toEqual([headers, 403]);
    }
  },
);

test('the API answers pages of any origin as the deployed one does, by names of this machine only', async () => {
  const origin = 'https://elsewhere.example';
  const note = `${app.baseUrl}/notes/none`;
  expect(await ask(note, 'GET', { origin })).toBe(404);
  expect(await ask(note, 'GET', { origin, host: 'elsewhere.example' })).toBe(403);
});

test('this machine’s names are its own at any port, and no others', () => {
  for (const host of ['localhost', 'LocalHost:1', '127.0.0.1:65535', '[::1]:80']) {
    expect([host, isOwnHost(host)]).toEqual([host, true]);
  }
  for (const host of [
    'rebound.example#localhost',
    'localhost@a.example',
    'localhost:x',
    '[::]',
    '',
  ]) {
    expect([host, isOwnHost(host)]).toEqual([host, false]);
  }
});

test('the issuer logs nobody in at its own address', async () => {
  expect(await ask(`${issuer.url}/authorize?response_type=code`, 'GET', {}, certificate)).toBe(404);
  expect(await ask(`${issuer.url}/token`, 'POST', {}, certificate)).toBe(404);
});
