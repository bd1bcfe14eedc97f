import { type LeadIndex, leadIndexKeys } from '../../table/indexes/lead-indexes.ts';
import type { ReadBudget } from '../../table/read-budget.ts';
import { type Item, type QueryInput, type Table, toKey } from '../../table/table.ts';
import type { Lead } from '../lead.ts';
import { leadKind, listedLead } from '../stored-lead.ts';
import type { IndexRange, Partition } from './index-ranges.ts';
import {
  comesBefore,
  inOrder,
  keysAt,
  type Order,
  type Position,
  positionOf,
  sortKeyOf,
} from './terms/orders.ts';
import { isWithin, type KeyRange } from './terms/ranges.ts';

/** The table's permissions that a list of leads needs. */
export type ListGrant = 'Query' | `Query ${LeadIndex}`;
export const listGrants: readonly ListGrant[] = [
  'Query',
  ...leadIndexKeys.map(({ name }) => `Query ${name}` as const),
];
export type ListTable = Table<ListGrant>;

/** Values that are the same for every query of a list. */
export interface Scope {
  table: ListTable;
  organizationId: string;
  order: Order;
  range: KeyRange;
  budget: ReadBudget;
}

/** How far a partition has been read: to its end, or down to a position; undefined before the first query. */
interface Tail {
  isEnd: boolean;
  end: Position | undefined;
}

/** A lead where it is in the list. */
export interface Placed {
  position: Position;
  lead: Lead;
}

/** The part of an index range that has been read. */
export interface RangeRead {
  /** The position after which the reading began. */
  after: Position | undefined;
  /** All leads that were read, in the order of the list. */
  leads: Placed[];
  /** How many of them come first whatever else is read: down to `end`. */
  reached: number;
  /** A tail for each partition. */
  tails: Tail[];
  end: Position | undefined;
  isEnd: boolean;
  examined: number;
}

export const startRead = ({ partitions }: IndexRange, after: Position | undefined): RangeRead => ({
  after,
  leads: [],
  reached: 0,
  tails: partitions.map(() => ({ isEnd: false, end: after })),
  end: after,
  isEnd: false,
  examined: 0,
});

/**
 * The partitions to read next, by their places, the least far read first. A partition waits where it was read as far as the
 * next `missing` leads are known to be, or farther than all others.
 */
export const partitionsBehind = (
  order: Order,
  { leads, reached, tails }: RangeRead,
  missing: number,
): number[] => {
  const isBehind = (one: Position | undefined, other: Position | undefined): boolean =>
    other !== undefined && (one === undefined || comesBefore(order, one, other));
  const open = tails
    .flatMap(({ isEnd }, i) => (isEnd ? [] : [i]))
    .sort((a, b) => (isBehind(tails[a]!.end, tails[b]!.end) ? -1 : 1));
  const farthest = tails[open.at(-1) ?? -1]?.end;
  const known = leads[reached + missing - 1]?.position;
  const goal = known !== undefined && isBehind(known, farthest) ? known : farthest;
  const behind = open.filter((i) => isBehind(tails[i]!.end, goal));
  return behind.length > 0 ? behind : open;
};

/** Reads a range on to its end, to one item more than `most`, or as far as the budget goes. */
export const readToEnd = async (
  scope: Scope,
  range: IndexRange,
  start: RangeRead,
  most: number,
): Promise<RangeRead> => {
  let read = start;
  for (;;) {
    const partitions = partitionsBehind(scope.order, read, Number.POSITIVE_INFINITY);
    const items = scope.budget.affordable(most + 1 - read.examined, {
      queries: partitions.length,
    });
    if (read.isEnd || items <= 0) return read;
    read = await readRange(scope, range, read, partitions, items);
  }
};

/** The read of a list that came farthest in it: its range has the fewest items to drop. */
export const farthest = (order: Order, reads: readonly RangeRead[]): number =>
  reads.reduce((best, read, i) => (isFarther(order, read, reads[best]!) ? i : best), 0);

/** Whether a range was read farther than another: a range that was read to its end is the farthest. */
const isFarther = (order: Order, one: RangeRead, other: RangeRead): boolean => {
  if (one.isEnd || other.isEnd) return one.isEnd && !other.isEnd;
  return one.end !== undefined && other.end !== undefined && comesBefore(order, other.end, one.end);
};

/** Reads `items` more items of these partitions of a range: side by side, and equally many of each. */
export const readRange = async (
  scope: Scope,
  range: IndexRange,
  read: RangeRead,
  partitions: readonly number[],
  items: number,
): Promise<RangeRead> => {
  const share = (place: number) =>
    Math.floor(items / partitions.length) + (place < items % partitions.length ? 1 : 0);
  const asked = partitions.filter((_, place) => share(place) > 0);
  const pages = await Promise.all(
    asked.map((i, place) =>
      scope.table.query({
        kind: listedLead,
        ...query(scope, range, range.partitions[i]!, share(place), read.tails[i]!.end),
      }),
    ),
  );
  for (const page of pages) scope.budget.take(page);
  const pageOf = new Map(asked.map((i, place) => [i, pages[place]!]));
  const tails = read.tails.map((tail, i) => {
    const page = pageOf.get(i);
    return page ? tailOf(range, page.last) : tail;
  });
  const { order } = scope;
  const ends = tails.flatMap(({ isEnd, end }) => (isEnd || end === undefined ? [] : [end]));
  const isEnd = tails.every((tail) => tail.isEnd);
  const isStarted = tails.every((tail) => tail.isEnd || tail.end !== undefined);
  const end = ends.reduce<Position | undefined>(
    (first, one) => (first === undefined || comesBefore(order, one, first) ? one : first),
    undefined,
  );
  const found = pages.flatMap((page) => page.items);
  const leads = place(scope, range, read, found);
  const beyond =
    end === undefined ? -1 : leads.findIndex((one) => comesBefore(order, end, one.position));
  return {
    after: read.after,
    leads,
    reached: !isStarted ? 0 : beyond < 0 ? leads.length : beyond,
    tails,
    end: isStarted ? end : read.after,
    isEnd,
    examined: read.examined + pages.reduce((sum, { examined }) => sum + examined, 0),
  };
};

/**
 * All leads of a list where they are in it, without doubles. A lead that is changed between two queries may be in both: its later
 * state stays.
 */
const place = (
  { order, range }: Scope,
  { matches = () => true }: IndexRange,
  { after, leads }: RangeRead,
  found: readonly Lead[],
): Placed[] => {
  const latest = new Map(leads.map(({ lead }) => [lead.id, lead]));
  for (const lead of found) {
    const other = latest.get(lead.id);
    if (!other || other.updated_at <= lead.updated_at) latest.set(lead.id, lead);
  }
  return placeLeads(order, range, after, [...latest.values()].filter(matches));
};

/** Leads where they are in a list: those in its range that come after a position. */
export const placeLeads = (
  order: Order,
  range: KeyRange,
  after: Position | undefined,
  leads: readonly Lead[],
): Placed[] => {
  const compare = inOrder(order);
  return leads
    .flatMap((lead) => {
      const position = positionOf(order.field, lead);
      return position !== undefined && isWithin(range, position) ? [{ position, lead }] : [];
    })
    .filter(({ position }) => after === undefined || comesBefore(order, after, position))
    .sort((a, b) => compare(a.position, b.position));
};

const tailOf = ({ field }: IndexRange, last: Item | undefined): Tail => {
  if (!last) return { isEnd: true, end: undefined };
  const { sk } = toKey(last);
  return {
    isEnd: false,
    end: field === 'created_at' ? sk : `${last[sortKeyOf(field)]}${sk}`,
  };
};

const query = (
  { organizationId, order, range }: Scope,
  { field, filter }: IndexRange,
  { index, value }: Partition,
  limit: number,
  after: Position | undefined,
): QueryInput<ListGrant> => {
  const attribute = partitionKeyOf(index);
  const sortKey = sortKeyOf(field);
  const keys = after === undefined ? undefined : keysAt(field, after);
  return {
    ...(index && { index }),
    condition: `#partition = :partition${rangeCondition(range)}`,
    ...(filter && { filter: filter.filter }),
    names: {
      '#partition': attribute,
      ...((range.from ?? range.to) && { '#sort': sortKey }),
      ...filter?.names,
    },
    values: {
      ':partition': value,
      ...(range.from && { ':from': range.from }),
      ...(range.to && { ':to': range.to }),
      ...filter?.values,
    },
    limit,
    startAfter: keys && {
      pk: leadKind.partition({ organizationId }),
      [attribute]: value,
      [sortKey]: keys.sortKey,
      sk: keys.sk,
    },
    newestFirst: order.descending,
  };
};

const partitionKeyOf = (index: LeadIndex | undefined): string =>
  leadIndexKeys.find(({ name }) => name === index)?.partitionKey ?? 'pk';

const rangeCondition = ({ from, to }: KeyRange): string => {
  if (from && to) return ' AND #sort BETWEEN :from AND :to';
  if (from) return ' AND #sort >= :from';
  return to ? ' AND #sort < :to' : '';
};
