import { ApiError } from '../../errors/errors.ts';
import { readPipelines } from '../../pipelines/pipeline.ts';
import { formOf, looksLikeList } from '../../schema/query-parameter.ts';
import type { Table } from '../../table/table.ts';
import { leadOfTagKind } from '../stored-lead.ts';
import type { Filters } from './terms/filters.ts';

/**
 * Where no lead was found: throws `invalid_request` if a tag or stage looks like a list, as `a,b`, and does not exist.
 * Their names may have commas, so an existing name is no mistake.
 */
export const assertNoLists = async (
  table: Table<'Query'>,
  organizationId: string,
  { tags, stages = [] }: Filters,
): Promise<void> => {
  const [tag, stage] = await Promise.all([
    isEach(tags.filter(looksLikeList), (one) => hasLead(table, organizationId, one)),
    isEach(stages.filter(looksLikeList), (one) => hasStage(table, organizationId, one)),
  ]);
  const details = [
    ...(tag ? [] : [{ path: 'tag', message: unknown('no lead has such a tag', 'tag') }]),
    ...(stage
      ? []
      : [{ path: 'stage', message: unknown('no pipeline has such a stage', 'stage') }]),
  ];
  if (details.length > 0) throw new ApiError('invalid_request', { details });
};

const isEach = async (
  values: readonly string[],
  isThere: (value: string) => Promise<boolean>,
): Promise<boolean> => (await Promise.all(values.map(isThere))).every(Boolean);

const unknown = (what: string, name: string): string =>
  `${what}; several are written as ${formOf(name, 'list')}`;

/** Lists may lag: this does not. */
const hasLead = async (
  table: Table<'Query'>,
  organizationId: string,
  tag: string,
): Promise<boolean> => {
  const { items } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': leadOfTagKind.partition({ organizationId, tag }) },
    limit: 1,
    consistent: true,
  });
  return items.length > 0;
};

const hasStage = async (
  table: Table<'Query'>,
  organizationId: string,
  stage: string,
): Promise<boolean> =>
  (await readPipelines(table, organizationId, { consistent: true })).some(({ stages }) =>
    stages.some(({ name }) => name === stage),
  );
