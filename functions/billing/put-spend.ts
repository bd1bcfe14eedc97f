import * as z from 'zod/mini';
import { applyEvent } from '../../lib/billing/events/apply-event.ts';
import { spendInput, spentStars } from '../../lib/billing/spends/spend.ts';
import { ownEventIdInPath } from '../../lib/billing/terms/fields.ts';
import { withOwnSpender } from '../../lib/billing/terms/own-spender.ts';
import { toldPurpose } from '../../lib/billing/terms/purpose.ts';
import { changeWallet, prepare } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import type { Call } from '../../lib/operations/request.ts';

const path = z.strictObject({ event_id: ownEventIdInPath() });
type Sent = Call<{ path: z.output<typeof path>; body: z.output<typeof spendInput> }>;

const toUpdate = ({ organizationId, path, body: { not_after, ...content } }: Sent) =>
  applyEvent(
    { type: 'stars.spent', ...content, ...path, organization_id: organizationId },
    not_after,
  );

export const operation = defineOperation({
  id: 'putSpend',
  summary: 'Spend stars',
  description:
    'Spends stars, monthly ones first, or none where there are not enough (402 `insufficient_stars`, with `available_stars` in `details`). The id in the path makes it happen once, for ever, by whatever way it comes: a repeat gets the first answer with 200, and other content is 409 `event_id_reused`. A refusal is not stored, so a repeat may succeed, and a try that was held up, too: with `not_after`, it is 409 `too_late` instead.',
  method: 'PUT',
  path: '/billing/spends/{event_id}',
  permission: 'stars:spend',
  request: { path, body: spendInput },
  response: { status: 201, orElse: 200, body: spentStars },
  errors: ['insufficient_stars', 'event_id_reused', 'too_late', 'write_conflict'],
  table: walletGrants,

  read: (call, table) => prepare(table, call, toUpdate(call)),

  async handle(call, change, table, commit) {
    const { path } = call;
    const body = withOwnSpender(call.body, call.spender);
    const { outcome: balance, isRepeat } = await changeWallet(walletTableOf(table, commit), {
      ...change,
      updates: [toUpdate({ ...call, body })],
    });
    const told = { ...path, stars: body.stars, ...toldPurpose(body), balance };
    return { status: isRepeat ? 200 : 201, body: told };
  },
});

export const handler = serve(operation);
