import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { expect, onTestFinished, test } from 'vitest';
import { fetchApi } from '../../tools/cli/fetch-api.ts';

/** An address that answers so, and how often it was asked. */
const serviceOf = async (status: number, location?: string) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.writeHead(status, location === undefined ? {} : { location }).end('text');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
  };
};

test.each([300, 301, 302, 303, 304, 307, 308])(
  'a tool that is answered %i follows nowhere, and names both addresses',
  async (status) => {
    const other = await serviceOf(200);
    const { url } = await serviceOf(status, other.url);
    for (const method of ['GET', 'POST']) {
      const asking = fetchApi(url, { method, ...(method === 'POST' && { body: '{}' }) });
      await expect(asking).rejects.toBeInstanceOf(CliError);
      await expect(asking).rejects.toThrow(`${method} ${url} was redirected to ${other.url}. `);
    }
    expect(other.asked()).toBe(0);
  },
);

test.each([
  ['/elsewhere', (url: string) => new URL('/elsewhere', url).href],
  [undefined, () => 'another address'],
])('a redirect may point to %s', async (location, target) => {
  const { url } = await serviceOf(302, location);
  await expect(fetchApi(url)).rejects.toThrow(`redirected to ${target(url)}. `);
});

test.each([200, 204, 400, 503])('what is answered %i is an answer', async (status) => {
  const { url } = await serviceOf(status, '/elsewhere');
  expect((await fetchApi(url)).status).toBe(status);
});

/** The calls of the global `fetch` that would follow a redirect. */
const followingIn = (code: string): string[] =>
  [...code.matchAll(/(?<![\w.#])fetch\((?:[^()]|\([^()]*\))*\)/gs)]
    .map(([call]) => call)
    .filter((call) => !call.includes('redirect:'));

test('none of our programs follows a redirect', () => {
  const root = join(import.meta.dirname, '../..');
  const programs = ['tools/**/*.ts', 'docs/**/*.{md,mjs}', 'README.md', 'lib/**/*.ts'];
  const files = globSync([...programs, 'functions/**/*.ts', 'packages/*/src/**/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const following = files.flatMap((file) =>
    followingIn(readFileSync(join(root, file), 'utf8')).map(
      (call) => `${file.replaceAll('\\', '/')}: ${call}`,
    ),
  );
  // The client's requests are made so that they follow none.
  expect(following).toEqual(['packages/client/src/cli/connection.ts: fetch(request)']);
  expect(files.length).toBeGreaterThan(300);
  expect(followingIn("await fetch(url + '/a', { method: 'GET' })")).toHaveLength(1);
  expect(followingIn("await fetch(url(), { redirect: 'manual' })")).toEqual([]);
});
