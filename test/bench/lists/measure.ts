import type { Filters } from '../../../lib/leads/lists/terms/filters.ts';
import type { Sort } from '../../../lib/leads/lists/terms/orders.ts';
import type { Client } from '../../faults/client.ts';
import { type RequestMeter, sum } from '../../support/faults/request-meter.ts';
import type { Large } from './leads.ts';

/** Which filters are set. */
export type FilterNames = ('pipeline' | 'stage' | 'owner' | 'tag')[];

/** Every combination, those without a tag first. */
export const combinations: FilterNames[] = Array.from({ length: 16 }, (_, bits) =>
  (['pipeline', 'stage', 'owner', 'tag'] as const).filter((_, i) => bits & (1 << i)),
);

/** What the filters are set to: none of them the commonest. The owner has 7 of a hundred leads, and `few` has 1. */
export const filtersOf = (
  { pipelines, owners }: Large,
  names: FilterNames,
  owner: 'usual' | 'few' = 'usual',
): Filters => ({
  ...(names.includes('pipeline') && { pipeline_id: pipelines[1]?.id }),
  ...(names.includes('stage') && { stages: ['qualified'] }),
  ...(names.includes('owner') && { owner_id: owner === 'few' ? owners.at(-1) : owners[4] }),
  tags: names.includes('tag') ? ['newsletter'] : [],
});

/** What a page of a list cost, beyond the caller's membership. */
export interface PageCost {
  units: number;
  bytes: number;
  leads: number;
  isLast: boolean;
}

/** How a sorted list is read, and the units that a full page may cost at most. */
export const sortedGoals = {
  index: { mostUnits: 10, of: 'sorted otherwise, by an index of its own' },
  merged: { mostUnits: 20, of: 'ten pipelines side by side' },
  filtered: { mostUnits: 75, of: 'an order’s index, filtered' },
} as const;
export type SortedKind = keyof typeof sortedGoals;

/** Each order but that by creation, with each filter. By the next step, only an owner’s leads are sorted. */
export const sortedLists: { names: FilterNames; sort: Sort; kind: SortedKind }[] = [
  ...(['-updated_at', '-value_cents'] as const).flatMap((sort) => [
    { names: [], sort, kind: 'merged' as const },
    { names: ['pipeline' as const], sort, kind: 'index' as const },
    { names: ['owner' as const], sort, kind: 'index' as const },
    { names: ['pipeline' as const, 'owner' as const], sort, kind: 'filtered' as const },
    { names: ['stage' as const, 'owner' as const], sort, kind: 'filtered' as const },
  ]),
  { names: ['stage'], sort: '-updated_at', kind: 'filtered' },
  { names: ['stage'], sort: '-value_cents', kind: 'merged' },
  { names: ['pipeline', 'stage'], sort: '-updated_at', kind: 'filtered' },
  { names: ['pipeline', 'stage'], sort: '-value_cents', kind: 'index' },
  { names: ['owner'], sort: 'next_step_at', kind: 'index' },
  { names: ['pipeline', 'owner'], sort: 'next_step_at', kind: 'filtered' },
  { names: ['stage', 'owner'], sort: 'next_step_at', kind: 'filtered' },
  { names: ['pipeline', 'stage', 'owner', 'tag'], sort: '-updated_at', kind: 'filtered' },
];

/** Leads of a page. */
export const pageSize = 50;

/** Asks the service for a page. */
export const listPage = async (
  client: Client,
  meter: RequestMeter,
  filters: Filters,
  sort: Sort = '-created_at',
): Promise<PageCost> => {
  const query = new URLSearchParams({ limit: String(pageSize), sort });
  for (const name of ['pipeline_id', 'owner_id'] as const) {
    const value = filters[name];
    if (value) query.set(name, value);
  }
  for (const stage of filters.stages ?? []) query.append('stage', stage);
  for (const tag of filters.tags) query.append('tag', tag);
  await meter.take();
  const { status, body } = await client.send({ id: 'listLeads', path: `/leads?${query}` });
  if (status !== 200 || body.items.length === 0) throw new Error(JSON.stringify(body));
  const queries = (await meter.take()).filter(({ operation }) => operation === 'Query');
  return {
    units: queries.reduce((total, { read }) => total + sum(read), 0),
    bytes: Buffer.byteLength(JSON.stringify(body.items)),
    leads: body.items.length,
    isLast: body.next_cursor === null,
  };
};

/** Of the bytes that are answered, at 4 KB for half a unit. */
export const floorOf = (bytes: number): number => Math.ceil(bytes / 4096) / 2;
