import * as z from 'zod/mini';
import {
  captureInput,
  captureUpdate,
  holdEnd,
  toHoldEnd,
} from '../../lib/billing/holds/hold-end.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'captureHold',
  summary: 'Capture hold',
  description:
    'Spends stars of a hold, all of them by default, and returns the rest. More than were held are spent, too, if they are there: else it is 402, and the hold stays open; or, with `up_to_available`, all that there are. A repeat gets the first answer; with another number of stars it is 409 `already_captured`.',
  method: 'POST',
  path: '/billing/holds/{hold_id}/capture',
  permission: 'stars:spend',
  request: {
    path: z.strictObject({ hold_id: eventIdInPath() }),
    body: captureInput,
  },
  response: { status: 200, body: holdEnd },
  errors: [
    'insufficient_stars',
    'spend_limit_reached',
    'not_found',
    'already_captured',
    'already_released',
    'hold_expired',
    'write_conflict',
  ],
  table: walletGrants,

  read: ({ organizationId, path, body }, table) =>
    prepare(table, organizationId, captureUpdate(path.hold_id, body)),

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record } = await changeWallet(walletTableOf(table, commit), change);
    return { body: toHoldEnd(record) };
  },
});

export const handler = serve(operation);
