import { type Pipeline, readPipelines } from '../../pipelines/pipeline.ts';
import { ownersOrders } from '../../table/indexes/lead-indexes.ts';
import type { Table } from '../../table/table.ts';
import type { Filters } from './terms/filters.ts';
import { newestFirst, type SortField } from './terms/orders.ts';
import { Stages } from './terms/stages.ts';

/** The places where leads of a list can be, as the pipelines are now. */
export interface Selection {
  /** Pipelines, where they had to be read, or a pipeline is named. */
  pipelines: readonly string[];
  /** The stages that the filters name, each of a pipeline; undefined where they name none. */
  stages?: Stages;
}

/** Reads the pipelines, where a list needs them. Stages of an outcome change; so each page asks anew. */
export const readSelection = async (
  table: Table<'Query'>,
  organizationId: string,
  filters: Filters,
  field: SortField = newestFirst.field,
): Promise<Selection> => {
  if (needsPipelines(filters, field)) {
    return select(await readPipelines(table, organizationId), filters);
  }
  const { pipeline_id, stages } = filters;
  if (pipeline_id === undefined) return { pipelines: [] };
  const refs = stages?.map((stage) => ({ pipeline_id, stage }));
  return { pipelines: [pipeline_id], ...(refs && { stages: new Stages(refs) }) };
};

const needsPipelines = (filters: Filters, field: SortField): boolean => {
  const { pipeline_id, stages, outcome } = filters;
  if (outcome !== undefined) return true;
  if (pipeline_id !== undefined) return false;
  return stages !== undefined || isByPipeline(field, filters);
};

/** Whether a list in this order is read by pipelines: an owner's leads lie together in every order. */
const isByPipeline = (field: SortField, { owner_id }: Filters): boolean =>
  field !== 'created_at' && typeof owner_id !== 'string' && !ownersOrders.includes(field);

const select = (
  pipelines: readonly Pipeline[],
  { pipeline_id, stages: names, outcome }: Filters,
): Selection => {
  const own = pipelines.filter(({ id }) => pipeline_id === undefined || id === pipeline_id);
  if (names === undefined && outcome === undefined) return { pipelines: own.map(({ id }) => id) };
  const refs = own.flatMap(({ id, stages }) =>
    stages
      .filter((one) => names?.includes(one.name) ?? true)
      .filter((one) => (outcome ?? one.outcome) === one.outcome)
      .map(({ name }) => ({ pipeline_id: id, stage: name })),
  );
  const ids = new Set(refs.map((ref) => ref.pipeline_id));
  return { pipelines: [...ids], stages: new Stages(refs) };
};
