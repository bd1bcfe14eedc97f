import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { readUsage, usage, usageQuery } from '../../lib/usage/usage.ts';

export const operation = defineOperation({
  id: 'getUsage',
  summary: 'Get usage',
  description:
    'Reads how many stars were spent and refunded on each day, or for each feature or spender on all of these days, a page at a time. Spent is what spends and captures took; a refund counts on its own day, whole, also where its stars were lost. Holds, lapses, reversals and adjustments are no usage. By `feature` or `spender`, names come in their order; a page may be short, or empty, and still have a `next_cursor`. Usage is counted from the ledger after each change, so it may be behind by a second or two: `as_of` says until when all is in it.',
  method: 'GET',
  path: '/billing/usage',
  permission: 'billing:read',
  request: { query: usageQuery },
  response: { status: 200, body: usage },
  errors: ['invalid_cursor'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, query, now }, table) => readUsage(table, organizationId, now, query),

  handle: (_call, body) => ({ body }),
});

export const handler = serve(operation);
