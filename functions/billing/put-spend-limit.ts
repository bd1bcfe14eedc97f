import {
  assertMayChangeLimits,
  limitInput,
  putLimit,
  readLimit,
} from '../../lib/billing/spend-limits.ts';
import { settingTerms } from '../../lib/billing/stored/wallet.ts';
import { limitPath, tellLimit, toldLimit } from '../../lib/billing/told-limit.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'putSpendLimit',
  summary: 'Put spend limit',
  description:
    'Puts a limit of what a spender may spend and hold, or what may be spent and held for a feature, within a period; or replaces it. With kind `default` and name `spender`, it is for each spender without its own. What is over is 402 `spend_limit_reached`. A spender’s or feature’s stars are counted while the organization has any limit of that kind, so another limit begins nothing anew. There are at most 1,000. An API key with a spender of its own can’t change any.',
  method: 'PUT',
  path: '/billing/limits/{kind}/{name}',
  permission: 'billing:write',
  request: { path: limitPath, body: limitInput },
  idempotent: true,
  response: { status: 201, orElse: 200, body: toldLimit },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: ['GetItem', 'Query', 'UpdateItem WALLET#', 'PutItem LIMITS#', 'PutItem LIMIT_FACT#'],

  read: ({ organizationId, path }, table) => readLimit(table, organizationId, path),

  // Decided once, on the limits alone: stars may be spent meanwhile.
  async handle(call, before, table, commit) {
    assertMayChangeLimits(call);
    const { organizationId, path, body, now } = call;
    const writes = putLimit(organizationId, path, body, before, now);
    const told = await tellLimit(table, organizationId, path, body, now);
    return commit(writes, { status: before.stored ? 200 : 201, body: told }, settingTerms);
  },
});

export const handler = serve(operation);
