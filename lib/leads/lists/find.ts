import { ApiError } from '../../errors/errors.ts';
import { readPipelines } from '../../pipelines/pipeline.ts';
import { ReadBudget, spareUnits } from '../../table/read-budget.ts';
import type { Table } from '../../table/table.ts';
import { readUnitsOf } from '../../table/units.ts';
import {
  contactGuardKind,
  contactLookupKind,
  guardKey,
  type LookupField,
  lookupFields,
} from '../contacts.ts';
import { readLeads } from '../read-leads.ts';
import { mostLeadUnits, toStoredLead } from '../stored-lead.ts';
import { listLeads, pageEndForm } from './list.ts';
import type { LeadPage } from './read-page.ts';
import type { ListTable } from './read-range.ts';
import { readSelection, type Selection } from './selection.ts';
import { sortInMemory } from './sorted-list.ts';
import { type Filters, matchesFilters } from './terms/filters.ts';
import {
  comesBefore,
  inOrder,
  isPositionIn,
  newestFirst,
  type Order,
  type Position,
} from './terms/orders.ts';

type FindTable = Table<'GetItem' | 'Query'> & ListTable;

/** The most leads of a contact that are sorted in memory: each is a unit, at least. */
const mostSorted = 200;

/**
 * A page of the leads that have an external id, an email or a phone, strongly consistent. With other filters, it may be short
 * before the last page. Reads each pipeline unless told which. In another order than by creation, more than 200 leads are
 * read as `listLeads` does. Throws as that does.
 */
export const findLeads = async (
  table: FindTable,
  organizationId: string,
  filters: Filters,
  limit: number,
  pageEnd?: string,
  order: Order = newestFirst,
): Promise<LeadPage> => {
  const [, after, letter] = pageEndForm.exec(pageEnd ?? '') ?? [];
  const budget = new ReadBudget({ unitsOfItem: mostLeadUnits });
  const find = { table, organizationId, filters, budget };
  if (order.field === 'created_at') {
    if (after && !isPositionIn(order.field, after)) throw new ApiError('invalid_cursor');
    return findPage(find, limit, { after, order });
  }
  const first = { order: newestFirst, spare: spareUnits };
  const all = letter ? undefined : await findPage(find, mostSorted, first);
  return all && all.next === undefined
    ? sortInMemory(order, filters, all.leads, limit, after)
    : listLeads(table, organizationId, filters, limit, pageEnd, order, budget);
};

interface Find {
  table: FindTable;
  organizationId: string;
  filters: Filters;
  budget: ReadBudget;
}

interface Start {
  after?: Position | undefined;
  order: Order;
  /** The units that stay unread. */
  spare?: number;
}

const findPage = async (
  find: Find,
  limit: number,
  start: Start,
  retryOnGone = true,
): Promise<LeadPage> => {
  const { table, organizationId, filters, budget } = find;
  const [ids, { stages }] = await Promise.all([
    findIds(find, limit, start),
    filters.outcome ? readSelection(table, organizationId, filters) : noStages,
  ]);
  const page = ids.slice(0, limit);
  const items = await readLeads(table, organizationId, page, budget, start.spare);
  // A lead is gone: if it was merged meanwhile, another lead has its contact now. So look once more.
  if (retryOnGone && items.includes(undefined)) {
    return findPage(find, limit, start, false);
  }
  return {
    leads: items
      .flatMap((item) => (item ? toStoredLead(item).lead : []))
      .filter((lead) => matchesFilters(lead, filters, stages)),
    next: ids.length > items.length ? page[items.length - 1] : undefined,
  };
};

const noStages: Pick<Selection, 'stages'> = {};

/** The ids of the first leads that have the value, from `after` on: one more than the page may have. */
const findIds = async (
  { table, organizationId, filters: { pipeline_id, ...filters }, budget }: Find,
  limit: number,
  { after, order }: Start,
): Promise<string[]> => {
  const isNamed = (field: LookupField) => typeof filters[field] === 'string';
  const field = lookupFields.find(isNamed)!;
  const pipelines =
    field === 'external_id'
      ? ['']
      : pipeline_id
        ? [pipeline_id]
        : (await readPipelines(table, organizationId, { consistent: true })).map(({ id }) => id);
  const keys = pipelines.map((id) => guardKey(organizationId, id, field, filters[field] ?? ''));
  // An external id has one lead at most.
  const queries =
    field === 'external_id'
      ? []
      : keys.map(({ pk }) => queryIds(table, pk, limit, { after, order }));
  const [guards, ...shared] = await Promise.all([table.getAll(keys), ...queries]);
  const units = [...shared.map((page) => page.units), ...guards.map(readUnitsOf)];
  budget.take({ examined: 0, units: units.reduce((sum, one) => sum + one, 0) });
  const unique = guards.flatMap((guard) => guard?.lead_id ?? []);
  return [...new Set([...unique, ...shared.flatMap(({ ids }) => ids)])]
    .filter((id) => after === undefined || comesBefore(order, after, id))
    .sort(inOrder(order))
    .slice(0, limit + 1);
};

/** The ids of leads that share a contact. */
const queryIds = async (
  table: Table<'Query'>,
  pk: string,
  limit: number,
  { after, order: { descending } }: Start,
) => {
  // A guard comes after every id.
  const guard = contactGuardKind.sortTemplate;
  if (after !== undefined && after >= guard) throw new ApiError('invalid_cursor');
  const { items, units } = await table.query({
    kind: contactLookupKind,
    condition: 'pk = :pk AND sk < :guard',
    values: { ':pk': pk, ':guard': guard },
    limit: limit + 1,
    startAfter: after === undefined ? undefined : { pk, sk: after },
    newestFirst: descending,
    consistent: true,
  });
  return { ids: items.map((item) => contactLookupKind.idsOf(item).leadId), units };
};
