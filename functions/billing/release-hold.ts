import * as z from 'zod/mini';
import { walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { holdEnd, releaseHold } from '../../lib/billing/holds/end-hold.ts';
import { readHoldItems } from '../../lib/billing/holds/hold.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'releaseHold',
  summary: 'Release hold',
  description: 'Returns the stars of a hold, none of them spent. A repeat gets the first answer.',
  method: 'POST',
  path: '/billing/holds/{hold_id}/release',
  permission: 'stars:spend',
  request: { path: z.strictObject({ hold_id: eventIdInPath() }) },
  response: { status: 200, body: holdEnd },
  errors: ['not_found', 'already_captured', 'already_released', 'hold_expired', 'write_conflict'],
  table: walletGrants,

  read: ({ organizationId, path }, table) =>
    readHoldItems(table, { organizationId, holdId: path.hold_id }),

  async handle({ organizationId, path }, items, table, commit) {
    const ids = { organizationId, holdId: path.hold_id };
    return { body: await releaseHold(walletTableOf(table, commit), ids, items) };
  },
});

export const handler = serve(operation);
