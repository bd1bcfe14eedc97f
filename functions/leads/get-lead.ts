import { serve } from '../../lib/handlers/http/serve.ts';
import { lead, leadPath } from '../../lib/leads/lead.ts';
import { toStoredLead } from '../../lib/leads/stored-lead.ts';
import { leadNotFound } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';
import { leadKey } from '../../lib/table/keys.ts';

export const operation = defineOperation({
  id: 'getLead',
  summary: 'Get lead',
  description: 'Reads a lead. Its `ETag` is the lead’s version, for `If-Match`.',
  method: 'GET',
  path: '/leads/{lead_id}',
  permission: 'leads:read',
  request: { path: leadPath },
  hasEtag: true,
  response: { status: 200, body: lead },
  errors: ['not_found'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, path }, table) => table.get(leadKey(organizationId, path.lead_id)),

  async handle({ organizationId, path }, item, table) {
    if (!item) throw await leadNotFound(table, organizationId, path.lead_id);
    const stored = toStoredLead(item);
    return { headers: etag(stored.version), body: stored.lead };
  },
});

export const handler = serve(operation);
