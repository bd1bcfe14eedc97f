import { ApiError } from '../../errors/errors.ts';
import { mostItemsExamined, ReadBudget } from '../../table/read-budget.ts';
import { mostLeadUnits } from '../stored-lead.ts';
import { type IndexRange, indexRanges } from './index-ranges.ts';
import { isNearlyFull, type LeadPage, type PageStart, readLeadPage } from './read-page.ts';
import {
  farthest,
  type ListTable,
  partitionsBehind,
  readRange,
  type Scope,
  startRead,
} from './read-range.ts';
import { readSelection } from './selection.ts';
import { listSorted } from './sorted-list.ts';
import type { Filters } from './terms/filters.ts';
import {
  isPositionIn,
  newestFirst,
  type Order,
  type Position,
  positionForm,
} from './terms/orders.ts';
import { isWithin, keyRange } from './terms/ranges.ts';

/** The most items read of each range to choose a range. All ranges together get half of what a request may examine. */
const mostItemsProbed = 50;

/** The end of a page: a position, and the letter of how it was read. Without a letter, the next page chooses. */
export const pageEndForm = new RegExp(`^(${positionForm})([a-zA-F]?)$`);
/** A letter for each range: the fields, 20 tags and 10 custom fields. */
const rangeLetters = 'abcdefghijklmnopqrstuvwxyzABCDE';

/**
 * One page of an organization's leads after the end of another page. Throws `invalid_cursor` if no page of this list can end
 * there, and `invalid_request` if a list in this order needs an owner.
 */
export const listLeads = async (
  table: ListTable,
  organizationId: string,
  filters: Filters,
  limit: number,
  pageEnd?: string,
  order: Order = newestFirst,
  budget = new ReadBudget({ unitsOfItem: mostLeadUnits / 2 }),
): Promise<LeadPage> => {
  const [, after, letter = ''] = pageEndForm.exec(pageEnd ?? '') ?? [];
  const range = keyRange(order.field, filters);
  const scope = { table, organizationId, order, range, budget };
  if (after && !(isPositionIn(order.field, after) && isWithin(scope.range, after))) {
    throw new ApiError('invalid_cursor');
  }
  const selection = await readSelection(table, organizationId, filters, order.field);
  const start = { scope, filters, selection, limit, after, letter };
  return order.field === 'created_at' ? listById(start) : listSorted(start, order.field);
};

const listById = async ({
  scope,
  filters,
  selection,
  limit,
  after,
  letter,
}: PageStart): Promise<LeadPage> => {
  const ranges = indexRanges(scope.organizationId, filters, selection);
  const given = letter ? ranges[rangeLetters.indexOf(letter)] : undefined;
  if (letter && !given) throw new ApiError('invalid_cursor');
  const only = ranges.length === 1 ? ranges[0] : undefined;
  if (only) return readLeadPage(scope, only, limit, startRead(only, after));
  const { range, read } = given
    ? { range: given, read: startRead(given, after) }
    : await chooseRange(scope, ranges, after, limit);
  const page = await readLeadPage(scope, range, limit, read);
  // A page that is far from full was expensive. Another range may be better from here on: the next page chooses.
  if (page.next === undefined || !isNearlyFull(page.leads, limit)) return page;
  return { leads: page.leads, next: `${page.next}${rangeLetters[ranges.indexOf(range)]}` };
};

// docs/decisions/lists.md
/** Reads the same number of items of each range, and chooses the range that came farthest: for 3 units, it saves up to 50. */
const chooseRange = async (
  scope: Scope,
  ranges: readonly IndexRange[],
  after: Position | undefined,
  limit: number,
) => {
  const queries = ranges.reduce((sum, { partitions }) => sum + partitions.length, 0);
  const affordable = scope.budget.affordable(mostItemsExamined / 2, { queries });
  const probe = Math.min(limit, mostItemsProbed, Math.floor(affordable / queries));
  const reads = await Promise.all(
    ranges.map((range) => {
      const start = startRead(range, after);
      const partitions = partitionsBehind(scope.order, start, limit);
      return readRange(scope, range, start, partitions, Math.max(probe, partitions.length));
    }),
  );
  const choice = farthest(scope.order, reads);
  return { range: ranges[choice]!, read: reads[choice]! };
};
