import * as z from 'zod/mini';
import { ApiError } from '../lib/errors.ts';
import { assertMatch } from '../lib/etag.ts';
import { serve } from '../lib/http/serve.ts';
import { idempotencyOf, replay, writeOnce } from '../lib/idempotency.ts';
import { changeGrants, deleteWrites } from '../lib/leads/change.ts';
import { leadPath } from '../lib/leads/lead.ts';
import { LeadChanged, toStoredLead } from '../lib/leads/records.ts';
import { defineOperation } from '../lib/operation.ts';
import { leadKey } from '../lib/table/keys.ts';

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
    const idempotency = idempotencyOf('deleteLead', call, [call.path, call.ifMatch ?? null]);
    const [item, record] = await table.getAll([
      leadKey(call.organizationId, call.path.lead_id),
      idempotency?.key,
    ]);
    return { idempotency, item, record };
  },

  async handle(call, { idempotency, item, record }, table) {
    const first = replay<undefined>(idempotency, record);
    if (first) return first;
    if (!item) throw new ApiError('not_found');
    const before = toStoredLead(item);
    assertMatch(call.ifMatch, before.version);
    const writes = deleteWrites(call, before, call.now);
    try {
      return await writeOnce(table, idempotency, writes, { body: undefined });
    } catch (error) {
      if (error instanceof LeadChanged) throw new ApiError('write_conflict', { cause: error });
      throw error;
    }
  },
});

export const handler = serve(operation);
