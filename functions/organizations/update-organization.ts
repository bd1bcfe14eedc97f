import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { readOrganization } from '../../lib/organizations/organization.ts';
import {
  organizationPatch,
  organizationReply,
  settingsWrites,
  toOrganization,
} from '../../lib/organizations/settings.ts';
import { hasValues } from '../../lib/pipelines/has-values.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

export const operation = defineOperation({
  id: 'updateOrganization',
  summary: 'Update organization',
  description:
    'Gives the organization another name or currency. The currency can be changed only while no lead has a value: else 409 `currency_in_use`.',
  method: 'PATCH',
  path: '/organization',
  permission: 'organization:write',
  request: { body: organizationPatch },
  idempotent: true,
  response: { status: 200, body: organizationReply },
  errors: ['idempotency_key_reused', 'currency_in_use', 'write_conflict'],
  table: [
    'GetItem',
    'Query',
    'UpdateItem ORG#',
    'PutItem ORGANIZATION_FACT#',
    'PutItem ORGANIZATIONS',
    'DeleteItem ORGANIZATIONS',
  ],

  read: ({ organizationId }, table) => readOrganization(table, organizationId),

  handle: (call, found, table, commit) => {
    const { organizationId, body, now } = call;
    const readAgain = () => readOrganization(table, organizationId);
    const haveValues = () => hasValues(table, organizationId);
    return retryOnConflict(table, found, readAgain, async (before) => {
      const { after, writes } = await settingsWrites(before, body, now, haveValues);
      const reply = { body: toOrganization(after, call) };
      return writes.length > 0 ? commit(writes, reply) : reply;
    });
  },
});

export const handler = serve(operation);
