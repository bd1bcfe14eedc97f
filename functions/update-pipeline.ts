import * as z from 'zod/mini';
import { uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { answerOnce, idempotencyOf } from '../lib/idempotency.ts';
import { defineOperation } from '../lib/operation.ts';
import { changePipeline } from '../lib/organizations/pipeline-change.ts';
import { type Pipeline, pipeline, pipelinePatch } from '../lib/organizations/pipelines.ts';
import { pipelineKey } from '../lib/table/keys.ts';
import { whileChanged } from '../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'updatePipeline',
  summary: 'Changes a pipeline; removes no stage that has leads.',
  description:
    '`stages` is the whole list: what is not in it is removed, which is 409 `stage_in_use` while it has leads. A renamed stage is a removed and a new one. At most 8 stages are removed or brought back in one change. No field takes `null`.',
  method: 'PATCH',
  path: '/pipelines/{pipeline_id}',
  permission: 'pipelines:write',
  request: { path: z.strictObject({ pipeline_id: uuid() }), body: pipelinePatch },
  idempotent: true,
  conditional: true,
  versioned: true,
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

  handle: (call, { key, idempotency, record, found }, table) =>
    answerOnce<Pipeline>(table, idempotency, record, () =>
      whileChanged(
        table,
        found,
        async () => (await table.getAll([key]))[0],
        (item) => changePipeline(call, item, idempotency, table),
      ),
    ),
});

export const handler = serve(operation);
