import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { deleteLeadWrites, goneLeadGrants } from '../../lib/leads/lead-writes.ts';
import { leadKind, toStoredLead } from '../../lib/leads/stored-lead.ts';
import { leadNotFound } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { assertMatch } from '../../lib/schema/etag.ts';

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
  takesIfMatch: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'precondition_failed', 'write_conflict'],
  table: ['GetItem', 'Query', ...goneLeadGrants],

  read: ({ organizationId, path }, table) =>
    table.get(leadKind.key({ organizationId, leadId: path.lead_id })),

  // Decided once: a decision after someone else's could delete a lead that was restored.
  async handle(call, item, table, commit) {
    if (!item) throw await leadNotFound(table, call.organizationId, call.path.lead_id);
    const before = toStoredLead(item);
    assertMatch(call.ifMatch, before.version);
    return commit(deleteLeadWrites(call, before, call.now), { body: undefined });
  },
});

export const handler = serve(operation);
