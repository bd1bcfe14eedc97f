import { parseFilterText } from '../../fields/check.ts';
import type { ListIdentity } from '../../schema/cursor.ts';
import {
  type LeadIndex,
  leadIndexes,
  leadIndexNames,
  leadIndexPartition,
} from '../../table/keys.ts';
import { lookupFields, normalize } from '../contacts.ts';
import { firstIdAt } from '../lead.ts';
import { fieldValueIds, leadKind, leadOfFieldValueKind, leadOfTagKind } from '../stored-lead.ts';

/** A lead is listed when it has all of these. */
export interface Filters {
  pipeline_id?: string | undefined;
  stage?: string | undefined;
  owner_id?: string | undefined;
  external_id?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  tags: readonly string[];
  /** Values of custom fields by their keys, as text. */
  fields?: Readonly<Record<string, string>> | undefined;
  /** The first moment of creation, in milliseconds since the epoch. */
  created_from?: number | undefined;
  /** The moment that all of them were created before. */
  created_to?: number | undefined;
}

/** The order and the doubles of tags make no difference to the list. */
export const listIdentity = (organizationId: string, filters: Filters): ListIdentity => [
  organizationId,
  'listLeads',
  filters.pipeline_id ?? null,
  filters.stage ?? null,
  filters.owner_id ?? null,
  sortTags(filters.tags),
  filters.created_from ?? null,
  filters.created_to ?? null,
  // Lookups count only if the request filters by them.
  ...lookupFields.flatMap((field) => {
    const value = filters[field];
    return value === undefined ? [] : [[field, normalize(field, value)]];
  }),
  ...sortCustomFilters(filters).map(([key, value]) => [`fields.${key}`, value]),
];

const sortTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort();

/** Filters by custom fields, in the order of their keys. */
const sortCustomFilters = ({
  fields = {},
}: Pick<Filters, 'fields'>): [key: string, value: string][] =>
  Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));

/** A partition of the table itself or of one of its indexes. */
export interface Partition {
  index?: LeadIndex;
  value: string;
}

/** An expression for DynamoDB, with what it names. */
export interface Expression {
  filter: string;
  names: Record<string, string>;
  values: Record<string, unknown>;
}

// docs/decisions/index-ranges.md
/** What a list is read from: partitions that together have each of its leads. The filter drops all others. */
export interface IndexRange {
  partitions: Partition[];
  filter?: Expression;
}

/**
 * Every way to read a list, in an order that depends on the filters only: by its fields, by each of its
 * tags, by each of its custom fields. `pipelines` are those that have the stage, if a stage is given without a pipeline.
 */
export const indexRanges = (
  organizationId: string,
  filters: Filters,
  pipelines: readonly string[],
): IndexRange[] => {
  const tags = sortTags(filters.tags);
  const custom = sortCustomFilters(filters);
  const copyRanges: IndexRange[] = [
    ...tags.map((tag) => ({
      partitions: [{ value: leadOfTagKind.partition({ organizationId, tag }) }],
      ...filterExpression(filters, without(tags, tag), custom),
    })),
    ...custom.map(([key, value]) => ({
      partitions: [
        { value: leadOfFieldValueKind.partition(fieldValueIds(organizationId, key, value)) },
      ],
      ...filterExpression(
        filters,
        tags,
        custom.filter(([other]) => other !== key),
      ),
    })),
  ];
  if (copyRanges.length > 0 && !hasIndexFilters(filters)) return copyRanges;
  const partitions =
    filters.stage && !filters.pipeline_id
      ? pipelines.map((pipeline_id) =>
          indexRangePartition(organizationId, { ...filters, pipeline_id }),
        )
      : [indexRangePartition(organizationId, filters)];
  return [{ partitions, ...filterExpression({}, tags, custom) }, ...copyRanges];
};

type IndexFilters = Pick<Filters, 'pipeline_id' | 'stage' | 'owner_id'>;

const without = (tags: readonly string[], tag: string): string[] =>
  tags.filter((other) => other !== tag);

const hasIndexFilters = ({ pipeline_id, stage, owner_id }: IndexFilters): boolean =>
  Boolean(pipeline_id || stage || owner_id);

/** The partition of just the leads that have these fields: of the index by the most of them. */
const indexRangePartition = (organizationId: string, fields: IndexFilters): Partition => {
  const [partition] = leadIndexNames
    .flatMap((index) => {
      const value = leadIndexPartition(organizationId, index, fields);
      return value === undefined ? [] : [{ index, value }];
    })
    .sort((a, b) => leadIndexes[b.index].fields.length - leadIndexes[a.index].fields.length);
  return partition ?? { value: leadKind.partition({ organizationId }) };
};

/** The condition that each item must meet; empty if the partition is the list. */
export const filterExpression = (
  fields: IndexFilters,
  tags: readonly string[],
  custom: readonly [key: string, value: string][],
): { filter?: Expression } => {
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const field of ['pipeline_id', 'stage', 'owner_id'] as const) {
    if (!fields[field]) continue;
    conditions.push(`#${field} = :${field}`);
    names[`#${field}`] = field;
    values[`:${field}`] = fields[field];
  }
  tags.forEach((tag, i) => {
    conditions.push(`contains(#tags, :tag${i})`);
    names['#tags'] = 'tags';
    values[`:tag${i}`] = tag;
  });
  custom.forEach(([key, value], i) => {
    // The type of the field says which of these it can be.
    const options = parseFilterText(value).map((one, n) => {
      values[`:custom${i}_${n}`] = one;
      return `#fields.#custom${i} = :custom${i}_${n}`;
    });
    conditions.push(`(${options.join(' OR ')})`);
    names['#fields'] = 'fields';
    names[`#custom${i}`] = key;
  });
  if (conditions.length === 0) return {};
  return { filter: { filter: conditions.join(' AND '), names, values } };
};

/** Sort keys: an id holds the time of its creation, so a range of times is a range of ids. */
export interface IdRange {
  from: string | undefined;
  to: string | undefined;
}

export const idRange = ({ created_from, created_to }: Filters): IdRange => ({
  from: created_from === undefined ? undefined : firstIdAt(created_from),
  to: created_to === undefined ? undefined : firstIdAt(created_to),
});

export const isWithin = ({ from, to }: IdRange, id: string): boolean =>
  (from === undefined || id >= from) && (to === undefined || id < to);

/** The end of a range is no id itself: it is shorter than the ids that it precedes. */
export const rangeCondition = ({ from, to }: IdRange): string => {
  if (from && to) return ' AND sk BETWEEN :from AND :to';
  if (from) return ' AND sk >= :from';
  return to ? ' AND sk < :to' : '';
};
