import { limitPath, readToldLimit, toldLimit } from '../../lib/billing/told-limit.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'getSpendLimit',
  summary: 'Get spend limit',
  description:
    'Reads the limit of a spender or feature, and what was used of it in the period that runs. For a spender without its own limit, it is the default (`by_default`), with what that spender has used.',
  method: 'GET',
  path: '/billing/limits/{kind}/{name}',
  permission: 'billing:read',
  request: { path: limitPath },
  response: { status: 200, body: toldLimit },
  errors: ['not_found'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, path, now }, table) => readToldLimit(table, organizationId, path, now),

  handle: (_call, body) => ({ body }),
});

export const handler = serve(operation);
