import { alerts, alertsInput } from '../../lib/billing/alerts.ts';
import { putWallet } from '../../lib/billing/change-wallet.ts';
import { readWallet } from '../../lib/billing/read-balance.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/operation.ts';
import { whileChanged } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'putAlerts',
  summary: 'Set alerts',
  description:
    'Sets the numbers of available stars (`thresholds`) at which the organization is alerted, in place of those before; an empty list ends the alerts. When the available stars fall to a threshold, `stars.low` is sent once. It is sent again only after they have risen above the threshold.',
  method: 'PUT',
  path: '/billing/alerts',
  permission: 'billing:write',
  request: { body: alertsInput },
  response: { status: 200, body: alerts },
  errors: ['write_conflict'],
  table: ['GetItem', 'PutItem'],

  read: ({ organizationId }, table) => readWallet(table, organizationId),

  handle({ organizationId, body }, found, table, commit) {
    const thresholds = [...body.thresholds].sort((a, b) => b - a);
    const readAgain = () => readWallet(table, organizationId);
    return whileChanged(table, found, readAgain, (before) => {
      const isSame = thresholds.join() === before.thresholds.join();
      const thresholds_version = before.thresholds_version + 1;
      const after = { ...before, thresholds, thresholds_version };
      const writes = isSame ? [] : [putWallet(organizationId, after, before)];
      return commit(writes, { body: { thresholds } }, { retryConflicts: false });
    });
  },
});

export const handler = serve(operation);
