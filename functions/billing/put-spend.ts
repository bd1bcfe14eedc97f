import * as z from 'zod/mini';
import {
  spendInput,
  spendUpdate,
  spentStars,
  toSpentStars,
} from '../../lib/billing/spends/spend.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'putSpend',
  summary: 'Spend stars',
  description:
    'Spends stars, monthly ones first, or none where there are not enough (402 `insufficient_stars`, with `available_stars` in `details`). The id in the path makes it happen once, for ever, by whatever way it comes: a repeat gets the first answer with 200, and other content is 409 `event_id_reused`. A refusal is not stored, so a repeat may succeed, and a try that was held up, too: with `not_after`, it is 409 `too_late` instead.',
  method: 'PUT',
  path: '/billing/spends/{event_id}',
  permission: 'stars:spend',
  request: { path: z.strictObject({ event_id: ownEventIdInPath() }), body: spendInput },
  response: { status: 201, orElse: 200, body: spentStars },
  errors: [
    'insufficient_stars',
    'spend_limit_reached',
    'event_id_reused',
    'too_late',
    'write_conflict',
  ],
  table: walletGrants,

  read: ({ organizationId, path, body }, table) =>
    prepare(table, organizationId, spendUpdate(organizationId, { ...body, ...path })),

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record, isRepeat } = await changeWallet(walletTableOf(table, commit), change);
    return { status: isRepeat ? 200 : 201, body: toSpentStars(call.path.event_id, record) };
  },
});

export const handler = serve(operation);
