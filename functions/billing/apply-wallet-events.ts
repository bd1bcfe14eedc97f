import { applyEvents } from '../../lib/billing/apply-event.ts';
import { toRefusalError, walletGrants } from '../../lib/billing/change-wallet.ts';
import { walletEvent, walletEventTypes } from '../../lib/billing/wallet-events.ts';
import { serveQueue } from '../../lib/handlers/queue.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';

export const operation = defineBackground({
  kind: 'queue',
  id: 'applyWalletEvents',
  summary: 'Applies the events of billing to wallets, each once.',
  events: { source: 'billing', types: walletEventTypes },
  message: walletEvent,
  table: walletGrants,

  organizationOf: (event) => event.organization_id,

  async handle(events, table) {
    const results = await applyEvents(table, events[0]!.organization_id, events);
    return results.map((result) => {
      if ('error' in result) return result.error;
      const { refusal, balance } = result.outcome;
      return refusal && toRefusalError(refusal, balance);
    });
  },
});

export const handler = serveQueue(operation);
