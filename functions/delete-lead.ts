import * as z from 'zod/mini';
import { ApiError } from '../lib/errors.ts';
import { assertMatch } from '../lib/etag.ts';
import { serve } from '../lib/http/serve.ts';
import { answerOnce, idempotencyOf, writeOnce } from '../lib/idempotency.ts';
import { changeGrants, deleteWrites } from '../lib/leads/change.ts';
import { leadPath } from '../lib/leads/lead.ts';
import { toStoredLead } from '../lib/leads/records.ts';
import { defineOperation } from '../lib/operation.ts';
import { leadKey } from '../lib/table/keys.ts';
import { whileChanged } from '../lib/table/optimistic.ts';

export const operation = defineOperation({
  id: 'deleteLead',
  summary: 'Deletes a lead. Its contacts are free at once, its history stays.',
  method: 'DELETE',
  path: '/leads/{lead_id}',
  permission: 'leads:write',
  request: { path: leadPath },
  idempotent: true,
  conditional: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'precondition_failed', 'write_conflict'],
  table: ['BatchGetItem', ...changeGrants],

  async read(call, table) {
    const idempotency = idempotencyOf('deleteLead', call, [call.path]);
    const key = leadKey(call.organizationId, call.path.lead_id);
    const [item, record] = await table.getAll([key, idempotency?.key]);
    return { idempotency, key, item, record };
  },

  handle: (call, { idempotency, key, item, record }, table) =>
    answerOnce<undefined>(table, idempotency, record, () =>
      whileChanged(
        item,
        async () => (await table.getAll([key]))[0],
        (current) => {
          if (!current) throw new ApiError('not_found');
          const before = toStoredLead(current);
          assertMatch(call.ifMatch, before.version);
          const writes = deleteWrites(call, before, call.now);
          return writeOnce(table, idempotency, writes, { body: undefined });
        },
      ),
    ),
});

export const handler = serve(operation);
