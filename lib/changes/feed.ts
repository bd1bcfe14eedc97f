import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { changeIndex, places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import { mostQueryUnits, mostReadUnits } from '../table/read-budget.ts';
import type { Item, Table } from '../table/table.ts';
import { type ChangeType, isOfTypes, type Told, toTold } from './change.ts';

export const feedHeadKind = new Kind(places.feedHead, {
  holds: 'the last number of a feed',
  attributes: z.object({ sequence: z.int(), numbered_at: z.number() }),
});

const namespace = v5('leads-and-stars feeds', v5.URL);

/**
 * The feed of an organization in this table. A table that was restored from a backup has another feed, as its numbers may
 * be of other changes. `TABLE_IDENTITY` tells it from the table before.
 */
export const feedIdOf = (
  organizationId: string,
  table = process.env.TABLE_IDENTITY ?? process.env.TABLE_NAME,
): string => v5(JSON.stringify([table, organizationId]), namespace);

/** Changes that a page examines at most, where some are passed over. */
export const examineAtMost = 1000;
/** Changes of a query, where some are passed over. */
const examineAtOnce = 250;
/** A page that took more read units than this reads no more. */
const mostUnitsBefore = mostReadUnits - mostQueryUnits;

export interface FeedQuery {
  /** The number of the last change that is known: 0 for none. */
  after: number;
  /** Changes of a page at most. */
  limit: number;
  /** Changes of other types are passed over. */
  types?: readonly ChangeType[] | undefined;
  /** Only changes that this user made. */
  userId?: string | undefined;
  /** Only changes at `from` or later, and before `to`: see `timeOf`. Milliseconds since the epoch. */
  from?: number | undefined;
  to?: number | undefined;
}

export interface FeedPage {
  items: Told[];
  /** The next page's `after`, also where no change was of the types. */
  lastSequence: number;
  /** Whether there is more to read now. */
  hasMore: boolean;
  feedId: string;
}

const numbered = z.object({ sequence: z.int(), numbered_at: z.number(), at: z.iso.datetime() });

/** An item of the index, which has only items that have a number. */
const toNumbered = (item: Item) => ({ ...numbered.parse(item), item });
type Numbered = ReturnType<typeof toNumbered>;

/** Milliseconds after which a change that comes into the feed counts by then, and not by when it was made. */
const settledMs = 10_000;

/**
 * The time by which a change is found: when it was made. A change that came into the feed much later counts by when it
 * came. So whoever reads one interval after another gets each change once.
 */
const timeOf = ({ at, numbered_at }: Numbered): number => {
  const madeAt = Date.parse(at);
  const tookMs = numbered_at - madeAt;
  // If the clock was ahead, the change was made after it came: a search by when it came would end after it.
  return tookMs < 0 || tookMs > settledMs ? numbered_at : madeAt;
};

/** A page of an organization's changes, oldest first, without a gap between their numbers. */
export const readFeed = async (
  table: Table<'Query by_sequence'>,
  organizationId: string,
  { after, limit, types, userId, from = 0, to = Number.POSITIVE_INFINITY }: FeedQuery,
): Promise<FeedPage> => {
  const feedId = feedIdOf(organizationId);
  const items: Told[] = [];
  let lastSequence = after;
  const page = (hasMore: boolean): FeedPage => ({ items, lastSequence, hasMore, feedId });
  const isFiltered = types !== undefined || userId !== undefined || from > 0;
  for (let [examined, taken] = [0, 0]; examined < examineAtMost && taken <= mostUnitsBefore; ) {
    const pageLimit =
      examined === 0 ? limit + 1 : Math.min(examineAtOnce, examineAtMost - examined);
    const {
      items: pageItems,
      units,
      last,
    } = await readNumbered(table, feedId, lastSequence, pageLimit);
    const unbroken = withoutGap(lastSequence, pageItems);
    for (const one of unbroken) {
      if (one.numbered_at >= to + settledMs) return page(false);
      if (items.length === limit) return page(true);
      lastSequence = one.sequence;
      const time = timeOf(one);
      if (time < from || time >= to || (types && !isOfTypes(one.item, types))) continue;
      if (userId !== undefined && one.item.user_id !== userId) continue;
      items.push(toTold(one.item));
    }
    if (unbroken.length < pageItems.length) return page(true);
    if (!last) return page(false);
    // A page of DynamoDB's that is full by its bytes is one of ours.
    if (!isFiltered || pageItems.length < pageLimit) return page(true);
    examined += pageItems.length;
    taken += units;
  }
  return page(true);
};

const readNumbered = (
  table: Table<'Query by_sequence'>,
  feedId: string,
  after: number,
  limit: number,
) =>
  table.query({
    index: changeIndex.name,
    kind: { parse: toNumbered },
    condition: 'feed = :feed AND #sequence > :after',
    names: { '#sequence': 'sequence' },
    values: { ':feed': feedId, ':after': after },
    limit,
  });

/** The number after which all changes of this time or later are. One query for each halving of the feed. */
export const seekFeed = async (
  table: Table<'Query by_sequence'>,
  organizationId: string,
  from: number,
  head: number,
): Promise<number> => {
  const feedId = feedIdOf(organizationId);
  let [before, end] = [0, head];
  while (before < end) {
    const middle = Math.floor((before + end) / 2);
    const { items } = await readNumbered(table, feedId, middle, 1);
    const [next] = items;
    if (!next || next.numbered_at >= from) end = middle;
    else before = next.sequence;
  }
  return before;
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
 * The items that follow a number without a gap. An index may show a change before it shows an earlier change. The earlier
 * change is on its way, and a reader who went past its number would never see it.
 */
export const withoutGap = <T extends { sequence: number }>(
  after: number,
  items: readonly T[],
): T[] => {
  const end = items.findIndex(({ sequence }, i) => sequence !== after + i + 1);
  return items.slice(0, end < 0 ? items.length : end);
};
