import type { Lead } from '../../lib/leads/lead.ts';
import type { Filters } from '../../lib/leads/lists/terms/filters.ts';
import type { Sort, SortField } from '../../lib/leads/lists/terms/orders.ts';
import type { Outcome } from '../../lib/leads/lists/terms/stages.ts';
import { compareValues } from './order-values.ts';
import { chance, pick, type Random } from './random.ts';

// What a list of leads is, without indexes: all leads, those that match, sorted.

/** The outcome of the stage that a lead is in. */
export type OutcomeOf = (lead: Lead) => Outcome;

const fieldOf = (sort: Sort) => sort.replace('-', '') as SortField;

/** What a range is compared with: a number, or milliseconds since the epoch. */
const number = (value: string | number): number =>
  typeof value === 'number' ? value : Date.parse(value);

const isIn = (
  value: string | number | null,
  from: number | undefined,
  to: number | undefined,
): boolean => {
  if (from === undefined && to === undefined) return true;
  if (value === null) return false;
  const own = number(value);
  return own >= (from ?? Number.NEGATIVE_INFINITY) && own < (to ?? Number.POSITIVE_INFINITY);
};

const isSame = (wanted: string | null | undefined, value: string | null): boolean =>
  wanted === undefined || wanted?.toLowerCase() === value?.toLowerCase();

export const matches = (lead: Lead, f: Filters, outcomeOf: OutcomeOf): boolean =>
  isSame(f.pipeline_id, lead.pipeline_id) &&
  (f.stages === undefined || f.stages.includes(lead.stage)) &&
  isSame(f.owner_id, lead.owner_id) &&
  isSame(f.email, lead.email) &&
  isSame(f.phone, lead.phone) &&
  (f.next_step_at === undefined || lead.next_step_at === null) &&
  (f.value_cents === undefined || lead.value_cents === null) &&
  (f.outcome === undefined || f.outcome === outcomeOf(lead)) &&
  f.tags.every((tag) => lead.tags.includes(tag)) &&
  Object.entries(f.fields ?? {}).every(([key, value]) => String(lead.fields[key]) === value) &&
  isIn(lead.created_at, f.created_from, f.created_to) &&
  isIn(lead.updated_at, f.updated_from, f.updated_to) &&
  isIn(lead.stage_entered_at, f.stage_entered_from, f.stage_entered_to) &&
  isIn(lead.next_step_at, f.next_step_from, f.next_step_to) &&
  isIn(lead.value_cents, f.value_from, f.value_to);

type Place = readonly [value: string | number, id: string];

/** Where a lead is: leads with the same value are sorted by the last part of their ids. Undefined where it is in no place. */
export const placeOf = (lead: Lead, sort: Sort): Place | undefined => {
  const field = fieldOf(sort);
  const value = lead[field];
  if (value === null) return undefined;
  return [value, field === 'created_at' ? lead.id : lead.id.slice(-16)];
};

export const compareIn =
  (sort: Sort) =>
  (one: Lead, other: Lead): number => {
    const [a, b] = [placeOf(one, sort)!, placeOf(other, sort)!];
    const ascending =
      compareValues(fieldOf(sort), a[0], b[0]) || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
    return sort.startsWith('-') ? -ascending : ascending;
  };

export const listOf = (
  leads: Iterable<Lead>,
  filters: Filters,
  sort: Sort,
  outcomeOf: OutcomeOf,
): Lead[] =>
  [...leads]
    .filter((lead) => placeOf(lead, sort) !== undefined && matches(lead, filters, outcomeOf))
    .sort(compareIn(sort));

/** The query of a list. */
export const queryOf = ({ tags, stages = [], fields, ...filters }: Filters, sort: Sort): string => {
  const query = new URLSearchParams({ sort });
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    const isTime = typeof value === 'number' && !name.startsWith('value_');
    query.set(name, isTime ? new Date(value).toISOString() : String(value ?? 'none'));
  }
  for (const stage of stages) query.append('stage', stage);
  for (const tag of tags) query.append('tag', tag);
  for (const [key, value] of Object.entries(fields ?? {})) query.set(`fields[${key}]`, value);
  return query.toString();
};

interface Choices {
  pipelines: readonly string[];
  owners: readonly string[];
  stages: readonly string[];
  tags: readonly string[];
}

const ranged = [
  ['created', 'created_at'],
  ['updated', 'updated_at'],
  ['stage_entered', 'stage_entered_at'],
  ['next_step', 'next_step_at'],
  ['value', 'value_cents'],
] as const;

/** Some filters by chance; the bounds of ranges are values of leads. */
export const filtersByChance = (
  next: Random,
  leads: readonly Lead[],
  { pipelines, owners, stages, tags }: Choices,
): Filters => {
  const of = <T>(odds: number, all: readonly T[]) =>
    chance(next, odds) ? pick(next, all) : undefined;
  const filters: Filters = {
    pipeline_id: of(0.3, pipelines),
    stages: chance(next, 0.25) ? [pick(next, stages), pick(next, stages)] : undefined,
    outcome: of(0.25, ['open', 'won', 'lost']),
    owner_id: of(0.5, [...owners, null]),
    email: of(0.05, [null]),
    phone: of(0.05, [null]),
    next_step_at: of(0.1, [null]),
    value_cents: of(0.1, [null]),
    tags: tags.filter(() => chance(next, 0.2)),
  };
  for (const [name, field] of ranged) {
    if (leads.length === 0 || filters[field as keyof Filters] === null || !chance(next, 0.2))
      continue;
    const bounds = [pick(next, leads)[field], pick(next, leads)[field]].flatMap((value) =>
      value === null ? [] : [number(value)],
    );
    const [from, to] = bounds.sort((a, b) => a - b);
    const [hasFrom, hasTo] = [chance(next, 0.7), chance(next, 0.7)];
    if (hasFrom && from !== undefined) filters[`${name}_from`] = from;
    if (hasTo && to !== undefined && to !== from) filters[`${name}_to`] = to;
  }
  return filters;
};
