import { plan, planInput, putPlan } from '../../lib/billing/plans.ts';
import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';

export const operation = defineInternalOperation({
  id: 'putPlan',
  summary: 'Writes a plan of the catalogue, in place of the one of its tier.',
  request: { body: planInput },
  response: { body: plan },
  errors: ['write_conflict'],
  table: ['Query', 'PutItem'],

  async handle(input, table) {
    await putPlan(table, input);
    return input;
  },
});

export const handler = serveInternal(operation);
