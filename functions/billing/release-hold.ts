import * as z from 'zod/mini';
import { holdEnd, releaseHold } from '../../lib/billing/holds/end-hold.ts';
import { toOwnHolds } from '../../lib/billing/holds/own-hold.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet, prepare } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
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

  read: (call, table) => prepare(table, call, releaseHold(call.path.hold_id)),

  async handle({ spender }, change, table, commit) {
    const own = toOwnHolds(change, spender);
    const { outcome } = await changeWallet(walletTableOf(table, commit), own);
    return { body: outcome };
  },
});

export const handler = serve(operation);
