import { parseFilterText } from '../../fields/check.ts';
import {
  type LeadIndex,
  type LeadOrder,
  leadIdIndexNames,
  leadIndexes,
  leadIndexPartition,
  leadOrders,
  orderIndex,
} from '../../table/indexes/lead-indexes.ts';
import type { Lead } from '../lead.ts';
import { fieldValueIds, leadKind, leadOfFieldValueKind, leadOfTagKind } from '../stored-lead.ts';
import type { Selection } from './selection.ts';
import {
  type Filters,
  isLookup,
  matchesLookups,
  sortCustomFilters,
  sortTags,
} from './terms/filters.ts';
import { newestFirst, type SortField } from './terms/orders.ts';
import { isInRanges, rangesBeside } from './terms/ranges.ts';
import type { Stages } from './terms/stages.ts';

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
/**
 * What a list is read from: partitions that together have each of its leads, in the order of a field. `filter` drops others,
 * and `matches` those that no expression can. Without both, the partitions have nothing else.
 */
export interface IndexRange {
  field: SortField;
  partitions: Partition[];
  filter?: Expression;
  matches?: (lead: Lead) => boolean;
}

/** If an outcome has more stages than this, they are not read one by one. */
const mostOutcomePartitions = 20;

/**
 * Every way to read a list by the ids of its leads, in a sequence that depends on the filters and the selection: by its
 * fields, by each of its tags, by each of its custom fields.
 */
export const indexRanges = (
  organizationId: string,
  filters: Filters,
  { stages }: Pick<Selection, 'stages'> = {},
): IndexRange[] => {
  const tags = sortTags(filters.tags);
  const custom = sortCustomFilters(filters);
  const field = newestFirst.field;
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
  ].map((range) => ({ field, ...range, ...restOf(filters, field, stages) }));
  const refs = stages && (filters.stage || stages.refs.length <= mostOutcomePartitions);
  if (copyRanges.length > 0 && !refs && !hasIndexFilters(filters)) return copyRanges;
  const byFields = {
    field,
    partitions: (refs ? stages.refs : [{}]).map((ref) =>
      indexRangePartition(organizationId, { ...filters, ...ref }),
    ),
    ...filterExpression({}, tags, custom),
    ...restOf(filters, field, refs ? undefined : stages),
  };
  return [byFields, ...copyRanges];
};

/** How to read a list in another order; undefined where that order is one of an owner's leads, and no owner is given. */
export const sortedRange = (
  organizationId: string,
  filters: Filters,
  field: LeadOrder,
  { pipelines, stages }: Selection,
): IndexRange | undefined => {
  const [own] = leadIndexes[leadOrders[field].within].fields;
  const owner = filters.owner_id === undefined ? [] : [filters.owner_id];
  const values = own === 'pipeline_id' ? pipelines : owner;
  if (own === 'owner_id' && owner.length === 0) return undefined;
  return {
    field,
    partitions: values.map((value) => ({
      index: orderIndex(field),
      value: leadIndexPartition(organizationId, leadOrders[field].within, { [own]: value }) ?? '',
    })),
    ...filterExpression(
      { ...filters, [own]: undefined },
      sortTags(filters.tags),
      sortCustomFilters(filters),
    ),
    ...restOf(filters, field, stages),
  };
};

/** What an expression can't check: a time that follows from the id is not stored. */
const restOf = (
  filters: Filters,
  field: SortField,
  stages: Stages | undefined,
): Pick<IndexRange, 'matches'> => {
  const ranges = rangesBeside(filters, field);
  const ofOutcome = filters.outcome && stages;
  if (ranges.length === 0 && !ofOutcome && !isLookup(filters)) return {};
  return {
    matches: (lead) =>
      isInRanges(lead, filters, ranges) &&
      (!ofOutcome || ofOutcome.has(lead)) &&
      matchesLookups(lead, filters),
  };
};

type IndexFilters = Pick<Filters, 'pipeline_id' | 'stage' | 'owner_id'>;

const without = (tags: readonly string[], tag: string): string[] =>
  tags.filter((other) => other !== tag);

const hasIndexFilters = ({ pipeline_id, stage, owner_id }: IndexFilters): boolean =>
  Boolean(pipeline_id || stage || owner_id);

/** The partition of just the leads that have these fields: of the index by the most of them. */
const indexRangePartition = (organizationId: string, fields: IndexFilters): Partition => {
  const [partition] = leadIdIndexNames
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
