import { expect, test } from 'vitest';
import { putPlan } from '../../../lib/billing/plans.ts';
import type { Item, Table } from '../../../lib/table/table.ts';
import { fakeQueries } from '../../support/fake-table.ts';
import { plan } from './rules/wallets.ts';

// What is written of a plan, by what is there. That the store keeps to it: test/api/billing/put-plan.test.ts.

const others = (count: number): Item[] =>
  Array.from({ length: count }, (_, i) => ({ ...plan, tier: `t${i}`, version: 1 }));

/** What `putPlan` writes where these plans are. `isLate`: someone else has put the plan meanwhile. */
const writtenTo = async (items: Item[], isLate = false) => {
  const written: unknown[][] = [];
  const table: Table<'Query' | 'PutItem' | 'DeleteItem'> = {
    ...fakeQueries(() => ({ items, examined: 0, last: undefined })),
    async transact(writes) {
      written.push([...writes]);
      if (isLate) throw writes[0]?.refused?.(undefined);
    },
  };
  await putPlan(table, plan);
  return written.flat();
};

test('there are at most 100 plans; a new one has version 1, and is not written over one that came meanwhile', async () => {
  const ConditionExpression = 'attribute_not_exists(pk)';
  expect(await writtenTo(others(99))).toMatchObject([
    { Put: { Item: { ...plan, version: 1 }, ConditionExpression } },
  ]);
  await expect(writtenTo(others(100))).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'tier', message: 'must be one of at most 100' }],
  });
  await expect(writtenTo([], true)).rejects.toMatchObject({ code: 'write_conflict' });
});

test('a plan that is there is replaced in the version that was read, and not where it is the same', async () => {
  const before = { ...plan, name: 'Before', version: 7 };
  const [write] = await writtenTo([...others(100), before]);
  expect(write).toMatchObject({
    Put: {
      Item: { ...plan, version: 8 },
      ConditionExpression: '#version = :version_is',
      ExpressionAttributeValues: { ':version_is': 7 },
    },
  });
  expect(await writtenTo([{ ...plan, version: 7 }])).toEqual([]);
});
