import * as z from 'zod/mini';
import { eventUpdate } from '../../lib/billing/events/event-update.ts';
import {
  appliedEvent,
  toWalletEvent,
  walletEventInput,
} from '../../lib/billing/rules/wallet-events.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
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
  errors: ['insufficient_stars', 'spend_limit_reached', 'event_id_reused', 'write_conflict'],
  table: walletGrants,

  read({ organizationId, path, body }, table) {
    const event = toWalletEvent(organizationId, path.event_id, body);
    return prepare(table, organizationId, eventUpdate(event));
  },

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record, isRepeat } = await changeWallet(walletTableOf(table, commit), change);
    const { path, body } = call;
    return {
      status: isRepeat ? 200 : 201,
      body: { ...path, type: body.type, balance: record.balance },
    };
  },
});

export const handler = serve(operation);
