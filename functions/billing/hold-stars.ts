import * as z from 'zod/mini';
import { balance } from '../../lib/billing/balance.ts';
import { walletGrants } from '../../lib/billing/change-wallet.ts';
import { eventId, reason } from '../../lib/billing/fields.ts';
import { hold, longestHoldSeconds } from '../../lib/billing/holds/holds.ts';
import { someStars } from '../../lib/billing/stars.ts';
import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineInternalOperation({
  id: 'holdStars',
  summary:
    'Holds stars for work whose price is known only afterwards, or none where there are not enough.',
  request: {
    body: z.strictObject({
      organization_id: uuid(),
      hold_id: eventId(),
      stars: someStars(),
      expires_in_seconds: z.int().check(z.gte(1), z.lte(longestHoldSeconds)),
      reason: z.optional(reason()),
    }),
  },
  response: {
    body: z.strictObject({
      held: z.boolean(),
      expires_at: z.nullable(z.iso.datetime()),
      balance,
    }),
  },
  errors: ['event_id_reused', 'limit_reached', 'write_conflict'],
  table: walletGrants,

  handle: (input, table) => hold(table, input),
});

export const handler = serveInternal(operation);
