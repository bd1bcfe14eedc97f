import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { struck } from './operations.ts';

test('every operation that uses the table is struck by faults', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const without = operations
    .filter(({ id, table }) => table.length > 0 && !struck.has(id))
    .map(({ id }) => id);
  expect(without, 'none of its examples has `faults`').toEqual([]);
});
