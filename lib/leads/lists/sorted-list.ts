import { ApiError, invalid } from '../../errors/errors.ts';
import type { LeadOrder } from '../../table/indexes/lead-indexes.ts';
import { mostItemsExamined, spareUnits } from '../../table/read-budget.ts';
import type { Lead } from '../lead.ts';
import { leadKind } from '../stored-lead.ts';
import { type IndexRange, indexRanges, sortedRange } from './index-ranges.ts';
import { isNearlyFull, type LeadPage, type PageStart, readLeadPage } from './read-page.ts';
import {
  farthest,
  partitionsBehind,
  placeLeads,
  type RangeRead,
  readRange,
  readToEnd,
  type Scope,
  startRead,
} from './read-range.ts';
import { newestFirst, type Order, type Position } from './terms/orders.ts';
import { idRange, keyRange, type Ranges } from './terms/ranges.ts';

/** The most items of a list in another order that is sorted in memory. */
export const mostItemsSorted = 1000;
/** The most items that are read of each way by ids, before the index of the order is. All ways get half of a request's. */
const mostItemsTried = 200;

/** Ends a position from where on the list is read in its order. */
const sortedLetter = 'a';
/** Ends a position of a list that is sorted in memory: each way to read it has a letter. */
const wayLetters = 'bcdefghijklmnopqrstuvwxyzABCDEF';

// docs/decisions/lists.md
/**
 * A page of a list that is not sorted by creation. It is sorted in memory where a way to read it by ids soon ends, and else
 * read in its order. Where that gives a page far from full, it is sorted in memory if the shortest way has 1,000 items at most.
 */
export const listSorted = async (
  { scope, filters, selection, limit, after, letter }: PageStart,
  field: LeadOrder,
): Promise<LeadPage> => {
  const { organizationId, order } = scope;
  const sorted = sortedRange(organizationId, filters, field, selection);
  const ways = indexRanges(organizationId, filters, selection).filter((one) =>
    isShorter(organizationId, one, sorted),
  );
  const byId = { ...scope, order: newestFirst, range: idRange(filters) };
  const inMemory = ({ leads }: RangeRead, letter = '') =>
    withLetter(
      sortInMemory(
        order,
        filters,
        leads.map(({ lead }) => lead),
        limit,
        after,
      ),
      letter,
    );
  const inOrder = async (range: IndexRange) =>
    withLetter(await readLeadPage(scope, range, limit, startRead(range, after)), sortedLetter);

  if (letter === sortedLetter && sorted) return inOrder(sorted);
  const spare = sorted ? spareUnits : 0;
  const tried = letter
    ? ways.map((way) => startRead(way, undefined))
    : await tryAll(byId, ways, spare);
  const short = tried.find(({ isEnd }) => isEnd);
  if (short) return inMemory(short);
  const page = sorted && !letter ? await inOrder(sorted) : undefined;
  if (page && (page.next === undefined || isNearlyFull(page.leads, limit))) return page;

  const choice = letter ? wayLetters.indexOf(letter) : farthest(newestFirst, tried);
  const way = ways[choice];
  if (letter && !way) throw new ApiError('invalid_cursor');
  scope.budget.renewItems();
  const whole = way && (await readToEnd(byId, way, tried[choice]!, mostItemsSorted));
  if (whole?.isEnd) return inMemory(whole, wayLetters[choice]);
  if (page) return page;
  // The way has grown since the page before was read.
  if (sorted) return inOrder(sorted);
  throw invalid(
    'sort',
    `can be ${field} without owner_id only where the other filters leave few leads: ${mostItemsSorted} at most, fewer if they are large`,
  );
};

const withLetter = ({ leads, next }: LeadPage, letter: string): LeadPage => ({
  leads,
  next: next && next + letter,
});

/** Whether a range may have far fewer items than the range that is sorted. */
const isShorter = (
  organizationId: string,
  { partitions }: IndexRange,
  sorted: IndexRange | undefined,
): boolean => {
  if (!sorted) return true;
  if (!sorted.filter && !sorted.matches) return false;
  // An index of an order has the same partitions as an index by ids.
  const others = [
    leadKind.partition({ organizationId }),
    ...sorted.partitions.map((one) => one.value),
  ];
  return partitions.some(({ value }) => !others.includes(value));
};

/** Reads the ways side by side and equally far, until a way ends, or only `spare` units are left. */
const tryAll = async (
  scope: Scope,
  ways: readonly IndexRange[],
  spare: number,
): Promise<RangeRead[]> => {
  let reads = ways.map((way) => startRead(way, undefined));
  const share = Math.floor(mostItemsExamined / 2 / ways.length);
  const queries = ways.reduce((sum, { partitions }) => sum + partitions.length, 0);
  const most = Math.min(mostItemsTried + 1, share);
  while (ways.length > 0 && !reads.some(({ isEnd }) => isEnd)) {
    const left = most - Math.max(...reads.map(({ examined }) => examined));
    const items = scope.budget.affordable(left * ways.length, { queries, spare });
    const each = Math.floor(items / ways.length);
    if (each <= 0) break;
    reads = await Promise.all(
      ways.map((way, i) => {
        const read = reads[i]!;
        const partitions = partitionsBehind(scope.order, read, Number.POSITIVE_INFINITY);
        return readRange(scope, way, read, partitions, each);
      }),
    );
  }
  return reads;
};

/** A page of leads that are all there. */
export const sortInMemory = (
  order: Order,
  ranges: Ranges,
  leads: readonly Lead[],
  limit: number,
  after: Position | undefined,
): LeadPage => {
  const placed = placeLeads(order, keyRange(order.field, ranges), after, leads);
  const page = placed.slice(0, limit);
  return {
    leads: page.map(({ lead }) => lead),
    next: placed.length > limit ? page.at(-1)?.position : undefined,
  };
};
