import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pipeline, pipelineKind, toPipeline } from '../../lib/pipelines/pipeline.ts';
import { etag } from '../../lib/schema/etag.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'getPipeline',
  summary: 'Get pipeline',
  description: 'Reads a pipeline. Its `ETag` is the pipeline’s version, for `If-Match`.',
  method: 'GET',
  path: '/pipelines/{pipeline_id}',
  permission: 'pipelines:read',
  request: { path: z.strictObject({ pipeline_id: uuid() }) },
  hasEtag: true,
  response: { status: 200, body: pipeline },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) =>
    table.get(pipelineKind.key({ organizationId, pipelineId: path.pipeline_id })),

  handle(_call, found) {
    if (!found) throw new ApiError('not_found');
    return { headers: etag(found.version), body: toPipeline(found) };
  },
});

export const handler = serve(operation);
