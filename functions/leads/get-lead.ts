import { serve } from '../../lib/handlers/http/serve.ts';
import { lead, leadPath } from '../../lib/leads/lead.ts';
import { leadKind, toStoredLead } from '../../lib/leads/stored-lead.ts';
import { leadNotFound } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { etag } from '../../lib/schema/etag.ts';

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

  read: ({ organizationId, path }, table) =>
    table.get(leadKind.key({ organizationId, leadId: path.lead_id })),

  async handle({ organizationId, path }, item, table) {
    if (!item) throw await leadNotFound(table, organizationId, path.lead_id);
    const stored = toStoredLead(item);
    return { headers: etag(stored.version), body: stored.lead };
  },
});

export const handler = serve(operation);
