import * as z from 'zod/mini';
import { holdInput, newHold, putHold } from '../../lib/billing/holds/put-hold.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { withOwnSpender } from '../../lib/billing/terms/own-spender.ts';
import { changeWallet, prepare } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'putHold',
  summary: 'Hold stars',
  description:
    'Holds stars for work whose price is known only afterwards, or none where there are not enough (402 `insufficient_stars`). Held stars can’t be spent otherwise. They come back when the hold is released, when less is captured, and by themselves when it expires. An organization has at most 1,000 open holds (409 `limit_reached`). The id works as that of a spend, with which it may not be shared: a repeat gets the first answer with 200, other content is 409 `event_id_reused`, and `not_after` ends tries that are held up.',
  method: 'PUT',
  path: '/billing/holds/{hold_id}',
  permission: 'stars:spend',
  request: { path: z.strictObject({ hold_id: ownEventIdInPath() }), body: holdInput },
  response: { status: 201, orElse: 200, body: newHold },
  errors: ['insufficient_stars', 'event_id_reused', 'limit_reached', 'too_late', 'write_conflict'],
  table: walletGrants,

  read: (call, table) => prepare(table, call, putHold(call.path.hold_id, call.body)),

  async handle({ path, body: asked, spender }, change, table, commit) {
    const updates = [putHold(path.hold_id, withOwnSpender(asked, spender))];
    const { outcome: body, isRepeat } = await changeWallet(walletTableOf(table, commit), {
      ...change,
      updates,
    });
    return { status: isRepeat ? 200 : 201, body };
  },
});

export const handler = serve(operation);
