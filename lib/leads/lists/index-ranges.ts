import {
  type LeadIndex,
  type LeadIndexField,
  type LeadOrder,
  leadIdIndexNames,
  leadIndexes,
  leadIndexPartition,
  leadOrders,
  type OrderPartitions,
  orderIndex,
} from '../../table/indexes/lead-indexes.ts';
import type { Lead } from '../lead.ts';
import { fieldValueIds, leadKind, leadOfFieldValueKind, leadOfTagKind } from '../stored-lead.ts';
import { type Expression, filterExpression } from './filter-expression.ts';
import type { Selection } from './selection.ts';
import {
  type Filters,
  isLookup,
  matchesLookups,
  sortCustomFilters,
  sortTexts,
} from './terms/filters.ts';
import { newestFirst, type SortField } from './terms/orders.ts';
import { isInRanges, rangesBeside } from './terms/ranges.ts';
import type { Stages } from './terms/stages.ts';

/** A partition of the table itself or of one of its indexes. */
export interface Partition {
  index?: LeadIndex;
  value: string;
}

// docs/decisions/lists.md
/**
 * A source of a list: partitions that together have each of its leads, in the order of a field. `filter` drops other
 * leads, and `matches` those that no expression can drop. Without both, the partitions have only leads of the list.
 */
export interface IndexRange {
  field: SortField;
  partitions: Partition[];
  filter?: Expression;
  matches?: (lead: Lead) => boolean;
}

/**
 * Every way to read a list by the ids of its leads, in a sequence that depends on the filters and the selection: by its
 * fields, by each of its tags, by each of its custom fields.
 */
export const indexRanges = (
  organizationId: string,
  filters: Filters,
  { stages }: Pick<Selection, 'stages'> = {},
): IndexRange[] => {
  const tags = sortTexts(filters.tags);
  const custom = sortCustomFilters(filters);
  const field = newestFirst.field;
  const copyRanges: IndexRange[] = [
    ...tags.map((tag) => ({
      partitions: [{ value: leadOfTagKind.partition({ organizationId, tag }) }],
      ...filterExpression(
        filters,
        [],
        tags.filter((other) => other !== tag),
        custom,
      ),
    })),
    ...custom.map(([key, value]) => ({
      partitions: [
        { value: leadOfFieldValueKind.partition(fieldValueIds(organizationId, key, value)) },
      ],
      ...filterExpression(
        filters,
        [],
        tags,
        custom.filter(([other]) => other !== key),
      ),
    })),
  ].map((range) => ({ field, ...range, ...restOf(filters, field, stages) }));
  const { pipeline_id, owner_id } = filters;
  const refs = stageRefs(filters, stages);
  if (copyRanges.length > 0 && !refs && !pipeline_id && !owner_id) return copyRanges;
  const byFields = {
    field,
    partitions: (refs ?? [{ pipeline_id }]).map((ref) =>
      indexRangePartition(organizationId, { ...ref, owner_id }),
    ),
    ...filterExpression(filters, refs ? allFields : fieldsBesideStage, tags, custom),
    ...restOf(filters, field, refs ? undefined : stages),
  };
  return [byFields, ...copyRanges];
};

const fieldsBesideStage = ['pipeline_id', 'owner_id'] as const;
const allFields = [...fieldsBesideStage, 'stage'] as const;

/** The most stages of an outcome, or of names in all pipelines, that are read one by one. */
const [mostOutcomePartitions, mostStagePartitions] = [20, 50];

/** The stages of a list that are read one by one; undefined where it has no stages, or too many. */
const stageRefs = (filters: Filters, stages: Stages | undefined) => {
  const most = filters.stages ? mostStagePartitions : mostOutcomePartitions;
  return stages && stages.refs.length <= most ? stages.refs : undefined;
};

/** How to read a list in another order; undefined where that order is one of an owner's leads, and no owner is given. */
export const sortedRange = (
  organizationId: string,
  filters: Filters,
  field: LeadOrder,
  selection: Selection,
): IndexRange | undefined => {
  const { owner_id } = filters;
  const refs: Record<OrderPartitions, readonly IndexFields[] | undefined> = {
    by_owner: owner_id ? [{ owner_id }] : undefined,
    by_pipeline_stage: stageRefs(filters, selection.stages),
    by_pipeline: selection.pipelines.map((pipeline_id) => ({ pipeline_id })),
  };
  const within = leadOrders[field].within.find((index) => refs[index]);
  if (!within) return undefined;
  const own: readonly LeadIndexField[] = leadIndexes[within].fields;
  return {
    field,
    partitions: (refs[within] ?? []).map((fields) => ({
      index: orderIndex(field, within),
      value: leadIndexPartition(organizationId, within, fields) ?? '',
    })),
    ...filterExpression(filters, own, sortTexts(filters.tags), sortCustomFilters(filters)),
    ...restOf(filters, field, own.includes('stage') ? undefined : selection.stages),
  };
};

/** The filters that no expression can check: a time that follows from the id is not stored. */
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

type IndexFields = Partial<Record<LeadIndexField, string | null | undefined>>;

/** The partition of just the leads that have these fields: of the index by the most of them. */
const indexRangePartition = (organizationId: string, fields: IndexFields): Partition => {
  const [partition] = leadIdIndexNames
    .flatMap((index) => {
      const value = leadIndexPartition(organizationId, index, fields);
      return value === undefined ? [] : [{ index, value }];
    })
    .sort((a, b) => leadIndexes[b.index].fields.length - leadIndexes[a.index].fields.length);
  return partition ?? { value: leadKind.partition({ organizationId }) };
};
