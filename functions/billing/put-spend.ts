import * as z from 'zod/mini';
import { applyEvent, readEventItems } from '../../lib/billing/apply-event.ts';
import { toRefusalError, walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { toldPurpose } from '../../lib/billing/purpose.ts';
import { spendInput, spentStars } from '../../lib/billing/spends.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import type { Call } from '../../lib/operations/request.ts';

interface SpendRequest {
  path: { event_id: string };
  body: z.output<typeof spendInput>;
}

const toEvent = ({ organizationId, path, body }: Call<SpendRequest>) => {
  const { not_after: _, ...content } = body;
  return { type: 'stars.spent' as const, organization_id: organizationId, ...path, ...content };
};

export const operation = defineOperation({
  id: 'putSpend',
  summary: 'Spend stars',
  description:
    'Spends stars, monthly ones first, or none where there are not enough (402 `insufficient_stars`, with `available_stars` in `details`). The id in the path makes it happen once, for ever, by whatever way it comes: a repeat gets the first answer with 200, and other content is 409 `event_id_reused`. A refusal is not stored, so a repeat may succeed, and a try that was held up, too: with `not_after`, it is 409 `too_late` instead.',
  method: 'PUT',
  path: '/billing/spends/{event_id}',
  permission: 'stars:spend',
  request: { path: z.strictObject({ event_id: eventIdInPath() }), body: spendInput },
  response: { status: 201, orElse: 200, body: spentStars },
  errors: ['insufficient_stars', 'event_id_reused', 'too_late', 'write_conflict'],
  table: walletGrants,

  read: (call, table) => readEventItems(table, toEvent(call)),

  async handle(call, items, table, commit) {
    const event = toEvent(call);
    const options = { notAfter: call.body.not_after, items };
    const outcome = await applyEvent(walletTableOf(table, commit), event, options);
    const { refusal, balance, isRepeat } = outcome;
    if (refusal) throw toRefusalError(refusal, balance);
    const { event_id, stars } = event;
    const body = { event_id, stars, ...toldPurpose(event), balance };
    return { status: isRepeat ? 200 : 201, body };
  },
});

export const handler = serve(operation);
