import { ApiError, invalid } from '../../errors/errors.ts';
import { type LeadOrder, leadOrders } from '../../table/indexes/lead-indexes.ts';
import type { Lead } from '../lead.ts';
import { leadKind } from '../stored-lead.ts';
import { type IndexRange, indexRanges, sortedRange } from './index-ranges.ts';
import { type LeadPage, mostItemsListed, type PageStart, readLeadPage } from './read-page.ts';
import {
  partitionsBehind,
  placeLeads,
  type RangeRead,
  readRange,
  type Scope,
  startRead,
} from './read-range.ts';
import { newestFirst, type Order, type Position } from './terms/orders.ts';
import { idRange, keyRange, type Ranges } from './terms/ranges.ts';

/** The most items of a list in another order that is sorted in memory. */
export const mostItemsSorted = 200;
/** All lists that may be that short get half of what a request may examine. */
const mostItemsTried = mostItemsListed / 2;

/** Ends a position from where on the list is read in its order. */
const sortedLetter = 'a';

/** A page of a list that is not sorted by creation. */
export const listSorted = async (
  { scope, filters, selection, limit, after, letter }: PageStart,
  field: LeadOrder,
): Promise<LeadPage> => {
  if (letter && letter !== sortedLetter) throw new ApiError('invalid_cursor');
  const { organizationId, order } = scope;
  const sorted = sortedRange(organizationId, filters, field, selection);
  let budget = mostItemsListed;
  if (!letter) {
    const ways = indexRanges(organizationId, filters, selection);
    const shorter = ways.filter((one) => isShorter(organizationId, one, sorted));
    const { leads, examined } = await readShort(scope, shorter, idRange(filters));
    if (leads) return sortInMemory(order, filters, leads, limit, after);
    budget -= examined;
  }
  if (!sorted) {
    throw invalid(
      'sort',
      `can be ${field} without owner_id only where the other filters leave ${mostItemsSorted} leads or fewer`,
    );
  }
  const page = await readLeadPage(scope, sorted, limit, startRead(sorted, after), budget);
  return { ...page, next: page.next && page.next + sortedLetter };
};

/** Whether a range may have much less than the one that is sorted. */
const isShorter = (
  organizationId: string,
  { partitions }: IndexRange,
  sorted: IndexRange | undefined,
): boolean => {
  if (!sorted) return true;
  const { within } = leadOrders[sorted.field as LeadOrder];
  const whole = leadKind.partition({ organizationId });
  return partitions.some(({ index, value }) => (index ? index !== within : value !== whole));
};

/** The leads of the first range that turns out to be short; undefined where none is. */
const readShort = async (
  { table, organizationId }: Scope,
  ranges: readonly IndexRange[],
  range: Scope['range'],
): Promise<{ leads?: Lead[]; examined: number }> => {
  const scope: Scope = { table, organizationId, order: newestFirst, range };
  const most = Math.min(mostItemsSorted, Math.floor(mostItemsTried / ranges.length) - 1);
  const reads = await Promise.all(ranges.map((one) => readToEnd(scope, one, most)));
  const short = reads.find(({ isEnd }) => isEnd);
  return {
    ...(short && { leads: short.leads.map(({ lead }) => lead) }),
    examined: reads.reduce((sum, { examined }) => sum + examined, 0),
  };
};

/** Reads a range to its end, or one item more than `most`. */
const readToEnd = async (scope: Scope, range: IndexRange, most: number): Promise<RangeRead> => {
  let read = startRead(range, undefined);
  while (!read.isEnd && read.examined <= most) {
    const partitions = partitionsBehind(scope.order, read, Number.POSITIVE_INFINITY);
    read = await readRange(scope, range, read, partitions, most + 1 - read.examined);
  }
  return read;
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
