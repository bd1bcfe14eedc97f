import * as z from 'zod/mini';
import { ApiError } from '../lib/errors.ts';
import { assertMatch, etag } from '../lib/etag.ts';
import { uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { idempotencyOf, replay, writeOnce } from '../lib/idempotency.ts';
import { readCounters } from '../lib/leads/counters.ts';
import { changeStages } from '../lib/leads/stages.ts';
import { defineOperation } from '../lib/operation.ts';
import {
  type Pipeline,
  patched,
  pipeline,
  pipelinePatch,
  putPipeline,
  stagesOnlyIn,
  toPipeline,
  versionOf,
} from '../lib/organizations/pipelines.ts';
import { pipelineKey } from '../lib/table/keys.ts';
import { whileChanged } from '../lib/table/optimistic.ts';

export const operation = defineOperation({
  id: 'updatePipeline',
  summary: 'Changes a pipeline; removes no stage that has leads.',
  method: 'PATCH',
  path: '/pipelines/{pipeline_id}',
  permission: 'pipelines:write',
  request: { path: z.strictObject({ pipeline_id: uuid() }), body: pipelinePatch },
  idempotent: true,
  conditional: true,
  response: { status: 200, body: pipeline },
  errors: [
    'not_found',
    'idempotency_key_reused',
    'stage_in_use',
    'write_conflict',
    'precondition_failed',
  ],
  table: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],

  async read(call, table) {
    const { organizationId, path, body } = call;
    const idempotency = idempotencyOf('updatePipeline', call, [path, body]);
    const key = pipelineKey(organizationId, path.pipeline_id);
    const [found, record] = await table.getAll([key, idempotency?.key]);
    return { idempotency, key, found, record };
  },

  handle({ organizationId, path, body, ifMatch, now }, { key, idempotency, ...read }, table) {
    const first = replay<Pipeline>(idempotency, read.record);
    if (first) return first;
    const readAgain = async () => (await table.getAll([key]))[0];
    return whileChanged(read.found, readAgain, async (found) => {
      if (!found) throw new ApiError('not_found');
      const version = versionOf(found);
      assertMatch(ifMatch, version);
      const before = toPipeline(found);
      const after = patched(before, body, now);
      const removed = stagesOnlyIn(before, after);
      const added = stagesOnlyIn(after, before);
      const stageWrites =
        removed.length + added.length === 0
          ? []
          : changeStages(
              { organizationId, pipelineId: before.id, removed, added, now },
              await readCounters(table, organizationId, path.pipeline_id),
            );
      const writes = [putPipeline(organizationId, after, version + 1), ...stageWrites];
      return writeOnce<Pipeline, 'PutItem' | 'UpdateItem'>(table, idempotency, writes, {
        headers: etag(version + 1),
        body: after,
      });
    });
  },
});

export const handler = serve(operation);
