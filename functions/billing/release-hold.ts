import * as z from 'zod/mini';
import { holdEnd, releaseUpdate, toHoldEnd } from '../../lib/billing/holds/hold-end.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
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
    prepare(table, organizationId, releaseUpdate(path.hold_id)),

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record } = await changeWallet(walletTableOf(table, commit), change);
    return { body: toHoldEnd(record) };
  },
});

export const handler = serve(operation);
