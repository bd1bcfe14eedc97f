import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { fetchApi } from '../../tools/cli/fetch-api.ts';
import { redirects, serviceOf } from './client/support.ts';

test.each([
  [300, '/elsewhere'],
  [307, 'http://127.0.0.1:1/v1'],
  [399, undefined],
])(
  'a tool that is answered %i with %s follows nowhere, and names both addresses',
  async (status, location) => {
    const { baseUrl, asked } = await serviceOf(redirects(status, location));
    const target = location ? new URL(location, baseUrl).href : 'another address';
    for (const method of ['GET', 'POST']) {
      const asking = fetchApi(baseUrl, { method, ...(method === 'POST' && { body: '{}' }) });
      await expect(asking).rejects.toBeInstanceOf(CliError);
      await expect(asking).rejects.toThrow(`${method} ${baseUrl} was redirected to ${target}. `);
    }
    expect(asked()).toBe(2);
  },
);

test.each([200, 204, 400, 503])('what is answered %i is an answer', async (status) => {
  const { baseUrl } = await serviceOf(redirects(status, '/elsewhere'));
  expect((await fetchApi(baseUrl)).status).toBe(status);
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
