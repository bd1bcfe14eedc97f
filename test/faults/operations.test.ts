import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { struck, typical } from './operations.ts';

test('every operation that uses the table is struck by faults', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const without = operations
    .filter(({ id, table }) => table.length > 0 && !struck.has(id))
    .map(({ id }) => id);
  expect(without, 'none of its examples has `faults`').toEqual([]);
});

test('what `npm test` strikes there is', () => {
  expect([...typical].filter((id) => !struck.has(id))).toEqual([]);
  expect(typical.size).toBeGreaterThan(0);
});
