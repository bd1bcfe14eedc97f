import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { readOrganization } from '../../lib/organizations/organization.ts';
import { organizationReply, toOrganization } from '../../lib/organizations/settings.ts';

export const operation = defineOperation({
  id: 'getOrganization',
  summary: 'Get organization',
  description:
    'The organization that `X-Organization-Id` names, the caller’s role in it, how much of its limits is used, and the currency of its leads’ values. Every member may ask.',
  method: 'GET',
  path: '/organization',
  permission: 'organization:read',
  request: {},
  response: { status: 200, body: organizationReply },
  errors: [],
  table: ['GetItem'],

  read: ({ organizationId }, table) => readOrganization(table, organizationId),

  handle: (call, found) => ({ body: toOrganization(found, call) }),
});

export const handler = serve(operation);
