import * as z from 'zod/mini';
import { holdInput, holdUpdate, newHold, toNewHold } from '../../lib/billing/holds/new-hold.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
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
  errors: [
    'insufficient_stars',
    'spend_limit_reached',
    'event_id_reused',
    'limit_reached',
    'too_late',
    'write_conflict',
  ],
  table: walletGrants,

  read: ({ organizationId, path, body }, table) =>
    prepare(table, organizationId, holdUpdate(path.hold_id, body)),

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const { record, isRepeat } = await changeWallet(walletTableOf(table, commit), change);
    return { status: isRepeat ? 200 : 201, body: toNewHold(call.path.hold_id, record) };
  },
});

export const handler = serve(operation);
