import { expect, test } from 'vitest';
import { Erasure } from '../../../tools/admin/erasure/erasure.ts';
import { WholeTable } from '../../../tools/admin/whole-table.ts';
import { Outbox, table } from '../changes/outbox.ts';
import { withVariable } from '../support.ts';

// What is erased of a whole organization, wherever that is killed: test/tools/admin/erase-organization.test.ts.

test('what only the feed names is erased also in a restored table, where the facts are in the feed of the table before', async () => {
  const outbox = new Outbox();
  // Of leads that are in no list.
  const keys = [...(await outbox.lead(3)), ...(await outbox.lead(2))];
  const other = new Outbox();
  const others = await other.lead(2);
  await outbox.number(keys);
  await other.number(others);
  await withVariable('TABLE_IDENTITY', 'arn:of:the:restored/stream/2026', () =>
    new Erasure(table.during({ deadline: Date.now() + 20_000 }), new WholeTable(), {
      organizationId: outbox.id,
      keepsLedger: false,
      onProgress: () => {},
    }).run(),
  );
  expect(await table.getAll(keys)).toEqual(keys.map(() => undefined));
  expect((await table.getAll(others)).map((item) => item?.sequence)).toEqual([1, 2]);
});
