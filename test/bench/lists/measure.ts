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

/** What the filters are set to: none of them the commonest. */
export const filtersOf = ({ pipelines, owners }: Large, names: FilterNames): Filters => ({
  ...(names.includes('pipeline') && { pipeline_id: pipelines[1]?.id }),
  ...(names.includes('stage') && { stage: 'qualified' }),
  ...(names.includes('owner') && { owner_id: owners[4] }),
  tags: names.includes('tag') ? ['newsletter'] : [],
});

/** What a page of a list cost, beyond the caller's membership. */
export interface PageCost {
  units: number;
  bytes: number;
}

/** Lists that are not sorted by creation, and what a page may cost at most. */
export const sortedLists: { names: FilterNames; sort: Sort; mostUnits: number }[] = [
  { names: ['pipeline'], sort: 'updated_at', mostUnits: 10 },
  { names: ['pipeline'], sort: '-value_cents', mostUnits: 10 },
  { names: ['owner'], sort: 'next_step_at', mostUnits: 10 },
  { names: [], sort: '-updated_at', mostUnits: 20 },
  { names: [], sort: '-value_cents', mostUnits: 20 },
  { names: ['pipeline', 'stage'], sort: '-value_cents', mostUnits: 75 },
  { names: ['owner'], sort: '-value_cents', mostUnits: 75 },
  { names: ['pipeline', 'stage', 'owner', 'tag'], sort: '-updated_at', mostUnits: 75 },
];

const pageSize = 50;

/** Asks the service for a page. */
export const listPage = async (
  client: Client,
  meter: RequestMeter,
  filters: Filters,
  sort: Sort = '-created_at',
): Promise<PageCost> => {
  const query = new URLSearchParams({ limit: String(pageSize), sort });
  for (const name of ['pipeline_id', 'stage', 'owner_id'] as const) {
    const value = filters[name];
    if (value) query.set(name, value);
  }
  for (const tag of filters.tags) query.append('tag', tag);
  await meter.take();
  const { status, body } = await client.send({ id: 'listLeads', path: `/leads?${query}` });
  if (status !== 200 || body.items.length === 0) throw new Error(JSON.stringify(body));
  const queries = (await meter.take()).filter(({ operation }) => operation === 'Query');
  return {
    units: queries.reduce((total, { read }) => total + sum(read), 0),
    bytes: Buffer.byteLength(JSON.stringify(body.items)),
  };
};

/** Of the bytes that are answered, at 4 KB for half a unit. */
export const floorOf = (bytes: number): number => Math.ceil(bytes / 4096) / 2;
