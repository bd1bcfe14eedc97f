import * as z from 'zod/mini';
import { applyEvent } from '../../lib/billing/events/apply-event.ts';
import {
  appliedEvent,
  toWalletEvent,
  walletEventInput,
} from '../../lib/billing/rules/wallet-events.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet, prepare } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'putEvent',
  summary: 'Apply billing event',
  description:
    'Applies an event of your billing to the wallet, as if it came by the bus: it gives stars, takes or refunds them, or changes the subscription. Only a platform key may. The id in the path makes it happen once, for ever, by whatever way it comes: a repeat gets the first answer with 200, and other content is 409 `event_id_reused`. A refusal is not stored.',
  method: 'PUT',
  path: '/billing/events/{event_id}',
  permission: 'events:write',
  request: { path: z.strictObject({ event_id: ownEventIdInPath() }), body: walletEventInput },
  response: { status: 201, orElse: 200, body: appliedEvent },
  errors: ['insufficient_stars', 'event_id_reused', 'write_conflict'],
  table: walletGrants,

  read(call, table) {
    const event = toWalletEvent(call.organizationId, call.path.event_id, call.body);
    return prepare(table, call, applyEvent(event));
  },

  async handle({ path, body: { type } }, change, table, commit) {
    const { outcome: balance, isRepeat } = await changeWallet(walletTableOf(table, commit), change);
    return { status: isRepeat ? 200 : 201, body: { ...path, type, balance } };
  },
});

export const handler = serve(operation);
