import * as z from 'zod/mini';
import { applyEvent } from '../../lib/billing/apply-event.ts';
import { balance } from '../../lib/billing/balance.ts';
import { toRefusalError, walletGrants } from '../../lib/billing/change-wallet.ts';
import { eventId, reason } from '../../lib/billing/fields.ts';
import { someStars } from '../../lib/billing/stars.ts';
import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineInternalOperation({
  id: 'spendStars',
  summary: 'Spends stars, monthly ones first, or none where there are not enough.',
  request: {
    body: z.strictObject({
      organization_id: uuid(),
      event_id: eventId(),
      stars: someStars(),
      reason: z.optional(reason()),
    }),
  },
  response: { body: z.strictObject({ spent: z.boolean(), balance }) },
  errors: ['event_id_reused', 'write_conflict'],
  table: walletGrants,

  async handle(input, table) {
    const event = { type: 'stars.spent' as const, ...input };
    const { refusal, balance } = await applyEvent(table, event);
    if (refusal && refusal !== 'insufficient_stars') throw toRefusalError(refusal);
    return { spent: !refusal, balance };
  },
});

export const handler = serveInternal(operation);
