import * as z from 'zod/mini';
import { assertMayChangeLimits, deleteLimit, readLimit } from '../../lib/billing/spend-limits.ts';
import { settingTerms } from '../../lib/billing/stored/wallet.ts';
import { limitPath } from '../../lib/billing/told-limit.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'deleteSpendLimit',
  summary: 'Delete spend limit',
  description:
    'Deletes a limit. What was counted stays: if it is put again, it goes on from there. Without any limit of that kind, nothing is counted.',
  method: 'DELETE',
  path: '/billing/limits/{kind}/{name}',
  permission: 'billing:write',
  request: { path: limitPath },
  idempotent: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'UpdateItem WALLET#', 'DeleteItem LIMITS#', 'PutItem LIMIT_FACT#'],

  read: ({ organizationId, path }, table) => readLimit(table, organizationId, path),

  handle(call, before, _table, commit) {
    assertMayChangeLimits(call);
    const { organizationId, path, now } = call;
    return commit(
      deleteLimit(organizationId, path, before, now),
      { body: undefined },
      settingTerms,
    );
  },
});

export const handler = serve(operation);
