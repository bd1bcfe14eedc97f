import * as z from 'zod/mini';
import { ApiError } from '../lib/errors.ts';
import { uuid } from '../lib/fields.ts';
import { serve } from '../lib/http/serve.ts';
import { readCounters } from '../lib/leads/counters.ts';
import { pipelineSummary, summarize } from '../lib/leads/summary.ts';
import { defineOperation } from '../lib/operation.ts';
import { toPipeline } from '../lib/organizations/pipelines.ts';
import { pipelineKey } from '../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'getPipelineSummary',
  summary: 'Tells how many leads each stage of a pipeline has and what they are worth.',
  description:
    'Exact as soon as a write is answered. The sums have all their digits, which can be more than a JavaScript number holds.',
  method: 'GET',
  path: '/pipelines/{pipeline_id}/summary',
  permission: 'leads:read',
  request: { path: z.strictObject({ pipeline_id: uuid() }) },
  response: { status: 200, body: pipelineSummary },
  errors: ['not_found'],
  table: ['GetItem', 'Query'],

  async read({ organizationId, path: { pipeline_id } }, table) {
    const [pipeline, counters] = await Promise.all([
      table.get(pipelineKey(organizationId, pipeline_id), { consistent: true }),
      readCounters(table, organizationId, pipeline_id),
    ]);
    return { pipeline, counters };
  },

  handle(_call, { pipeline, counters }) {
    if (!pipeline) throw new ApiError('not_found');
    return { body: summarize(toPipeline(pipeline), counters) };
  },
});

export const handler = serve(operation);
