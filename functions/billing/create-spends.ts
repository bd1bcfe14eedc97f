import { spendUpdate } from '../../lib/billing/spends/spend.ts';
import {
  spendBatch,
  spendBatchResult,
  toSpendResult,
} from '../../lib/billing/spends/spend-batch.ts';
import { changeWalletInBatch } from '../../lib/billing/writer/change-wallet.ts';
import { walletGrants, walletTableOf } from '../../lib/billing/writer/wallet-table.ts';
import { askedBy, prepare } from '../../lib/billing/writer/wallet-update.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { whileAllowed } from '../../lib/operations/commit.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'createSpends',
  summary: 'Spend stars in a batch',
  description:
    'Makes up to 25 spends, each with an outcome of its own, as if one after another by `PUT /billing/spends/{event_id}`; the answer is 200 also when all were refused, as a spend in another’s name (403) by an API key with a spender of its own. They are one transaction: so a wallet takes more of them. Each `event_id` makes its spend happen once, so a batch that was cut off, or met `write_conflict`, is safe to repeat.',
  method: 'POST',
  path: '/billing/spends',
  permission: 'stars:spend',
  request: { body: spendBatch },
  response: { status: 200, body: spendBatchResult },
  errors: ['write_conflict'],
  table: walletGrants,

  read({ organizationId, body }, table) {
    const contents = body.spends.map((one) => spendUpdate(organizationId, one));
    return prepare(table, organizationId, ...contents);
  },

  async handle(call, prepared, table, commit) {
    const change = askedBy(call, prepared);
    const walletTable = walletTableOf(table, commit, whileAllowed(call, commit));
    const results = await changeWalletInBatch(walletTable, change);
    const items = results.map((one, i) => toSpendResult(call.body.spends[i]!.event_id, one));
    return { body: { items } };
  },
});

export const handler = serve(operation);
