import * as z from 'zod/mini';
import { extensionUpdate, hold, toHold } from '../../lib/billing/holds/hold.ts';
import { expiresInSeconds } from '../../lib/billing/rules/hold-events.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
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

  read: ({ organizationId, path, body }, table) =>
    prepare(table, organizationId, extensionUpdate(path.hold_id, body.expires_in_seconds)),

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record } = await changeWallet(walletTableOf(table, commit), change);
    return { body: toHold(call.path.hold_id, record, call.now) };
  },
});

export const handler = serve(operation);
