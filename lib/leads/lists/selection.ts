import { type Pipeline, readPipelines } from '../../pipelines/pipeline.ts';
import { leadIndexes, leadOrders } from '../../table/indexes/lead-indexes.ts';
import type { Table } from '../../table/table.ts';
import type { Filters } from './terms/filters.ts';
import { newestFirst, type SortField } from './terms/orders.ts';
import { Stages } from './terms/stages.ts';

/** Where leads of a list can be, as the pipelines are now. */
export interface Selection {
  /** Pipelines, where they had to be read, or one is named. */
  pipelines: readonly string[];
  /** The stages that the filters name, where pipelines had to be read for them. */
  stages?: Stages;
}

/** Reads the pipelines, where a list needs them. Stages of an outcome change; so each page asks anew. */
export const readSelection = async (
  table: Table<'Query'>,
  organizationId: string,
  filters: Filters,
  field: SortField = newestFirst.field,
): Promise<Selection> =>
  needsPipelines(filters, field)
    ? select(await readPipelines(table, organizationId), filters)
    : { pipelines: filters.pipeline_id === undefined ? [] : [filters.pipeline_id] };

const needsPipelines = ({ pipeline_id, stage, outcome }: Filters, field: SortField): boolean => {
  if (outcome !== undefined) return true;
  if (pipeline_id !== undefined) return false;
  return stage !== undefined || isByPipeline(field);
};

const isByPipeline = (field: SortField): boolean => {
  if (field === 'created_at') return false;
  const [first] = leadIndexes[leadOrders[field].within].fields;
  return first === 'pipeline_id';
};

const select = (
  pipelines: readonly Pipeline[],
  { pipeline_id, stage, outcome }: Filters,
): Selection => {
  const own = pipelines.filter(({ id }) => pipeline_id === undefined || id === pipeline_id);
  if (stage === undefined && outcome === undefined) return { pipelines: own.map(({ id }) => id) };
  const refs = own.flatMap(({ id, stages }) =>
    stages
      .filter((one) => (stage ?? one.name) === one.name && (outcome ?? one.outcome) === one.outcome)
      .map(({ name }) => ({ pipeline_id: id, stage: name })),
  );
  const ids = new Set(refs.map((ref) => ref.pipeline_id));
  return { pipelines: [...ids], stages: new Stages(refs) };
};
