import { v7 } from 'uuid';
import { etag } from '../lib/etag.ts';
import { serve } from '../lib/http/serve.ts';
import { idempotencyOf, replay, writeOnce } from '../lib/idempotency.ts';
import { defineOperation } from '../lib/operation.ts';
import { countPipeline } from '../lib/organizations/limits.ts';
import {
  newPipeline,
  normalized,
  type Pipeline,
  pipeline,
  pipelineInput,
  putPipeline,
} from '../lib/organizations/pipelines.ts';

export const operation = defineOperation({
  id: 'createPipeline',
  summary: 'Creates a pipeline.',
  method: 'POST',
  path: '/pipelines',
  permission: 'pipelines:write',
  request: { body: pipelineInput },
  idempotent: true,
  response: { status: 201, body: pipeline },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'PutItem', 'UpdateItem'],

  async read(call, table) {
    const idempotency = idempotencyOf('createPipeline', call, normalized(call.body));
    const record = idempotency && (await table.get(idempotency.key, { consistent: true }));
    return { idempotency, record };
  },

  handle({ organizationId, body, now }, { idempotency, record }, table) {
    const first = replay<Pipeline>(idempotency, record);
    if (first) return first;
    const created = newPipeline(v7(), body, now);
    const writes = [countPipeline(organizationId), putPipeline(organizationId, created)];
    return writeOnce(table, idempotency, writes, { headers: etag(1), body: created });
  },
});

export const handler = serve(operation);
