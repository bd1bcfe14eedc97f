import * as z from 'zod/mini';
import { walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { extendHold } from '../../lib/billing/holds/extend-hold.ts';
import { expiresInSeconds, hold, readHoldItems } from '../../lib/billing/holds/hold.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'updateHold',
  summary: 'Extend hold',
  description:
    'Has an open hold expire so many seconds from now, for work that takes longer. A hold never expires earlier by it, so a repeat does no harm.',
  method: 'PATCH',
  path: '/billing/holds/{hold_id}',
  permission: 'stars:spend',
  request: {
    path: z.strictObject({ hold_id: eventIdInPath() }),
    body: z
      .strictObject({ expires_in_seconds: expiresInSeconds() })
      .check(z.meta({ id: 'HoldPatch' })),
  },
  response: { status: 200, body: hold },
  errors: ['not_found', 'already_captured', 'already_released', 'hold_expired', 'write_conflict'],
  table: walletGrants,

  read: ({ organizationId, path }, table) =>
    readHoldItems(table, { organizationId, holdId: path.hold_id }),

  async handle({ organizationId, path, body }, items, table, commit) {
    const ids = { organizationId, holdId: path.hold_id };
    const wallet = walletTableOf(table, commit);
    return { body: await extendHold(wallet, ids, body.expires_in_seconds, items) };
  },
});

export const handler = serve(operation);
