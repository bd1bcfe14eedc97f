import { serve } from '../../lib/handlers/http/serve.ts';
import { lead, leadPath } from '../../lib/leads/lead.ts';
import { goneLeadGrants, leadGrants } from '../../lib/leads/lead-writes.ts';
import { merge, mergeInput, readMergeItems } from '../../lib/leads/merge.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'mergeLead',
  summary: 'Merge lead',
  description:
    'Merges another lead, `from`, into this one. This one keeps its id and its fields; those that are empty come from the other, custom fields one by one, and it has the tags of both. The other is gone then: its contacts and `external_id` are this one’s or free, its id answers 404 with the `lead_id` of the survivor in `details`, and its history and notes stay readable under its id. More than 20 tags are 400, as are more than 8,192 bytes of custom fields. A contact that a third lead has is 409 `duplicate_lead`. Repeated, it changes nothing.',
  method: 'POST',
  path: '/leads/{lead_id}/merge',
  permission: 'leads:merge',
  request: { path: leadPath, body: mergeInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 200, body: lead },
  errors: ['not_found', 'duplicate_lead', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...leadGrants, ...goneLeadGrants, ...traceGrants],

  read: readMergeItems,
  handle: merge,
});

export const handler = serve(operation);
