import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { mostPipelines } from '../../lib/organizations/limits.ts';
import { pipeline, readPipelines } from '../../lib/pipelines/pipeline.ts';
import { pageOf } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'listPipelines',
  summary: 'List pipelines',
  description:
    'Lists all pipelines of the organization, oldest first. An organization has at most 50, which fit on one page: `next_cursor` is always `null`.',
  method: 'GET',
  path: '/pipelines',
  permission: 'pipelines:read',
  request: {},
  response: { status: 200, body: pageOf(pipeline, mostPipelines) },
  errors: [],
  table: ['Query'],

  read: ({ organizationId }, table) => readPipelines(table, organizationId, { consistent: true }),

  // All pipelines of an organization fit on one page.
  handle: (_call, items) => ({ body: { items, next_cursor: null } }),
});

export const handler = serve(operation);
