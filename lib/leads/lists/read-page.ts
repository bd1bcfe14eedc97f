import type { Lead } from '../lead.ts';
import type { IndexRange } from './index-ranges.ts';
import {
  type Placed,
  partitionsBehind,
  type RangeRead,
  readRange,
  type Scope,
} from './read-range.ts';
import type { Selection } from './selection.ts';
import type { Filters } from './terms/filters.ts';
import type { Position } from './terms/orders.ts';

/** How many items are examined at a time where a filter drops some. */
const mostItemsAtOnce = 500;
const nearlyFullShare = 0.8;

export interface LeadPage {
  leads: Lead[];
  /** The `pageEndForm` after which the next page starts; undefined at the end of the list. */
  next: string | undefined;
}

/** A list, and where a page of it starts. */
export interface PageStart {
  scope: Scope;
  filters: Filters;
  selection: Selection;
  limit: number;
  after: Position | undefined;
  letter: string;
}

/** Whether a page has at least four fifths of what it may have: then it was not dear. */
export const isNearlyFull = ({ length }: readonly unknown[], limit: number): boolean =>
  length >= limit * nearlyFullShare;

/**
 * A page that goes on from what was read of a range. It may be short before the end of the list: where leads are dropped, and
 * where the budget ends.
 */
export const readLeadPage = (
  scope: Scope,
  range: IndexRange,
  limit: number,
  start: RangeRead,
): Promise<LeadPage> =>
  range.filter || range.matches
    ? readFiltered(scope, range, limit, start)
    : readWhole(scope, range, limit, start);

/** The items that are read at a time of many partitions, as pages: most of them come later in the list than the page. */
const pagesAtOnce = 4;

/**
 * Reads one lead more than the page, to know whether it is the last. A query ends at 1 MB, so that large
 * leads take several.
 */
const readWhole = async (
  scope: Scope,
  range: IndexRange,
  limit: number,
  start: RangeRead,
): Promise<LeadPage> => {
  let read = start;
  while (!read.isEnd && read.reached <= limit) {
    const missing = limit + 1 - read.reached;
    const partitions = partitionsBehind(scope.order, read, missing);
    const left = scope.budget.affordable(Number.POSITIVE_INFINITY, { queries: partitions.length });
    if (left === 0) break;
    // Enough is left to go on with one partition that has all the rest.
    const together = Math.max(missing, Math.min(pagesAtOnce * missing, left - missing));
    const each = Math.min(missing, Math.max(1, Math.floor(together / partitions.length)));
    const items = Math.min(each * partitions.length, left);
    read = await readRange(scope, range, read, partitions, items);
  }
  return pageOf(read, limit);
};

/**
 * Where some leads are dropped: reads until the page is nearly full, the list ends, or the request has
 * examined enough. It does not aim at a full page: leads that do not fit would be read again for the next page.
 */
const readFiltered = async (
  scope: Scope,
  range: IndexRange,
  limit: number,
  start: RangeRead,
): Promise<LeadPage> => {
  let read = start;
  while (!read.isEnd && !isNearlyFull(reachedOf(read), limit)) {
    const partitions = partitionsBehind(scope.order, read, limit - read.reached);
    // At least one item of each partition: else a small page of many partitions takes a round trip for each.
    const wanted = Math.max(estimateItems(read, limit), partitions.length);
    const items = scope.budget.affordable(wanted, { queries: partitions.length });
    if (items === 0) break;
    read = await readRange(scope, range, read, partitions, items);
  }
  return pageOf(read, limit);
};

const reachedOf = ({ leads, reached }: RangeRead): Placed[] => leads.slice(0, reached);

const pageOf = (read: RangeRead, limit: number): LeadPage => {
  const all = reachedOf(read);
  const page = all.slice(0, limit);
  const isCut = all.length > limit;
  return {
    leads: page.map(({ lead }) => lead),
    next: isCut ? page.at(-1)?.position : read.isEnd ? undefined : read.end,
  };
};

/** Estimates how many more items to read so that the page is nearly full. After few items, the estimate is rough: so it is limited. */
const estimateItems = ({ reached, examined }: RangeRead, limit: number): number => {
  if (examined === 0) return limit;
  const share = Math.max(reached, 0.25) / examined;
  const missing = (limit * (1 + nearlyFullShare)) / 2 - reached;
  return Math.min(Math.ceil(missing / share), 4 * examined, mostItemsAtOnce);
};
