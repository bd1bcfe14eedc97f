import { needsFieldDefinitions } from '../../lib/fields/check.ts';
import { fieldsKind } from '../../lib/fields/definition.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { guardKeys, readGuards } from '../../lib/leads/guards.ts';
import { lead, leadPatch, leadPath } from '../../lib/leads/lead.ts';
import { leadGrants } from '../../lib/leads/lead-writes.ts';
import { leadKind } from '../../lib/leads/stored-lead.ts';
import { type LeadUpdateItems, updateLead } from '../../lib/leads/update.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { memberKind } from '../../lib/organizations/members.ts';
import { pipelineKind } from '../../lib/pipelines/pipeline.ts';

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
  table: ['GetItem', 'Query', ...leadGrants, ...traceGrants],

  async read({ organizationId, path, body }, table): Promise<LeadUpdateItems> {
    const [[item, pipeline, owner, fields], guards] = await Promise.all([
      table.getAll([
        leadKind.key({ organizationId, leadId: path.lead_id }),
        body.pipeline_id
          ? pipelineKind.key({ organizationId, pipelineId: body.pipeline_id })
          : undefined,
        body.owner_id ? memberKind.key({ organizationId, userId: body.owner_id }) : undefined,
        needsFieldDefinitions(body.fields) ? fieldsKind.key({ organizationId }) : undefined,
      ]),
      readGuards(table, guardKeys(organizationId, body.pipeline_id, body)),
    ]);
    return { item, pipeline, owner, fields, guards };
  },

  handle: updateLead,
});

export const handler = serve(operation);
