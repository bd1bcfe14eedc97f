import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';

// Runs after all other tests: alone, it has seen nothing and fails.
test('every permission that a function has was used by a test', async () => {
  const { usageFile } = inject('service');
  const used = new Set(readFileSync(usageFile, 'utf8').split('\n'));
  const sources = await loadOperations();
  const granted = sources.flatMap(({ operation }) =>
    operation.table.map((grant: string) => {
      const [action, index] = grant.split(' ');
      const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/leads-and-stars';
      const resource = index ? `${table}/index/${index}` : table;
      return `LeadsAndStars-${operation.id}\tdynamodb:${action}\t${resource}`;
    }),
  );
  expect(granted.filter((permission) => !used.has(permission))).toEqual([]);
});
