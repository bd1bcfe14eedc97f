import { type LeadIndex, leadIndexes, leadIndexNames } from '../../table/keys.ts';
import { type QueryInput, type Table, toKey } from '../../table/table.ts';
import { creationMs, type Lead } from '../lead.ts';
import { leadKind, listedLead } from '../stored-lead.ts';
import { type IdRange, type IndexRange, type Partition, rangeCondition } from './index-ranges.ts';

/** The table's permissions that a list of leads needs. */
export type ListGrant = 'Query' | `Query ${LeadIndex}`;
export const listGrants: readonly ListGrant[] = [
  'Query',
  ...leadIndexNames.map((index) => `Query ${index}` as const),
];
export type ListTable = Table<ListGrant>;

/** What is the same for every query of a request. */
export interface Scope {
  table: ListTable;
  organizationId: string;
  range: IdRange;
}

/** How far a partition has been read: down to `end`, which is empty if it was read to its end. */
interface Tail {
  end: string;
  examined: number;
}

/** What has been read of an index range. */
export interface RangeRead {
  /** The id after which the reading began. */
  after: string | undefined;
  /** All leads down to `end`, which is empty if the range was read to its end. */
  leads: Lead[];
  /** Leads before `end`: of partitions that have been read farther back than others. */
  beyond: Lead[];
  /** One for each partition; empty before the first query. */
  tails: Tail[];
  end: string | undefined;
  examined: number;
}

export const startRead = (after: string | undefined): RangeRead => ({
  after,
  leads: [],
  beyond: [],
  tails: [],
  end: after,
  examined: 0,
});

/** Reads about `items` more items of a range: its partitions side by side, to about the same moment. */
export const readRange = async (
  scope: Scope,
  range: IndexRange,
  read: RangeRead,
  items: number,
): Promise<RangeRead> => {
  const shares = divideItems(range, read, items);
  const pages = await Promise.all(
    range.partitions.map((partition, i) => {
      const after = read.tails[i]?.end ?? read.after;
      const limit = shares[i]!;
      return limit === 0
        ? undefined
        : scope.table.query({
            kind: listedLead,
            ...query(scope, partition, range.filter, limit, after),
          });
    }),
  );
  const tails = pages.map((page, i): Tail => {
    const before = read.tails[i] ?? { end: '', examined: 0 };
    if (!page) return before;
    const end = page.last ? toKey(page.last).sk : '';
    return { end, examined: before.examined + shares[i]! };
  });
  const end = tails.map((tail) => tail.end).reduce(newer, '');
  const leads = pages.flatMap((page) => page?.items ?? []);
  const sorted = deduplicate([...read.beyond, ...leads]);
  const reached = sorted.filter(({ id }) => id >= end).length;
  return {
    after: read.after,
    leads: [...read.leads, ...sorted.slice(0, reached)],
    beyond: sorted.slice(reached),
    tails,
    end,
    examined: read.examined + shares.reduce((sum, share) => sum + share, 0),
  };
};

/** Newest first, without doubles. A lead that moves between two partitions while they are read is in both: its later state stays. */
const deduplicate = (leads: readonly Lead[]): Lead[] =>
  leads
    .toSorted((a, b) => (a.id + a.updated_at < b.id + b.updated_at ? 1 : -1))
    .filter(({ id }, i, all) => id !== all[i - 1]?.id);

const newer = (a: string, b: string): string => (a > b ? a : b);

/**
 * Divides a number of items among the partitions, so that all are read back to about the same moment: the page can use
 * leads only down to the moment where the first partition stops. A partition with more leads in the same time gets
 * more, and one that was read farther back than that gets none.
 */
const divideItems = ({ partitions }: IndexRange, read: RangeRead, items: number): number[] => {
  const { after, leads, beyond, tails } = read;
  if (tails.length === 0 || partitions.length === 1) {
    return partitions.map(() => Math.ceil(items / partitions.length));
  }
  const startMs = creationMs(after ?? leads[0]?.id ?? beyond[0]?.id ?? read.end ?? '');
  const speeds = tails.map(({ end, examined }) => {
    if (end === '') return undefined;
    const endMs = creationMs(end);
    return { endMs, rate: examined / Math.max(1, startMs - endMs) };
  });
  const reachedMs = reachMs(
    speeds.filter((speed) => speed !== undefined),
    items,
  );
  return speeds.map((speed) =>
    speed ? Math.max(0, Math.ceil(speed.rate * (speed.endMs - reachedMs) - roundingError)) : 0,
  );
};

const roundingError = 1e-6;

/** The moment down to which the partitions can be read with `items`. Partitions that were read farther back take none. */
const reachMs = (speeds: { endMs: number; rate: number }[], items: number): number => {
  let [rates, weighted, reachedMs] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const { endMs, rate } of speeds.sort((a, b) => b.endMs - a.endMs)) {
    if (endMs <= reachedMs) break;
    rates += rate;
    weighted += rate * endMs;
    reachedMs = (weighted - items) / rates;
  }
  return reachedMs;
};

const query = (
  { organizationId, range }: Scope,
  { index, value }: Partition,
  filter: IndexRange['filter'],
  limit: number,
  after: string | undefined,
): QueryInput<ListGrant> => {
  const attribute = index ? leadIndexes[index].attribute : 'pk';
  return {
    ...(index && { index }),
    condition: `#partition = :partition${rangeCondition(range)}`,
    ...(filter && { filter: filter.filter }),
    names: { '#partition': attribute, ...filter?.names },
    values: {
      ':partition': value,
      ...(range.from && { ':from': range.from }),
      ...(range.to && { ':to': range.to }),
      ...filter?.values,
    },
    limit,
    startAfter: after
      ? { pk: leadKind.partition({ organizationId }), sk: after, [attribute]: value }
      : undefined,
    newestFirst: true,
  };
};
