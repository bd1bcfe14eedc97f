import * as z from 'zod/mini';
import { hold, toHold } from '../../lib/billing/holds/hold.ts';
import { timeOf } from '../../lib/billing/stored/wallet.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { readFor } from '../../lib/billing/writer/reads.ts';
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
    readFor(table, organizationId, [{ record: path.hold_id }]),

  handle: ({ path: { hold_id }, now, spender }, { wallet, records }) => ({
    body: toHold(hold_id, records.get(hold_id), wallet ? timeOf(wallet, now) : now, spender),
  }),
});

export const handler = serve(operation);
