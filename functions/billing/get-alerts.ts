import { alerts } from '../../lib/billing/alerts.ts';
import { readWallet } from '../../lib/billing/read-balance.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'getAlerts',
  summary: 'Get alerts',
  description:
    'Reads the numbers of available stars at which the organization is alerted, the greatest first. `stars.depleted` is sent for the last star in any case.',
  method: 'GET',
  path: '/billing/alerts',
  permission: 'billing:read',
  request: {},
  response: { status: 200, body: alerts },
  errors: [],
  table: ['GetItem'],

  read: ({ organizationId }, table) => readWallet(table, organizationId),

  handle: (_call, { thresholds }) => ({ body: { thresholds: [...thresholds] } }),
});

export const handler = serve(operation);
