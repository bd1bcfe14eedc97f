import { serve } from '../../lib/handlers/http/serve.ts';
import { lead, leadPath } from '../../lib/leads/lead.ts';
import { newLeadGrants } from '../../lib/leads/lead-writes.ts';
import { readLeadState, restore } from '../../lib/leads/restore.ts';
import { traceGrants } from '../../lib/operations/idempotency-record.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'restoreLead',
  summary: 'Restore lead',
  description:
    'Brings a deleted lead back under its id, as it was. Its version goes on. A stage that its pipeline does not have any more becomes the default stage; a value is left out if the currency has changed since. A contact or `external_id` that another lead has by now is 409 `duplicate_lead`. A lead that is there is answered as it is.',
  method: 'POST',
  path: '/leads/{lead_id}/restore',
  permission: 'leads:write',
  request: { path: leadPath },
  idempotent: true,
  hasEtag: true,
  response: { status: 200, body: lead },
  errors: ['not_found', 'duplicate_lead', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', 'Query', ...newLeadGrants, ...traceGrants],

  read: readLeadState,
  handle: restore,
});

export const handler = serve(operation);
