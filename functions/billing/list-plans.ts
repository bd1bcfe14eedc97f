import { readPlans } from '../../lib/billing/plans.ts';
import { plan } from '../../lib/billing/stored/plan.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { pageOf } from '../../lib/schema/pages.ts';

export const operation = defineOperation({
  id: 'listPlans',
  summary: 'List plans',
  description:
    'Lists the plans that can be subscribed to, the cheapest first. They are the same for all organizations, and fit on one page: `next_cursor` is always `null`.',
  method: 'GET',
  path: '/billing/plans',
  permission: 'billing:read',
  request: {},
  response: { status: 200, body: pageOf(plan) },
  errors: [],
  table: ['Query'],

  read: (_call, table) => readPlans(table),

  handle: (_call, items) => ({ body: { items, next_cursor: null } }),
});

export const handler = serve(operation);
