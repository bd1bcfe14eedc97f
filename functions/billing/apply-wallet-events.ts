import { applyEvent } from '../../lib/billing/events/apply-event.ts';
import { walletEvent, walletEventTypes } from '../../lib/billing/rules/wallet-events.ts';
import { changeWalletInBatch } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants } from '../../lib/billing/writer/wallet-table.ts';
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
    const updates = events.map((event) => applyEvent(event));
    const organizationId = events[0]!.organization_id;
    const results = await changeWalletInBatch(table, { organizationId, updates });
    return results.map((result) => ('error' in result ? result.error : undefined));
  },
});

export const handler = serveQueue(operation);
