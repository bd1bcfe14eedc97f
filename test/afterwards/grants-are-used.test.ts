import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';

// Runs after all other tests: alone, it has seen nothing and fails.
test('every permission that a function has was used by a test', async () => {
  const { usageFile } = inject('service');
  const used = new Set(readFileSync(usageFile, 'utf8').split('\n'));
  const sources = await loadOperations();
  const granted = sources.flatMap(({ operation }) =>
    operation.table.map((grant: string): string[] => {
      const [action, index] = grant.split(' ');
      const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/leads-and-stars';
      const resource = index ? `${table}/index/${index}` : table;
      // Several items are read by the one, a single item by the other.
      const actions = action === 'GetItem' ? [action, 'BatchGetItem'] : [action];
      return actions.map((one) => `LeadsAndStars-${operation.id}\tdynamodb:${one}\t${resource}`);
    }),
  );
  const unused = granted.filter((permissions) => !permissions.some((one) => used.has(one)));
  expect(unused).toEqual([]);
});
