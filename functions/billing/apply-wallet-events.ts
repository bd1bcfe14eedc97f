import { eventUpdate, ownWalletEvent } from '../../lib/billing/events/event-update.ts';
import { changeWalletInBatch } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableFor } from '../../lib/billing/writer/wallet-table.ts';
import { ofTime, platform } from '../../lib/facts/origin.ts';
import { serveQueue } from '../../lib/handlers/queue.ts';
import { defineBackground } from '../../lib/operations/kinds/background.ts';
import { isErased } from '../../lib/organizations/tombstone.ts';
import { stripe } from '../../lib/stripe/partner.ts';

export const operation = defineBackground({
  kind: 'queue',
  id: 'applyWalletEvents',
  summary: 'Applies the events of billing to wallets, each once.',
  source: 'billing',
  message: ownWalletEvent,
  partner: stripe,
  table: walletGrants,

  organizationOf: (event) => event.organization_id,

  async handle(events, table) {
    const updates = events.map(({ content, busEventId, fingerprint }) => ({
      ...eventUpdate(content),
      fingerprint,
      origin: { by: platform, requestId: busEventId },
      spender: undefined,
    }));
    const { organization_id: organizationId } = events[0]!.content;
    const results = await changeWalletInBatch(walletTableFor(table, ofTime), {
      organizationId,
      updates,
    });
    const errors = results.map((result) => ('error' in result ? result.error : undefined));
    const isLate =
      errors.some((error) => error !== undefined) && (await isErased(table, organizationId));
    // Billing may tell of a customer for a while after the end: nobody has to mend that.
    return isLate ? errors.map(() => undefined) : errors;
  },
});

export const handler = serveQueue(operation);
