import { v7 } from 'uuid';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { countPipeline } from '../../lib/organizations/limits.ts';
import { newPipeline, pipeline, pipelineInput, putPipeline } from '../../lib/pipelines/pipeline.ts';
import { etag } from '../../lib/schema/etag.ts';

export const operation = defineOperation({
  id: 'createPipeline',
  summary: 'Create pipeline',
  description:
    'Creates a pipeline. By default, the first stage is the default stage, and leads are unique by email. An organization has at most 50 pipelines.',
  method: 'POST',
  path: '/pipelines',
  permission: 'pipelines:write',
  request: { body: pipelineInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 201, body: pipeline },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['PutItem PIPELINES#', 'PutItem PIPELINE_FACT#', 'UpdateItem ORG#'],

  handle({ organizationId, body, now }, _data, _table, commit) {
    const created = newPipeline(v7(), body, now);
    const writes = [countPipeline(organizationId), ...putPipeline(organizationId, created)];
    return commit(writes, { headers: etag(1), body: created });
  },
});

export const handler = serve(operation);
