import { filterText } from '../../../fields/values.ts';
import type { ListIdentity } from '../../../schema/cursor.ts';
import { type LookupField, lookupFields, normalize } from '../../contacts.ts';
import type { Lead } from '../../lead.ts';
import { newestFirst, type Order } from './orders.ts';
import { isInRanges, type Ranges, rangeNames, rangesBeside } from './ranges.ts';
import type { Outcome, Stages } from './stages.ts';

/** The fields by which leads are found that have none. */
export const absentFields = [
  'owner_id',
  'email',
  'phone',
  'next_step_at',
  'value_cents',
] as const satisfies (keyof Lead)[];
type AbsentField = (typeof absentFields)[number];

/** A lead is listed when it has all of these. What is null is a field that it must not have. */
export interface Filters extends Ranges {
  pipeline_id?: string | undefined;
  /** The names of stages: it has to be in one of them. */
  stages?: readonly string[] | undefined;
  outcome?: Outcome | undefined;
  owner_id?: string | null | undefined;
  external_id?: string | undefined;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  next_step_at?: null | undefined;
  value_cents?: null | undefined;
  tags: readonly string[];
  /** Values of custom fields by their keys, as text. */
  fields?: Readonly<Record<string, string>> | undefined;
}

/** The sequence and the doubles of tags and stages make no difference to the list. */
export const listIdentity = (
  organizationId: string,
  filters: Filters,
  order: Order = newestFirst,
): ListIdentity => [
  organizationId,
  'listLeads',
  order.field,
  order.descending,
  filters.pipeline_id ?? null,
  filters.stages ? sortTexts(filters.stages) : null,
  filters.outcome ?? null,
  filters.owner_id ?? null,
  sortTexts(filters.tags),
  absentIn(filters),
  ...rangeNames.flatMap((name) => [filters[`${name}_from`] ?? null, filters[`${name}_to`] ?? null]),
  ...lookupFields.map((field) => {
    const value = filters[field];
    return typeof value === 'string' ? normalize(field, value) : null;
  }),
  ...sortCustomFilters(filters),
];

/** Tags, or names of stages, as a list has them. */
export const sortTexts = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** The fields that a lead must not have. */
export const absentIn = (filters: Filters): AbsentField[] =>
  absentFields.filter((field) => filters[field] === null);

/** Filters by custom fields, sorted by their keys. */
export const sortCustomFilters = ({
  fields = {},
}: Pick<Filters, 'fields'>): [key: string, value: string][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));

/** Whether few leads can match, as the filters name a contact or an external id: then they are looked up. */
export const isLookup = (filters: Filters): boolean =>
  lookupFields.some((field) => typeof filters[field] === 'string');

/** Whether all filters hold for a lead. `stages` are those that the filters name by pipelines. */
export const matchesFilters = (lead: Lead, filters: Filters, stages?: Stages): boolean =>
  (['pipeline_id', 'owner_id'] as const).every((field) => matchesField(lead, filters, field)) &&
  (filters.stages?.includes(lead.stage) ?? true) &&
  absentIn(filters).every((field) => lead[field] === null) &&
  filters.tags.every((tag) => lead.tags.includes(tag)) &&
  Object.entries(filters.fields ?? {}).every(([key, value]) =>
    matchesCustomField(lead, key, value),
  ) &&
  matchesLookups(lead, filters) &&
  (filters.outcome === undefined || stages?.has(lead) === true) &&
  isInRanges(lead, filters, rangesBeside(filters));

/** Whether a lead has the contacts and the external id that the filters name. */
export const matchesLookups = (lead: Lead, filters: Filters): boolean =>
  lookupFields.every((field) => matchesField(lead, filters, field));

const matchesCustomField = ({ fields }: Lead, key: string, value: string): boolean => {
  const own = fields[key];
  return own !== undefined && filterText(own) === value;
};

const matchesField = (
  lead: Lead,
  filters: Filters,
  field: LookupField | 'pipeline_id' | 'owner_id',
): boolean => {
  const [wanted, value] = [filters[field], lead[field]];
  if (typeof wanted !== 'string') return true;
  return value !== null && normalize(field, value) === normalize(field, wanted);
};
