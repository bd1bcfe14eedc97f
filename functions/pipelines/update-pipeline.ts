import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pipeline, pipelineKind, pipelinePatch } from '../../lib/pipelines/pipeline.ts';
import { updatePipeline } from '../../lib/pipelines/update-pipeline.ts';
import { uuid } from '../../lib/schema/fields.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'updatePipeline',
  summary: 'Update pipeline',
  description:
    'Changes a pipeline; removes no stage that has leads. `stages` is the whole list: what is not in it is removed, which is 409 `stage_in_use` while it has leads. To rename a stage is to remove it and to add another. At most 8 stages are removed or brought back in one change. No field takes `null`.',
  method: 'PATCH',
  path: '/pipelines/{pipeline_id}',
  permission: 'pipelines:write',
  request: { path: z.strictObject({ pipeline_id: uuid() }), body: pipelinePatch },
  idempotent: true,
  takesIfMatch: true,
  hasEtag: true,
  response: { status: 200, body: pipeline },
  errors: [
    'not_found',
    'idempotency_key_reused',
    'stage_in_use',
    'write_conflict',
    'precondition_failed',
  ],
  table: [
    'GetItem',
    'Query',
    'PutItem PIPELINES#',
    'PutItem PIPELINE_FACT#',
    'UpdateItem COUNTERS#',
  ],

  read: ({ organizationId, path }, table) =>
    table.get(pipelineKind.key({ organizationId, pipelineId: path.pipeline_id })),

  handle: (call, found, table, commit) => {
    const { organizationId, path } = call;
    const key = pipelineKind.key({ organizationId, pipelineId: path.pipeline_id });
    return retryOnConflict(
      table,
      found,
      () => table.get(key),
      (item) => updatePipeline(call, item, table, commit),
    );
  },
});

export const handler = serve(operation);
