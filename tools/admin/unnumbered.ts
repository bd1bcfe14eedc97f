import * as z from 'zod/mini';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { outboxEntry } from '../../lib/changes/outbox.ts';
import { type Key, outbox } from '../../lib/table/keys.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { type ScannedTable, scan } from './scan.ts';

/** An item of the outbox that is not in its feed, with what its order is by. */
interface UnnumberedItem {
  key: Key;
  /** The number in the feed of the table from which this table was restored. */
  before: number;
  at: string;
}

interface SearchOptions {
  /** The only organization to look at. */
  only?: string | undefined;
  /** Whether the table was never restored: then all entries with a number are in their feed. */
  isOriginal?: boolean;
  table?: ScannedTable;
}

/**
 * The keys of the items of the outbox that are not in their feed, by organization: as they were numbered before, then by
 * their time. Reads the whole table: there is no list of histories. In memory it keeps each item's key.
 */
export const findUnnumbered = async ({
  only = '',
  isOriginal = false,
  table,
}: SearchOptions): Promise<Map<string, Key[]>> => {
  const prefixes = Object.values(outbox).map((prefix) => `${prefix}${only}`);
  const isOfOutbox = prefixes.map((_, i) => `begins_with(pk, :p${i})`).join(' OR ');
  const items = scan(
    {
      ConsistentRead: true,
      ProjectionExpression: 'pk, sk, feed, #sequence, #at',
      FilterExpression: `(${isOfOutbox})${isOriginal ? ' AND attribute_not_exists(feed)' : ''}`,
      ExpressionAttributeNames: { '#sequence': 'sequence', '#at': 'at' },
      ExpressionAttributeValues: Object.fromEntries(prefixes.map((one, i) => [`:p${i}`, one])),
    },
    table,
  );
  const found = new Map<string, UnnumberedItem[]>();
  for await (const item of items) add(found, item);
  return new Map(
    [...found].map(([id, ofOne]) => [id, ofOne.toSorted(inOrder).map(({ key }) => key)]),
  );
};

const projection = z.object({
  feed: z.optional(z.string()),
  sequence: z._default(z.int(), Number.POSITIVE_INFINITY),
  at: z.string(),
});

const add = (found: Map<string, UnnumberedItem[]>, item: Item): void => {
  const key = toKey(item);
  const { feed, sequence: before, at } = projection.parse(item);
  const organizationId = outboxEntry(key)?.organizationId;
  if (organizationId === undefined || feed === feedIdOf(organizationId)) return;
  const one = { key, before, at };
  const others = found.get(organizationId);
  if (others) others.push(one);
  else found.set(organizationId, [one]);
};

const inOrder = (a: UnnumberedItem, b: UnnumberedItem): number => {
  if (a.before !== b.before) return a.before - b.before;
  return a.at < b.at || (a.at === b.at && a.key.sk < b.key.sk) ? -1 : 1;
};
