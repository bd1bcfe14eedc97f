import * as z from 'zod/mini';
import { applyEvent, readEventItems } from '../../lib/billing/apply-event.ts';
import { toRefusalError, walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { appliedEvent, toWalletEvent, walletEventInput } from '../../lib/billing/wallet-events.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import type { Call } from '../../lib/operations/request.ts';

interface EventRequest {
  path: { event_id: string };
  body: z.output<typeof walletEventInput>;
}

const toEvent = ({ organizationId, path, body }: Call<EventRequest>) =>
  toWalletEvent(organizationId, path.event_id, body);

export const operation = defineOperation({
  id: 'putEvent',
  summary: 'Apply billing event',
  description:
    'Applies an event of your billing to the wallet, as if it came by the bus: it gives stars, takes or refunds them, or changes the subscription. Only a platform key may. The id in the path makes it happen once, for ever, by whatever way it comes: a repeat gets the first answer with 200, and other content is 409 `event_id_reused`. A refusal is not stored.',
  method: 'PUT',
  path: '/billing/events/{event_id}',
  permission: 'events:write',
  request: { path: z.strictObject({ event_id: eventIdInPath() }), body: walletEventInput },
  response: { status: 201, orElse: 200, body: appliedEvent },
  errors: ['insufficient_stars', 'event_id_reused', 'write_conflict'],
  table: walletGrants,

  read: (call, table) => readEventItems(table, toEvent(call)),

  async handle(call, items, table, commit) {
    const event = toEvent(call);
    const { refusal, balance, isRepeat } = await applyEvent(walletTableOf(table, commit), event, {
      items,
    });
    if (refusal) throw toRefusalError(refusal, balance);
    const { event_id, type } = event;
    return { status: isRepeat ? 200 : 201, body: { event_id, type, balance } };
  },
});

export const handler = serve(operation);
