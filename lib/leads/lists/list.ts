import { ApiError } from '../../errors/errors.ts';
import { readPipelinesWithStage } from '../../pipelines/pipeline.ts';
import type { Lead } from '../lead.ts';
import { type Filters, type IndexRange, idRange, indexRanges, isWithin } from './index-ranges.ts';
import { type ListTable, type RangeRead, readRange, type Scope, startRead } from './read-range.ts';

/** If a list can be read from several ranges: how many items a request examines at most, and how many at a time. */
export const mostItemsListed = 1000;
const mostItemsAtOnce = 500;
/** The most items that are read of each range to choose one. All ranges together get half of `mostItemsListed`. */
const mostItemsProbed = 50;
const nearlyFullShare = 0.8;

/** The end of a page: a lead's id, and the letter of its range. Without a letter, the next page chooses a range. */
export const pageEndForm = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})([a-zA-E]?)$/;
/** One for each range: the fields, 20 tags and 10 custom fields. */
const rangeLetters = 'abcdefghijklmnopqrstuvwxyzABCDE';

export interface LeadPage {
  leads: Lead[];
  /** The `pageEndForm` after which the next page starts; undefined at the end of the list. */
  next: string | undefined;
}

/**
 * One page of an organization's leads, newest first, after the end of another page. Throws
 * `invalid_cursor` if no page of this list can end there.
 */
export const listLeads = async (
  table: ListTable,
  organizationId: string,
  filters: Filters,
  limit: number,
  pageEnd?: string,
): Promise<LeadPage> => {
  const [, after, letter = ''] = pageEndForm.exec(pageEnd ?? '') ?? [];
  const scope = { table, organizationId, range: idRange(filters) };
  if (after && !isWithin(scope.range, after)) throw new ApiError('invalid_cursor');
  const pipelines =
    filters.stage && !filters.pipeline_id
      ? await readPipelinesWithStage(table, organizationId, filters.stage)
      : [];
  const ids = pipelines.map(({ id }) => id);
  const ranges = indexRanges(organizationId, filters, ids);
  if (letter && !ranges[rangeLetters.indexOf(letter)]) throw new ApiError('invalid_cursor');
  const start = startRead(after);
  if (ranges.length === 1) return readPage(scope, ranges[0]!, limit, start);
  const { choice, read, probeItems } = letter
    ? { choice: rangeLetters.indexOf(letter), read: start, probeItems: 0 }
    : await chooseRange(scope, ranges, start, limit);
  const budget = mostItemsListed - probeItems;
  const { leads, next } = await readPage(scope, ranges[choice]!, limit, read, budget);
  // A page that is far from full was expensive. Another range may be better from here on: the next page chooses.
  if (next === undefined || leads.length < limit * nearlyFullShare) return { leads, next };
  return { leads, next: `${next}${rangeLetters[choice]}` };
};

/** Reads the same number of items of each range. The range that came farthest back in time has the fewest items to drop. */
const chooseRange = async (
  scope: Scope,
  ranges: readonly IndexRange[],
  start: RangeRead,
  limit: number,
) => {
  const probe = Math.min(limit, mostItemsProbed, Math.floor(mostItemsListed / 2 / ranges.length));
  const reads = await Promise.all(ranges.map((range) => readRange(scope, range, start, probe)));
  const reach = ({ end = '' }: RangeRead) => end;
  const choice = reads.reduce((best, read, i) => (reach(read) < reach(reads[best]!) ? i : best), 0);
  const read = reads[choice]!;
  const examined = reads.reduce((sum, one) => sum + one.examined, 0);
  return { choice, read, probeItems: examined - read.examined };
};

const readPage = (
  scope: Scope,
  range: IndexRange,
  limit: number,
  start: RangeRead,
  budget = mostItemsListed,
): Promise<LeadPage> =>
  range.filter
    ? readFiltered(scope, range, limit, start, budget)
    : readWhole(scope, range, limit, start);

/**
 * How many items to read of each partition at first: as many as fill the page, but fewer where there are many
 * partitions. Otherwise all together would cost many times what the page holds.
 */
const firstShare = (limit: number, partitions: number): number =>
  Math.min(limit + 1, Math.ceil((firstReadPages * (limit + 1)) / partitions));
const firstReadPages = 4;

/**
 * Reads one lead more than the page, to know whether it is the last. A query ends at 1 MB, so that large
 * leads take several.
 */
const readWhole = async (scope: Scope, range: IndexRange, limit: number, start: RangeRead) => {
  const { length } = range.partitions;
  let read = await readRange(scope, range, start, length * firstShare(limit, length));
  while (read.end !== '' && read.leads.length <= limit) {
    read = await readRange(scope, range, read, limit + 1 - read.leads.length);
  }
  return pageOf(read, limit);
};

/**
 * Where a filter drops some leads: reads until the page is nearly full, the list ends, or the request has
 * examined enough. It does not aim at a full page: leads that do not fit would be read again for the next page.
 */
const readFiltered = async (
  scope: Scope,
  range: IndexRange,
  limit: number,
  start: RangeRead,
  budget: number,
) => {
  let read = start;
  while (read.end !== '' && read.leads.length < limit * nearlyFullShare && read.examined < budget) {
    const wanted = Math.min(estimateItems(read, limit), budget - read.examined);
    read = await readRange(scope, range, read, wanted);
  }
  return pageOf(read, limit);
};

const pageOf = ({ leads, end }: RangeRead, limit: number): LeadPage =>
  leads.length > limit
    ? { leads: leads.slice(0, limit), next: leads[limit - 1]?.id }
    : { leads, next: end || undefined };

/** Estimates how many more items to read so that the page is nearly full. After few items, the estimate is rough: so it is limited. */
const estimateItems = ({ leads, examined }: RangeRead, limit: number): number => {
  if (examined === 0) return limit;
  const share = Math.max(leads.length, 0.25) / examined;
  const missing = (limit * (1 + nearlyFullShare)) / 2 - leads.length;
  return Math.min(Math.ceil(missing / share), 4 * examined, mostItemsAtOnce);
};
