import { alerts, alertsInput, setThresholds } from '../../lib/billing/alerts.ts';
import { readWallet } from '../../lib/billing/read-balance.ts';
import { settingTerms } from '../../lib/billing/stored/wallet.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'putAlerts',
  summary: 'Set alerts',
  description:
    'Sets the numbers of available stars (`thresholds`) at which the organization is alerted, in place of those before; an empty list ends the alerts. When the available stars fall to a threshold, `stars.low` is sent once. It is sent again only after they have risen above the threshold.',
  method: 'PUT',
  path: '/billing/alerts',
  permission: 'billing:write',
  request: { body: alertsInput },
  idempotent: true,
  response: { status: 200, body: alerts },
  errors: ['idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WALLET#', 'PutItem ALERT_FACT#'],

  read: ({ organizationId }, table) => readWallet(table, organizationId),

  // Decided once, on the thresholds alone: the wallet's stars may change meanwhile.
  handle({ organizationId, body, now }, before, _table, commit) {
    const thresholds = [...body.thresholds].sort((a, b) => b - a);
    const isSame = thresholds.join() === before.thresholds.join();
    const writes = isSame ? [] : setThresholds(organizationId, thresholds, before, now);
    return commit(writes, { body: { thresholds } }, settingTerms);
  },
});

export const handler = serve(operation);
