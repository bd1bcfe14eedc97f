import { needsFieldDefinitions, noFields, updateCustomFields } from '../../lib/fields/check.ts';
import { fieldsKind } from '../../lib/fields/definition.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { assertUnique, guardKeys, readGuards } from '../../lib/leads/guards.ts';
import { lead, leadInput, newLead } from '../../lib/leads/lead.ts';
import { createLeadWrites, newLeadGrants } from '../../lib/leads/lead-writes.ts';
import { assertReferences } from '../../lib/leads/update.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { memberKind } from '../../lib/organizations/members.ts';
import { pipelineKind, toPipeline } from '../../lib/pipelines/pipeline.ts';
import { etag } from '../../lib/schema/etag.ts';

export const operation = defineOperation({
  id: 'createLead',
  summary: 'Create lead',
  description:
    'Creates a lead in the default stage of a pipeline. With an `Idempotency-Key`, a repeat within 24 hours gets the first answer and makes no second lead. A contact that the pipeline already has, or an `external_id` that the organization has, is 409 `duplicate_lead`, and `details[0].lead_id` names the lead that has it.',
  method: 'POST',
  path: '/leads',
  permission: 'leads:write',
  request: { body: leadInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 201, body: lead },
  errors: ['not_found', 'duplicate_lead', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', ...newLeadGrants],

  async read({ organizationId, body }, table) {
    const [[pipeline, owner, fields], guards] = await Promise.all([
      table.getAll([
        pipelineKind.key({ organizationId, pipelineId: body.pipeline_id }),
        body.owner_id ? memberKind.key({ organizationId, userId: body.owner_id }) : undefined,
        needsFieldDefinitions(body.fields) ? fieldsKind.key({ organizationId }) : undefined,
      ]),
      readGuards(table, guardKeys(organizationId, body.pipeline_id, body)),
    ]);
    return { pipeline, owner, fields, guards };
  },

  async handle(call, { guards, ...found }, table, commit) {
    const { organizationId, body } = call;
    assertReferences(body, found);
    const pipeline = toPipeline(found.pipeline!);
    const { fields, filterable } = updateCustomFields(noFields, body.fields, found.fields);
    const created = newLead({ ...body, fields }, pipeline);
    const writes = createLeadWrites(call, created, pipeline, filterable);
    await assertUnique(table, organizationId, writes, guards);
    return commit(writes, { headers: etag(1), body: created });
  },
});

export const handler = serve(operation);
