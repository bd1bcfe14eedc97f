import { prefixPaths } from '../../lib/errors/errors.ts';
import { needsFieldDefinitions } from '../../lib/fields/check.ts';
import { fieldsKind } from '../../lib/fields/definition.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { leadGrants } from '../../lib/leads/lead-writes.ts';
import { readHolders, upsertLead } from '../../lib/leads/upsert.ts';
import { upsertInput, upsertResult } from '../../lib/leads/upsert-schema.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { memberKind } from '../../lib/organizations/members.ts';
import { pipelineKind } from '../../lib/pipelines/pipeline.ts';

export const operation = defineOperation({
  id: 'upsertLead',
  summary: 'Upsert lead',
  description:
    'Creates a lead, or changes the one that has this external id, email or phone. What is given is merged into the lead that is found: `null` clears a field, and one that is left out stays. A new lead needs `contact_name` and `pipeline_id`, and is answered with 201. By email and phone, the lead is looked for in the pipeline that is named, which must have them unique; where several leads have it, or another lead has a contact or external id that is given, that is 409 `duplicate_lead` with their ids. Many at once of the same lead make one lead.',
  method: 'POST',
  path: '/leads/upsert',
  permission: 'leads:write',
  request: { body: upsertInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 201, orElse: 200, body: upsertResult },
  errors: ['not_found', 'duplicate_lead', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...leadGrants, ...traceGrants],

  async read({ organizationId, body }, table) {
    const { pipeline_id, owner_id } = body.lead;
    const [[pipeline, owner, fields], holders] = await Promise.all([
      table.getAll([
        pipeline_id ? pipelineKind.key({ organizationId, pipelineId: pipeline_id }) : undefined,
        owner_id ? memberKind.key({ organizationId, userId: owner_id }) : undefined,
        needsFieldDefinitions(body.lead.fields) ? fieldsKind.key({ organizationId }) : undefined,
      ]),
      readHolders(table, organizationId, body),
    ]);
    return { pipeline, owner, fields, holders };
  },

  async handle(call, found, table, commit) {
    try {
      return await upsertLead(call, call.body, found, table, commit);
    } catch (error) {
      throw prefixPaths('lead', error);
    }
  },
});

export const handler = serve(operation);
