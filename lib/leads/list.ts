import type { ListIdentity } from '../cursor.ts';
import { ApiError } from '../errors.ts';
import { pipelinesWithStage } from '../organizations/pipelines.ts';
import type { Grant } from '../table/grants.ts';
import { type IndexName, indexAttributes, indexPartition, leadKey, tagKey } from '../table/keys.ts';
import type { QueryInput, Table } from '../table/table.ts';
import { firstIdAt, type Lead } from './lead.ts';
import { toLead } from './records.ts';

/** A lead is listed when it has all of these. */
export interface Filters {
  pipeline_id?: string | undefined;
  stage?: string | undefined;
  owner_id?: string | undefined;
  tags: readonly string[];
  /** Milliseconds since the epoch; from this moment on, … */
  created_from?: number | undefined;
  /** … and before this one. */
  created_to?: number | undefined;
}

/** The order and the doubles of tags make no difference to the list. */
export const listIdentity = (organizationId: string, filters: Filters): ListIdentity => [
  organizationId,
  'listLeads',
  filters.pipeline_id ?? null,
  filters.stage ?? null,
  filters.owner_id ?? null,
  [...new Set(filters.tags)].sort(),
  filters.created_from ?? null,
  filters.created_to ?? null,
];

/** The table's permissions that a list of leads needs. */
export const listGrants = [
  'Query',
  'Query by_pipeline',
  'Query by_pipeline_stage',
  'Query by_owner',
  'Query by_pipeline_owner',
  'Query by_pipeline_stage_owner',
] as const satisfies Grant[];
type ListTable = Table<(typeof listGrants)[number]>;

/** A filtered list examines at most so many items in one request, so many at a time. */
const examineAtMost = 1000;
const examineAtOnce = 250;

export interface LeadPage {
  leads: Lead[];
  /** The id after which the next page starts; undefined at the end of the list. */
  next: string | undefined;
}

/**
 * One page of an organization's leads, newest first, after the lead `after`. Throws `invalid_cursor`
 * when no page of this list could have ended there.
 */
export const listLeads = async (
  table: ListTable,
  organizationId: string,
  filters: Filters,
  limit: number,
  after: string | undefined,
): Promise<LeadPage> => {
  const { pipeline_id: pipeline, stage, tags } = filters;
  const range = rangeOf(filters);
  if (after && !within(range, after)) throw new ApiError('invalid_cursor');
  const read = (one: List) => readPage(table, { ...one, range }, limit, after);
  if (tags.length > 0) return read(tagList(organizationId, filters));
  if (!stage || pipeline) return read(list(organizationId, filters));
  const pipelines = await pipelinesWithStage(table, organizationId, stage);
  const pages = await Promise.all(
    pipelines.map(({ id }) => read(list(organizationId, { ...filters, pipeline_id: id }))),
  );
  return merged(pages, limit);
};

/** A partition with just the leads of a list: of the table itself or of one of its indexes. */
interface List {
  organizationId: string;
  index?: IndexName;
  partition: string;
  filter?: Pick<QueryInput<never>, 'filter' | 'names' | 'values'>;
  range?: Range;
}

/** Sort keys: an id holds the time of its creation, so a range of times is a range of ids. */
interface Range {
  from: string | undefined;
  to: string | undefined;
}

const rangeOf = ({ created_from, created_to }: Filters): Range => ({
  from: created_from === undefined ? undefined : firstIdAt(created_from),
  to: created_to === undefined ? undefined : firstIdAt(created_to),
});

const within = ({ from, to }: Range, id: string): boolean =>
  (from === undefined || id >= from) && (to === undefined || id < to);

/** The end of a range is no id itself: it is shorter than the ids that it precedes. */
const rangeCondition = ({ from, to }: Range): string => {
  if (from && to) return ' AND sk BETWEEN :from AND :to';
  if (from) return ' AND sk >= :from';
  return to ? ' AND sk < :to' : '';
};

const list = (organizationId: string, filters: Filters): List => {
  const { pipeline_id: pipeline, stage, owner_id: owner } = filters;
  const indexed = (index: IndexName, ...values: string[]): List => ({
    organizationId,
    index,
    partition: indexPartition(organizationId, ...values),
  });
  if (pipeline && stage && owner) return indexed('by_pipeline_stage_owner', pipeline, stage, owner);
  if (pipeline && stage) return indexed('by_pipeline_stage', pipeline, stage);
  if (pipeline && owner) return indexed('by_pipeline_owner', pipeline, owner);
  if (pipeline) return indexed('by_pipeline', pipeline);
  if (owner) return indexed('by_owner', owner);
  return { organizationId, partition: leadKey(organizationId, '').pk };
};

/** The list of the first tag, filtered by everything else. */
const tagList = (organizationId: string, filters: Filters): List => {
  const [first = '', ...others] = filters.tags;
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const field of ['pipeline_id', 'stage', 'owner_id'] as const) {
    if (!filters[field]) continue;
    conditions.push(`#${field} = :${field}`);
    names[`#${field}`] = field;
    values[`:${field}`] = filters[field];
  }
  others.forEach((tag, i) => {
    conditions.push(`contains(#tags, :tag${i})`);
    names['#tags'] = 'tags';
    values[`:tag${i}`] = tag;
  });
  const partition = tagKey(organizationId, first, '').pk;
  if (conditions.length === 0) return { organizationId, partition };
  return { organizationId, partition, filter: { filter: conditions.join(' AND '), names, values } };
};

const query = (
  { organizationId, index, partition, filter, range = { from: undefined, to: undefined } }: List,
  limit: number,
  after: string | undefined,
): QueryInput<(typeof listGrants)[number]> => {
  const attribute = index ? indexAttributes[index] : 'pk';
  return {
    ...(index && { index }),
    condition: `#partition = :partition${rangeCondition(range)}`,
    ...(filter?.filter && { filter: filter.filter }),
    names: { '#partition': attribute, ...filter?.names },
    values: {
      ':partition': partition,
      ...(range.from && { ':from': range.from }),
      ...(range.to && { ':to': range.to }),
      ...filter?.values,
    },
    limit,
    startAfter: after ? { ...leadKey(organizationId, after), [attribute]: partition } : undefined,
    newestFirst: true,
  };
};

/**
 * Reads one lead more than the page, to know whether it is the last. Where a filter drops some, it
 * reads on until the page is full, the list ends, or the request has examined enough.
 */
const readPage = async (
  table: ListTable,
  one: List,
  limit: number,
  after: string | undefined,
): Promise<LeadPage> => {
  const atOnce = one.filter ? examineAtOnce : limit + 1;
  const leads: Lead[] = [];
  let position = after;
  for (let examined = 0; examined < examineAtMost; examined += atOnce) {
    const page = await table.query(query(one, atOnce, position));
    leads.push(...page.items.map(toLead));
    if (leads.length > limit) return { leads: leads.slice(0, limit), next: leads[limit - 1]?.id };
    if (!page.last) return { leads, next: undefined };
    position = page.last.sk as string;
  }
  return { leads, next: position };
};

/** The newest of several lists, down to where the first of them stopped reading. */
const merged = (pages: readonly LeadPage[], limit: number): LeadPage => {
  const horizon = pages.reduce((newest, { next = '' }) => (next > newest ? next : newest), '');
  const leads = pages
    .flatMap((page) => page.leads)
    .filter(({ id }) => id >= horizon)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const more = horizon !== '' || leads.length > limit;
  const newest = leads.slice(0, limit);
  return { leads: newest, next: more ? newest.at(-1)?.id : undefined };
};
