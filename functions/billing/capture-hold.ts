import * as z from 'zod/mini';
import { walletGrants } from '../../lib/billing/change-wallet.ts';
import { eventId } from '../../lib/billing/fields.ts';
import { capture, holdEnd } from '../../lib/billing/holds/holds.ts';
import { someStars } from '../../lib/billing/stars.ts';
import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineInternalOperation({
  id: 'captureHold',
  summary: 'Spends stars of a hold, all of them by default, and returns the rest.',
  request: {
    body: z.strictObject({
      organization_id: uuid(),
      hold_id: eventId(),
      stars: z.optional(someStars()),
    }),
  },
  response: { body: holdEnd },
  errors: ['already_captured', 'already_released', 'hold_expired', 'write_conflict'],
  table: walletGrants,

  handle: (input, table) => capture(table, input),
});

export const handler = serveInternal(operation);
