import { serve } from '../../lib/handlers/http/serve.ts';
import { leadPath } from '../../lib/leads/lead.ts';
import { duplicates, findDuplicates } from '../../lib/leads/search/duplicates.ts';
import { leadKind, toStoredLead } from '../../lib/leads/stored-lead.ts';
import { leadNotFound } from '../../lib/leads/survivor.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';

export const operation = defineOperation({
  id: 'listLeadDuplicates',
  summary: 'List duplicates of lead',
  description:
    'Finds up to 20 leads, of all pipelines, that may be the same person, and says what is the same: the email, the phone, or all words of the name. Those with more in common come first, then the newest. At most 200 items are examined: `more` is true where there may be others. `POST /leads/{lead_id}/merge` merges one into the other.',
  method: 'GET',
  path: '/leads/{lead_id}/duplicates',
  permission: 'leads:read',
  request: { path: leadPath },
  response: { status: 200, body: duplicates },
  errors: ['not_found'],
  table: ['GetItem', 'Query'],

  read: ({ organizationId, path }, table) =>
    table.get(leadKind.key({ organizationId, leadId: path.lead_id })),

  async handle({ organizationId, path }, item, table) {
    if (!item) throw await leadNotFound(table, organizationId, path.lead_id);
    return { body: await findDuplicates(table, organizationId, toStoredLead(item).lead) };
  },
});

export const handler = serve(operation);
