import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../../infra/operations.ts';

const root = join(import.meta.dirname, '../..');

/** Each operation, as `leads/create-lead`: the file of its tests has the same name. */
const operations = (await listFiles()).map((file) =>
  relative(join(root, 'functions'), file).replace(/\.ts$/, ''),
);

/** What is about several operations together. */
const several = [
  'billing/every-change',
  'billing/invariants',
  'billing/races',
  'fields/fields-of-leads',
  'leads/any-sequence',
  'leads/engines',
  'leads/largest-change',
  'leads/races',
  'tokens/attacks',
  'webhooks/receiver-of-the-docs',
];

const areas = new Set(operations.map((name) => name.split('/')[0]));

/** Names without a file, and files of an area that nothing is known to have. */
const misnamed = (files: readonly string[]) => {
  const named = [...operations, ...several];
  return {
    missing: named.filter((name) => !files.includes(name)),
    unknown: files.filter((file) => areas.has(file.split('/')[0]) && !named.includes(file)),
  };
};

test('each operation has its tests under its name, and no other file of its area looks like them', () => {
  const files = globSync('**/*.test.ts', { cwd: join(root, 'test/api') }).map((file) =>
    file.replace(/\.test\.ts$/, ''),
  );
  expect(operations.length).toBeGreaterThan(60);
  expect(misnamed(files), 'to be renamed, or named in `several`').toEqual({
    missing: [],
    unknown: [],
  });
  const planted = files.map((file) => file.replace('keys/get-api-key', 'keys/keys'));
  expect(misnamed([...planted, 'leads/get-member'])).toEqual({
    missing: ['keys/get-api-key'],
    unknown: ['keys/keys', 'leads/get-member'],
  });
});
