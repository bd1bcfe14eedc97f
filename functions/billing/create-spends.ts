import { walletGrants, walletTableOf } from '../../lib/billing/change-wallet.ts';
import {
  readSpendBatchItems,
  spendBatch,
  spendBatchResult,
  spendInBatch,
} from '../../lib/billing/spend-batch.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'createSpends',
  summary: 'Spend stars in a batch',
  description:
    'Makes up to 25 spends, each with an outcome of its own, as if one after another by `PUT /billing/spends/{event_id}`; the answer is 200 also when all were refused. They are one transaction: so a wallet takes more of them. Each `event_id` makes its spend happen once, so a batch that was cut off, or met `write_conflict`, is safe to repeat.',
  method: 'POST',
  path: '/billing/spends',
  permission: 'stars:spend',
  request: { body: spendBatch },
  response: { status: 200, body: spendBatchResult },
  errors: ['write_conflict'],
  table: walletGrants,

  read: ({ organizationId, body }, table) => readSpendBatchItems(table, organizationId, body),

  async handle({ organizationId, body }, items, table, commit) {
    return { body: await spendInBatch(walletTableOf(table, commit), organizationId, body, items) };
  },
});

export const handler = serve(operation);
