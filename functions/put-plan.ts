import { plan, putPlan } from '../lib/billing/plans.ts';
import { defineInternalOperation } from '../lib/operation.ts';
import { serveInternal } from '../lib/serve-internal.ts';

export const operation = defineInternalOperation({
  id: 'putPlan',
  summary: 'Writes a plan of the catalogue, in place of the one of its tier.',
  request: { body: plan },
  response: { body: plan },
  table: ['Query', 'PutItem'],

  async handle(input, table) {
    await putPlan(table, input);
    return input;
  },
});

export const handler = serveInternal(operation);
