import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../infra/operations.ts';

const root = join(import.meta.dirname, '../..');

/** Every file that is the project's, also one that is new. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

/** Each operation, as `leads/create-lead`: the file of its tests has the same name. */
const operations = (await listFiles()).map((file) =>
  relative(join(root, 'functions'), file).replace(/\.ts$/, ''),
);

/** What is about several operations together. */
const several = [
  'agents/every-role',
  'agents/guide',
  'agents/tools',
  'billing/every-change',
  'billing/invariants',
  'billing/own-spender',
  'billing/races',
  'billing/stripe-events',
  'billing/top-up-of-the-docs',
  'fields/fields-of-leads',
  'leads/any-sequence',
  'leads/list-leads-in-order',
  'leads/races',
  'webhooks/receiver-of-the-docs',
  'webhooks/spend-limits',
];

const areas = new Set(operations.map((name) => name.split('/')[0]));

/** Names without a file, and files of an area that nothing is known to have. */
const misnamed = (names: readonly string[]) => {
  const known = [...operations, ...several];
  return {
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => areas.has(name.split('/')[0]) && !known.includes(name)),
  };
};

test('each operation has its tests under its name, and no other file of its area looks like them', () => {
  const names = files.flatMap((file) => /^test\/api\/(.+)\.test\.ts$/.exec(file)?.[1] ?? []);
  expect(operations.length).toBeGreaterThan(60);
  expect(misnamed(names), 'to be renamed, or named in `several`').toEqual({
    missing: [],
    unknown: [],
  });
  const planted = names.map((name) => name.replace('keys/get-api-key', 'keys/keys'));
  expect(misnamed([...planted, 'leads/get-member'])).toEqual({
    missing: ['keys/get-api-key'],
    unknown: ['keys/keys', 'leads/get-member'],
  });
});

const folders = files.flatMap((file) => {
  const parts = file.split('/');
  return parts.map((_, i) => parts.slice(0, i).join('/'));
});
const paths = new Set([...files, ...folders]);

/** A path like `test/{api,unit}/leads/*.test.ts`, or a file's name alone. One with `<`, `…` or `$` is a form. */
const name =
  /(?<![\w/.@$}-])(?:\.\/|!)?((?:packages\/[\w-]+\/)?test\/(?:[\w.*$<>…/-]|\{(?:[^{}\s]|\{[^{}\s]*\})*\})*|[\w-]+(?:\.[\w-]+)*\.test\.ts\b)/g;

const namesIn = (text: string): string[] =>
  [...text.matchAll(name)]
    .map(([, found = '']) => found.replace(/[.-]+$/, ''))
    .filter((found) => !/[$<>…]/.test(found));

/** Each of the paths that one with braces stands for. */
const withoutBraces = (path: string): string[] => {
  const [braces, choices = ''] = /\{([^{}]*)\}/.exec(path) ?? [];
  if (braces === undefined) return [path];
  return choices.split(',').flatMap((one) => withoutBraces(path.replace(braces, one)));
};

const isThere = (path: string): boolean =>
  path.includes('*')
    ? [...paths].some((one) => matchesGlob(one, path))
    : [path.replace(/\/$/, ''), `${path}.test.ts`].some((one) => paths.has(one));

/** What a file names and is not there: from the root or its package; a name alone, beside it or beside what it names. */
const missingIn = (file: string, text: string): string[] => {
  const [home = ''] = /^packages\/[\w-]+\//.exec(file) ?? [];
  const named = namesIn(text).flatMap(withoutBraces);
  const near = new Set([file, ...named].map(dirname));
  return named.filter((path) =>
    path === basename(path)
      ? ![...near].some((folder) => paths.has(join(folder, path)))
      : ![path, home + path].some(isThere),
  );
};

test('a test file or folder that is named anywhere exists', () => {
  const missing = files.flatMap((file) =>
    missingIn(file, readFileSync(join(root, file), 'utf8')).map((path) => `${file}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('a name of a test that is gone is found in any form, and one that is there is not', () => {
  const test = 'test';
  const there = `\`${test}/api/leads/races\`, ${test}/tenants/. '${test}/{unit,api}/leads/**', ${test}/api/<area>/x
    ./${test}/setup/tags.ts, races.test.ts, ${test}/unit/*/errors.test.ts, latest/gone, /v1/${test}/gone, ${test}/unit/…`;
  expect(missingIn('CHANGELOG.md', there)).toEqual([]);
  expect(namesIn(there)).toHaveLength(6);
  const gone = `${test}/api/gone ${test}/gone/. '${test}/api/{leads,gone}/races.test.ts' ${test}/unit/gone/** tags.${test}.ts
    "!${test}/gone.test.ts"`;
  const found = ['api/gone', 'gone/', 'api/gone/races.test.ts', 'unit/gone/**'];
  expect(missingIn('package.json', gone)).toEqual([
    ...found.map((path) => `${test}/${path}`),
    `tags.${test}.ts`,
    `${test}/gone.test.ts`,
  ]);
  expect(missingIn('packages/runner/vitest.config.ts', `${test}/*.test.ts`)).toEqual([]);
  expect(missingIn('package.json', `${test}/*.test.ts`)).toHaveLength(1);
});
