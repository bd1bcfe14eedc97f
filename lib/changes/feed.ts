import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { changeIndex, places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Item, Table } from '../table/table.ts';
import type { Change, ChangeType } from './change.ts';
import { isOfTypes, toChange } from './telling.ts';

export const feedHeadKind = new Kind(places.feedHead, {
  holds: 'the last number of a feed',
  attributes: z.object({ sequence: z.int() }),
});

const namespace = v5('leads-and-stars feeds', v5.URL);

/**
 * The feed of an organization in this table: another one in a table that was restored from a backup, whose
 * numbers may be of other changes. `TABLE_IDENTITY` tells such a table from the one before.
 */
export const feedIdOf = (
  organizationId: string,
  table = process.env.TABLE_IDENTITY ?? process.env.TABLE_NAME,
): string => v5(JSON.stringify([table, organizationId]), namespace);

/** Changes that a page examines at most, where there are types to look for. */
export const examineAtMost = 1000;
/** Changes of a query, where there are types to look for. */
const examineAtOnce = 250;

export interface FeedQuery {
  /** The number of the last change that is known: 0 for none. */
  after: number;
  /** Changes of a page at most. */
  limit: number;
  /** Changes of other types are passed over. */
  types?: readonly ChangeType[] | undefined;
}

export interface FeedPage {
  items: Change[];
  /** The next page's `after`, also where no change was of the types. */
  lastSequence: number;
  /** Whether there is more to read now. */
  hasMore: boolean;
  feedId: string;
}

/** An item of the index, which has only items that have a number. */
const toNumbered = (item: Item) => ({ sequence: z.int().parse(item.sequence), item });

/** A page of an organization's changes, oldest first, without a gap: each number follows the one before. */
export const readFeed = async (
  table: Table<'Query by_sequence'>,
  organizationId: string,
  { after, limit, types }: FeedQuery,
): Promise<FeedPage> => {
  const feedId = feedIdOf(organizationId);
  const items: Change[] = [];
  let lastSequence = after;
  const page = (hasMore: boolean): FeedPage => ({ items, lastSequence, hasMore, feedId });
  for (let examined = 0; examined < examineAtMost; ) {
    const pageLimit =
      examined === 0 ? limit + 1 : Math.min(examineAtOnce, examineAtMost - examined);
    const { items: pageItems, last } = await table.query({
      index: changeIndex.name,
      kind: { parse: toNumbered },
      condition: 'feed = :feed AND #sequence > :after',
      names: { '#sequence': 'sequence' },
      values: { ':feed': feedId, ':after': lastSequence },
      limit: pageLimit,
    });
    const unbroken = withoutGap(lastSequence, pageItems);
    for (const { sequence, item } of unbroken) {
      if (items.length === limit) return page(true);
      lastSequence = sequence;
      if (!types || isOfTypes(item, types)) items.push(toChange(item));
    }
    if (unbroken.length < pageItems.length) return page(true);
    if (!last) return page(false);
    // A page of DynamoDB's that is full by its bytes is one of ours.
    if (!types || pageItems.length < pageLimit) return page(true);
    examined += pageItems.length;
  }
  return page(true);
};

/** The number of an organization’s last change, strongly consistent; 0 where there is none. */
export const readHead = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<number> => {
  const key = feedHeadKind.key({ organizationId, feedId: feedIdOf(organizationId) });
  return (await table.get(key))?.sequence ?? 0;
};

/**
 * Throws `invalid_request`, with the last number, for an `after` beyond it. Numbers of the feed before a restore can be:
 * so the error also names the feed.
 */
export const assertInFeed = (organizationId: string, after: number, last: number): void => {
  if (after <= last) return;
  const message = `must be at most ${last}, the number of the last change`;
  const feed_id = feedIdOf(organizationId);
  const details = [{ path: 'after', message, last_sequence: last, feed_id }];
  throw new ApiError('invalid_request', { details });
};

/**
 * What follows a number one by one. An index may show a change before the one that precedes it: that is
 * on its way, and whoever went past it would never see it.
 */
export const withoutGap = <T extends { sequence: number }>(
  after: number,
  items: readonly T[],
): T[] => {
  const end = items.findIndex(({ sequence }, i) => sequence !== after + i + 1);
  return items.slice(0, end < 0 ? items.length : end);
};
