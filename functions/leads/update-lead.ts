import { needsFieldDefinitions } from '../../lib/fields/check.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { guardKeys, readGuards } from '../../lib/leads/guards.ts';
import { lead, leadPatch, leadPath } from '../../lib/leads/lead.ts';
import { leadGrants } from '../../lib/leads/lead-writes.ts';
import { type LeadUpdateItems, update } from '../../lib/leads/update.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { fieldsKey, leadKey, memberKey, pipelineKey } from '../../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'updateLead',
  summary: 'Update lead',
  description:
    'Changes a lead by a JSON merge patch, or moves it to a stage or pipeline. `null` clears a field that can be absent. Another `pipeline_id` without a `stage` puts the lead into that pipeline’s default stage. With `If-Match`, only that version is changed.',
  method: 'PATCH',
  path: '/leads/{lead_id}',
  permission: 'leads:write',
  request: { path: leadPath, body: leadPatch },
  idempotent: true,
  takesIfMatch: true,
  hasEtag: true,
  response: { status: 200, body: lead },
  errors: [
    'not_found',
    'duplicate_lead',
    'idempotency_key_reused',
    'precondition_failed',
    'write_conflict',
  ],
  table: ['GetItem', 'Query', 'ConditionCheckItem', ...leadGrants],

  async read({ organizationId, path, body }, table): Promise<LeadUpdateItems> {
    const [[item, pipeline, owner, fields], guards] = await Promise.all([
      table.getAll([
        leadKey(organizationId, path.lead_id),
        body.pipeline_id ? pipelineKey(organizationId, body.pipeline_id) : undefined,
        body.owner_id ? memberKey(organizationId, body.owner_id) : undefined,
        needsFieldDefinitions(body.fields) ? fieldsKey(organizationId) : undefined,
      ]),
      readGuards(table, guardKeys(organizationId, body.pipeline_id, body)),
    ]);
    return { item, pipeline, owner, fields, guards };
  },

  handle: update,
});

export const handler = serve(operation);
