import * as z from 'zod/mini';
import { walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { captureHold, holdEnd } from '../../lib/billing/holds/end-hold.ts';
import { readHoldItems } from '../../lib/billing/holds/hold.ts';
import { someStars } from '../../lib/billing/stars.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'captureHold',
  summary: 'Capture hold',
  description:
    'Spends stars of a hold, all of them by default, and returns the rest. A repeat gets the first answer; with another number of stars it is 409 `already_captured`.',
  method: 'POST',
  path: '/billing/holds/{hold_id}/capture',
  permission: 'stars:spend',
  request: {
    path: z.strictObject({ hold_id: eventIdInPath() }),
    body: z
      .strictObject({
        stars: z
          .optional(someStars())
          .check(z.describe('How many of the hold’s are spent; without it, all.')),
      })
      .check(z.meta({ id: 'CaptureInput' })),
  },
  response: { status: 200, body: holdEnd },
  errors: ['not_found', 'already_captured', 'already_released', 'hold_expired', 'write_conflict'],
  table: walletGrants,

  read: ({ organizationId, path }, table) =>
    readHoldItems(table, { organizationId, holdId: path.hold_id }),

  async handle({ organizationId, path, body }, items, table, commit) {
    const ids = { organizationId, holdId: path.hold_id };
    return { body: await captureHold(walletTableOf(table, commit), ids, body.stars, items) };
  },
});

export const handler = serve(operation);
