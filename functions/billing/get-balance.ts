import * as z from 'zod/mini';
import { readBalance } from '../../lib/billing/read-balance.ts';
import { balance } from '../../lib/billing/stored/balance.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { dateTime } from '../../lib/schema/fields.ts';
import { queryParameter } from '../../lib/schema/query-parameter.ts';

export const operation = defineOperation({
  id: 'getBalance',
  summary: 'Get balance',
  description:
    'Reads how many stars the organization has, now or at a moment in the past. Monthly stars count until `monthly_lapse_at`, pack stars until they expire, if they do. Spending takes monthly ones first, then the packs that expire soonest. An answer for a moment less than 15 seconds ago may still change.',
  method: 'GET',
  path: '/billing/balance',
  permission: 'billing:read',
  request: {
    query: z.strictObject({
      at: z
        .optional(queryParameter(dateTime()))
        .check(z.describe('A moment in the past. Before the wallet was made, it had 0 stars.')),
    }),
  },
  response: { status: 200, body: balance },
  errors: [],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, query, now }, table) =>
    readBalance(table, organizationId, now, query.at),

  handle: (_call, body) => ({ body }),
});

export const handler = serve(operation);
