import { ApiError } from '../errors/errors.ts';
import type { Commit } from '../operations/commit.ts';
import type { Call, Reply } from '../operations/request.ts';
import { assertMatch, etag } from '../schema/etag.ts';
import type { Table } from '../table/table.ts';
import { readCounters } from './counters.ts';
import {
  type Pipeline,
  type PipelinePatch,
  patchPipeline,
  putPipeline,
  type StoredPipeline,
  stagesOnlyIn,
  toPipeline,
} from './pipeline.ts';
import { updateStages } from './stages.ts';

type PipelinePatchCall = Call<{ path: { pipeline_id: string }; body: PipelinePatch }>;

/**
 * Applies a patch to the pipeline that was read. Refused with `ConflictError` if the pipeline was changed meanwhile.
 * Throws `not_found`, `precondition_failed`, `stage_in_use` and `invalid_request`.
 */
export const updatePipeline = async (
  { organizationId, body, ifMatch, now }: PipelinePatchCall,
  found: StoredPipeline | undefined,
  table: Table<'Query'>,
  commit: Commit<'PutItem' | 'UpdateItem'>,
): Promise<Reply<Pipeline>> => {
  if (!found) throw new ApiError('not_found');
  const { version } = found;
  assertMatch(ifMatch, version);
  const before = toPipeline(found);
  const after = patchPipeline(before, body, now);
  const removed = stagesOnlyIn(before, after);
  const added = stagesOnlyIn(after, before);
  const stages =
    removed.length + added.length === 0
      ? []
      : updateStages(
          { organizationId, pipelineId: before.id, removed, added, now },
          await readCounters(table, organizationId, before.id),
        );
  return commit([...putPipeline(organizationId, after, found), ...stages], {
    headers: etag(version + 1),
    body: after,
  });
};
