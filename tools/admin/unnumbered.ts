import * as z from 'zod/mini';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { outboxEntry } from '../../lib/changes/outbox.ts';
import { type Key, outbox } from '../../lib/table/keys.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { type ScannedTable, scan } from './scan.ts';

/** An item of the outbox that is not in its feed, with what its order is by. */
interface UnnumberedItem {
  organizationId: string;
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

/** Keys that are in memory at the same time. */
const mostHeld = 20_000;

/**
 * The keys of the items of the outbox that are not in their feed, by organization: as they were numbered before, then by
 * their time, as far as they are in memory together. Reads the whole table: there is no list of histories.
 */
export async function* findUnnumbered({
  only = '',
  isOriginal = false,
  table,
}: SearchOptions): AsyncGenerator<Map<string, Key[]>> {
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
  let held: UnnumberedItem[] = [];
  for await (const item of items) {
    held.push(...toUnnumbered(item));
    if (held.length < mostHeld) continue;
    yield byOrganization(held);
    held = [];
  }
  if (held.length > 0) yield byOrganization(held);
}

const projection = z.object({
  feed: z.optional(z.string()),
  sequence: z._default(z.int(), Number.POSITIVE_INFINITY),
  at: z.string(),
});

const toUnnumbered = (item: Item): UnnumberedItem[] => {
  const key = toKey(item);
  const { feed, sequence: before, at } = projection.parse(item);
  const organizationId = outboxEntry(key)?.organizationId;
  if (organizationId === undefined || feed === feedIdOf(organizationId)) return [];
  return [{ organizationId, key, before, at }];
};

const byOrganization = (items: readonly UnnumberedItem[]): Map<string, Key[]> => {
  const found = new Map<string, Key[]>();
  for (const { organizationId, key } of items.toSorted(inOrder)) {
    const keys = found.get(organizationId);
    if (keys) keys.push(key);
    else found.set(organizationId, [key]);
  }
  return found;
};

const inOrder = (a: UnnumberedItem, b: UnnumberedItem): number => {
  if (a.before !== b.before) return a.before - b.before;
  return a.at < b.at || (a.at === b.at && a.key.sk < b.key.sk) ? -1 : 1;
};
