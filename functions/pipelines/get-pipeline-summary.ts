import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { readOrganization } from '../../lib/organizations/organization.ts';
import { readCounters } from '../../lib/pipelines/counters.ts';
import { pipelineKind, toPipeline } from '../../lib/pipelines/pipeline.ts';
import { pipelineSummary, summarize } from '../../lib/pipelines/summary.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'getPipelineSummary',
  summary: 'Get pipeline summary',
  description:
    'Tells how many leads each stage of a pipeline has and what they are worth. The numbers are exact as soon as a write is answered. The sums have all their digits, which can be more than a JavaScript number holds.',
  method: 'GET',
  path: '/pipelines/{pipeline_id}/summary',
  permission: 'leads:read',
  request: { path: z.strictObject({ pipeline_id: uuid() }) },
  response: { status: 200, body: pipelineSummary },
  errors: ['not_found'],
  table: ['GetItem', 'Query'],

  async read({ organizationId, path: { pipeline_id } }, table) {
    const [organization, pipeline, counters] = await Promise.all([
      readOrganization(table, organizationId),
      table.get(pipelineKind.key({ organizationId, pipelineId: pipeline_id })),
      readCounters(table, organizationId, pipeline_id),
    ]);
    return { organization, pipeline, counters };
  },

  handle(_call, { organization, pipeline, counters }) {
    if (!pipeline) throw new ApiError('not_found');
    return { body: summarize(toPipeline(pipeline), counters, organization.currency) };
  },
});

export const handler = serve(operation);
