import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { putPlan, reads, writes } from './operations.ts';
import type { Setting } from './setting.ts';

test('every operation that uses the table is struck by faults', async () => {
  const written = [...Object.values(writes), putPlan].map((of) => of({} as Setting).id);
  const struck = new Set([...Object.keys(reads), 'listPlans', ...written]);
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const without = operations
    .filter(({ id, table }) => table.length > 0 && !struck.has(id))
    .map(({ id }) => id);
  expect(without, 'to be added to test/faults/operations.ts').toEqual([]);
});
