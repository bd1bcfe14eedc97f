import * as z from 'zod/mini';
import { readToldLimits, toldLimit } from '../../lib/billing/told-limit.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf, pageQuery } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'listSpendLimits',
  summary: 'List spend limits',
  description:
    'Lists the limits of spenders and features, with what was used of each in the period that runs: the default of spenders first, then features, then spenders, by their names.',
  method: 'GET',
  path: '/billing/limits',
  permission: 'billing:read',
  request: { query: z.strictObject(pageQuery) },
  response: { status: 200, body: pageOf(toldLimit) },
  errors: ['invalid_cursor'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, query, now }, table) =>
    readToldLimits(table, organizationId, query, now),

  handle: (_call, body) => ({ body }),
});

export const handler = serve(operation);
