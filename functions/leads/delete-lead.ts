import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { changeGrants, deleteWrites } from '../../lib/leads/change.ts';
import { changeCurrent } from '../../lib/leads/current.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { defineOperation } from '../../lib/operations/operation.ts';
import { leadKey } from '../../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'deleteLead',
  summary: 'Delete lead',
  description:
    'Deletes a lead. Its contacts are free at once, its history stays. With `If-Match`, only that version is deleted. The history of a deleted lead can still be read.',
  method: 'DELETE',
  path: '/leads/{lead_id}',
  permission: 'leads:write',
  request: { path: leadPath },
  idempotent: true,
  conditional: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'precondition_failed', 'write_conflict'],
  table: ['GetItem', 'Query', ...changeGrants],

  read: ({ organizationId, path }, table) => table.get(leadKey(organizationId, path.lead_id)),

  handle: (call, item, table, commit) =>
    changeCurrent(call, item, table, (before) =>
      commit(deleteWrites(call, before, call.now), { body: undefined }, { retryConflicts: false }),
    ),
});

export const handler = serve(operation);
