import { filterText } from '../../fields/values.ts';
import { readPipelines } from '../../pipelines/pipeline.ts';
import type { Table } from '../../table/table.ts';
import {
  contactGuardKind,
  contactLookupKind,
  guardKey,
  type LookupField,
  lookupFields,
  normalize,
} from '../contacts.ts';
import type { Lead } from '../lead.ts';
import { leadKind, toStoredLead } from '../stored-lead.ts';
import { type Filters, idRange, isWithin } from './index-ranges.ts';
import type { LeadPage } from './list.ts';

type FindTable = Table<'GetItem' | 'Query'>;

/** Whether few leads can match, as the filters name a contact or an external id: then they are looked up. */
export const isLookup = (filters: Filters): boolean =>
  lookupFields.some((field) => filters[field] !== undefined);

/**
 * A page of the leads that have an external id, an email or a phone, newest first and strongly consistent.
 * With other filters, it may be short before the last page. Reads each pipeline, unless one is named.
 */
export const findLeads = async (
  table: FindTable,
  organizationId: string,
  filters: Filters,
  limit: number,
  after?: string,
  retryOnGone = true,
): Promise<LeadPage> => {
  const field = lookupFields.find((one) => filters[one] !== undefined)!;
  const ids = await findIds(table, organizationId, filters, field, limit, after);
  const page = ids.slice(0, limit);
  const items = await table.getAll(page.map((leadId) => leadKind.key({ organizationId, leadId })));
  // A lead is gone: if it was merged meanwhile, another lead has its contact now. So look once more.
  if (retryOnGone && items.includes(undefined)) {
    return findLeads(table, organizationId, filters, limit, after, false);
  }
  return {
    leads: items
      .flatMap((item) => (item ? toStoredLead(item).lead : []))
      .filter((lead) => matchesFilters(lead, filters)),
    next: ids.length > limit ? page.at(-1) : undefined,
  };
};

/** The ids of the newest leads that have the value, after `after`: one more than the page may have. */
const findIds = async (
  table: FindTable,
  organizationId: string,
  { pipeline_id, ...filters }: Filters,
  field: LookupField,
  limit: number,
  after: string = contactGuardKind.sortTemplate,
): Promise<string[]> => {
  const pipelines =
    field === 'external_id'
      ? ['']
      : pipeline_id
        ? [pipeline_id]
        : (await readPipelines(table, organizationId, { consistent: true })).map(({ id }) => id);
  const keys = pipelines.map((id) => guardKey(organizationId, id, field, filters[field]!));
  // An external id has one lead at most.
  const queries =
    field === 'external_id' ? [] : keys.map(({ pk }) => queryIds(table, pk, limit, after));
  const [guards, ...shared] = await Promise.all([table.getAll(keys), ...queries]);
  const unique = guards.flatMap((guard) => guard?.lead_id ?? []);
  return [...new Set([...unique, ...shared.flat()])]
    .filter((id) => id < after)
    .sort()
    .reverse()
    .slice(0, limit + 1);
};

/** Of leads that share a contact. A guard comes after every id. */
const queryIds = async (table: Table<'Query'>, pk: string, limit: number, after: string) => {
  const { items } = await table.query({
    kind: contactLookupKind,
    condition: 'pk = :pk AND sk < :after',
    values: { ':pk': pk, ':after': after },
    limit: limit + 1,
    newestFirst: true,
    consistent: true,
  });
  return items.map((item) => contactLookupKind.idsOf(item).leadId);
};

/** Whether all filters hold for a lead. */
export const matchesFilters = (lead: Lead, filters: Filters): boolean =>
  (['pipeline_id', 'stage', 'owner_id'] as const).every((field) =>
    matchesField(lead, filters, field),
  ) &&
  lookupFields.every((field) => matchesField(lead, filters, field)) &&
  filters.tags.every((tag) => lead.tags.includes(tag)) &&
  Object.entries(filters.fields ?? {}).every(([key, value]) =>
    matchesCustomField(lead, key, value),
  ) &&
  isWithin(idRange(filters), lead.id);

const matchesCustomField = ({ fields }: Lead, key: string, value: string): boolean => {
  const own = fields[key];
  return own !== undefined && filterText(own) === value;
};

const matchesField = (
  lead: Lead,
  filters: Filters,
  field: LookupField | 'pipeline_id' | 'stage' | 'owner_id',
): boolean => {
  const [wanted, value] = [filters[field], lead[field]];
  if (wanted === undefined) return true;
  return value !== null && normalize(field, value) === normalize(field, wanted);
};
