import type { ReplyToPart } from '../../operations/commit.ts';
import type { Key } from '../../table/keys.ts';
import type { Item, Table, Write } from '../../table/table.ts';
import type { leadGrants } from '../lead-writes.ts';

type Grant = (typeof leadGrants)[number];

/**
 * As a part of a batch that writes, and is refused where something would stand in its way; but it writes
 * nothing, and no reply is recorded.
 */
export const dryRunPart =
  (table: Table<'GetItem'>): ReplyToPart<Grant> =>
  (_i, work) =>
    work(async (writes, reply) => {
      const claims = writes.flatMap(claimOfWrite);
      const items = await table.getAll(claims.map(({ key }) => key));
      claims.forEach(({ refused }, i) => {
        if (items[i]) throw refused(items[i]);
      });
      return reply;
    });

interface Claim {
  key: Key;
  refused: (existing: Item) => Error;
}

/** What is put only where there is nothing yet. */
const claimOfWrite = (write: Write<Grant>): Claim[] => {
  if (!('Put' in write) || !write.refused) return [];
  const { Item: item, ConditionExpression: condition } = write.Put;
  if (condition !== 'attribute_not_exists(pk)') return [];
  return [{ key: { pk: item?.pk, sk: item?.sk }, refused: write.refused }];
};
