import * as z from 'zod/mini';
import { putPlan } from '../../lib/billing/plans.ts';
import { plan, planInput } from '../../lib/billing/stored/plan.ts';
import { planTier } from '../../lib/billing/terms/fields.ts';
import { serveCaller } from '../../lib/handlers/http/serve.ts';
import { defineCallerOperation } from '../../lib/operations/kinds/caller-operation.ts';

export const operation = defineCallerOperation({
  scope: 'platform',
  id: 'putPlan',
  summary: 'Add or change plan',
  description:
    'Adds a plan to the catalogue (201), or replaces the one of its tier (200). Only a platform key may. Subscriptions keep the stars that they are granted until an event changes them. A deployment has at most 100 plans, and none is removed.',
  method: 'PUT',
  path: '/billing/plans/{tier}',
  permission: 'plans:write',
  request: { path: z.strictObject({ tier: planTier() }), body: planInput },
  response: { status: 201, orElse: 200, body: plan },
  errors: ['write_conflict'],
  table: ['Query', 'PutItem PLANS', 'PutItem PRICE#', 'DeleteItem PRICE#'],

  async handle({ path, body }, table) {
    const one = { ...path, ...body };
    const { isNew } = await putPlan(table, one);
    return { status: isNew ? 201 : 200, body: one };
  },
});

export const handler = serveCaller(operation);
