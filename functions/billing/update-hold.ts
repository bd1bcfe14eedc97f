import * as z from 'zod/mini';
import { extendHold } from '../../lib/billing/holds/extend-hold.ts';
import { expiresInSeconds, hold } from '../../lib/billing/holds/hold.ts';
import { toOwnHolds } from '../../lib/billing/holds/own-hold.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet, prepare } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
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

  read: (call, table) =>
    prepare(table, call, extendHold(call.path.hold_id, call.body.expires_in_seconds)),

  async handle({ spender }, change, table, commit) {
    const own = toOwnHolds(change, spender);
    const { outcome } = await changeWallet(walletTableOf(table, commit), own);
    return { body: outcome };
  },
});

export const handler = serve(operation);
