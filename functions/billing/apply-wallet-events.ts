import { applyEvent } from '../../lib/billing/apply-event.ts';
import { toRefusalError, walletGrants } from '../../lib/billing/change-wallet.ts';
import { walletEvent, walletEventTypes } from '../../lib/billing/wallet-events.ts';
import { serveQueue } from '../../lib/handlers/queue.ts';
import { defineQueueConsumer } from '../../lib/operations/kinds/queue-consumer.ts';

export const operation = defineQueueConsumer({
  id: 'applyWalletEvents',
  summary: 'Applies the events of billing to wallets, each once.',
  events: { source: 'billing', types: walletEventTypes },
  message: walletEvent,
  table: walletGrants,

  organizationOf: (event) => event.organization_id,

  async handle(event, table) {
    const { refusal } = await applyEvent(table, event);
    if (refusal) throw toRefusalError(refusal);
  },
});

export const handler = serveQueue(operation);
