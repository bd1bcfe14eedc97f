import * as z from 'zod/mini';
import { eventIdInPath } from '../../lib/billing/fields.ts';
import { hold, readHoldItems, toHold } from '../../lib/billing/holds/hold.ts';
import { walletTime } from '../../lib/billing/wallet.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'getHold',
  summary: 'Get hold',
  description: 'Reads a hold, also one that has ended, and how it ended.',
  method: 'GET',
  path: '/billing/holds/{hold_id}',
  permission: 'stars:spend',
  request: { path: z.strictObject({ hold_id: eventIdInPath() }) },
  response: { status: 200, body: hold },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) =>
    readHoldItems(table, { organizationId, holdId: path.hold_id }),

  handle: ({ path, now }, { wallet, guard }) => ({
    body: toHold(path.hold_id, guard, walletTime(wallet, now)),
  }),
});

export const handler = serve(operation);
