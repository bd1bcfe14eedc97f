import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ProxySupport, takeProxy } from '../../../packages/client/src/cli/proxy.ts';
import { runScript } from '../../support/command-line.ts';
import { serverOf } from '../../support/server.ts';
import { fileOf, makeDirectory } from './support.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');
const page = JSON.stringify({ items: [{ contact_name: 'Ana', tags: [], fields: {} }] });

/** A proxy on loopback that leads to this port, whatever host it is asked for, and what it was asked. */
const proxyTo = async (port: number) => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(page);
  });
  proxy.on('connect', ({ url, headers }, socket) => {
    asked.push(`CONNECT ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    const service = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      service.pipe(socket).pipe(service);
    });
    service.on('error', () => socket.destroy());
    socket.on('error', () => service.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { asked, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
};

/** Exports from this address, with these variables. */
const exported = async (baseUrl: string, variables: Record<string, string>) => {
  const args = ['export', '--format', 'ndjson', '--base-url', baseUrl];
  args.push('--organization', crypto.randomUUID());
  const cwd = (await makeDirectory())('.');
  return runScript(main, args, { cwd, variables: { LEADS_TOKEN: 't', ...variables } });
};

const portOf = (url: string): number => Number(new URL(url).port);

test.each(['HTTP_PROXY', 'http_proxy'])(
  'requests go through the proxy of %s, and directly where NO_PROXY has the host',
  async (name) => {
    const service = await serverOf((_, response) => response.end(page));
    const { asked, url } = await proxyTo(portOf(service));
    const through = await exported('http://leads.test/v1', { [name]: url });
    expect(through).toMatchObject({ code: 0, stdout: expect.stringContaining('Ana') });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('leads.test');
    for (const none of ['NO_PROXY', 'no_proxy']) {
      const variables = { [name]: url, [none]: 'a.test,127.0.0.1' };
      expect((await exported(`${service}/v1`, variables)).code).toBe(0);
    }
    // The proxy of another protocol is not used.
    expect((await exported(`${service}/v1`, { HTTPS_PROXY: url })).code).toBe(0);
    expect(asked).toHaveLength(1);
  },
);

test('requests by HTTPS go through the proxy of HTTPS_PROXY, with its password', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'leads.test' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'leads.test' }] }],
  });
  const service = createSecureServer({ key, cert }, (_, response) => response.end(page));
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  onTestFinished(() => void service.close());
  const { asked, url } = await proxyTo((service.address() as AddressInfo).port);
  const proxy = url.replace('http://', 'http://ana:secret@');
  const ended = await exported('https://leads.test/v1', {
    HTTPS_PROXY: proxy,
    NODE_EXTRA_CA_CERTS: await fileOf('cert.pem', cert),
  });
  expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Ana') });
  const password = Buffer.from('ana:secret').toString('base64');
  expect(asked).toEqual([`CONNECT leads.test:443 Basic ${password}`]);
});

/** The settings of Node.js for a service at this address, with these variables; or the error. */
const taken = (
  baseUrl: string,
  environment: Record<string, string>,
  support: Partial<ProxySupport> = {},
) => {
  const setGlobalProxyFromEnv = vi.fn();
  try {
    takeProxy(baseUrl, environment, { version: '24.14.0', setGlobalProxyFromEnv, ...support });
  } catch (error) {
    return (error as Error).message;
  }
  return setGlobalProxyFromEnv.mock.calls[0]?.[0];
};

const https = 'https://api.example.com/v1';

test.each<[Record<string, string>, object | undefined]>([
  [{}, undefined],
  [{ HTTPS_PROXY: '' }, undefined],
  [{ HTTP_PROXY: 'http://p:1', ALL_PROXY: 'http://p:1' }, undefined],
  [{ HTTPS_PROXY: 'http://p:1' }, { HTTPS_PROXY: 'http://p:1', NO_PROXY: '' }],
  [
    { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' },
    { HTTPS_PROXY: 'http://a:1', NO_PROXY: '' },
  ],
  [
    { HTTPS_PROXY: 'p:3128', NO_PROXY: 'x' },
    { HTTPS_PROXY: 'http://p:3128', NO_PROXY: 'x' },
  ],
])('of %j it takes %j', (environment, set) => {
  expect(taken(https, environment)).toEqual(set);
});

test.each([
  ['*', true],
  ['api.example.com', true],
  ['x.test, API.example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['api.example.com:443', true],
  ['api.example.com:8443', false],
  ['example.com', false],
  ['pi.example.com', false],
  ['.com.example', false],
])('with NO_PROXY=%s, a request goes without the proxy: %s', (NO_PROXY, isExcepted) => {
  const set = taken(https, { HTTPS_PROXY: 'http://p:1', NO_PROXY });
  expect(set === undefined).toBe(isExcepted);
});

test.each(['http://', 'socks5://ana:secret@p:1', 'http://ana:secret@p:x'])(
  'a proxy %s is none, and its password is not shown',
  (HTTPS_PROXY) => {
    const told = taken(https, { HTTPS_PROXY });
    expect(told).toMatch(/^HTTPS_PROXY must be the URL of a proxy, such as/);
    expect(told).not.toContain('secret');
  },
);

test.each([
  ['22.20.0', {}, 'takes no proxy by itself. Use Node.js 24; or have api.example.com in NO_PROXY'],
  ['22.20.0', { NODE_USE_ENV_PROXY: '1' }, 'Use Node.js 24'],
  ['23.11.0', { NODE_USE_ENV_PROXY: '1' }, 'Use Node.js 24'],
  ['22.21.0', {}, 'Set NODE_USE_ENV_PROXY=1, too; or have'],
  ['22.21.0', { NODE_USE_ENV_PROXY: '1' }, undefined],
  ['24.0.0', {}, 'Set NODE_USE_ENV_PROXY=1, too'],
  ['24.0.0', { NODE_USE_ENV_PROXY: '1' }, undefined],
])('a Node.js %s that can’t by itself says so, with %j', (version, more, told) => {
  const environment = { HTTPS_PROXY: 'http://p:1', ...more };
  const said = taken(https, environment, { version, setGlobalProxyFromEnv: undefined });
  if (told === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(`HTTPS_PROXY is set, and Node.js ${version} takes no`);
  if (told !== undefined) expect(said).toContain(told);
  // Where no proxy is meant, there is nothing to say.
  const without = { ...environment, NO_PROXY: 'api.example.com' };
  expect(taken(https, without, { version, setGlobalProxyFromEnv: undefined })).toBeUndefined();
});
