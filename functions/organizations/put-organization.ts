import * as z from 'zod/mini';
import { serveCaller } from '../../lib/handlers/http/serve.ts';
import { defineCallerOperation } from '../../lib/operations/kinds/caller-operation.ts';
import {
  organizationInput,
  provision,
  provisionedOrganization,
  provisioningGrants,
} from '../../lib/provisioning/provisioning.ts';
import { uuid } from '../../lib/schema/fields.ts';

export const operation = defineCallerOperation({
  scope: 'platform',
  id: 'putOrganization',
  summary: 'Make organization',
  description:
    'Makes an organization with its members, pipelines and wallet, all or nothing. Only a platform key may. It has 1 to 20 members, one of them an owner, and 1 to 10 pipelines: without any, one that is called Sales. The caller chooses the id, so a repeat makes no second organization: it gets the first answer with 200, and with other content 409 `organization_id_reused`.',
  method: 'PUT',
  path: '/organizations/{organization_id}',
  permission: 'organizations:write',
  request: { path: z.strictObject({ organization_id: uuid() }), body: organizationInput },
  response: { status: 201, orElse: 200, body: provisionedOrganization },
  errors: ['organization_id_reused', 'write_conflict'],
  table: provisioningGrants,

  async handle({ path, body, origin }, table) {
    const id = path.organization_id;
    const { isNew, organization } = await provision(table, id, body, origin);
    return { status: isNew ? 201 : 200, body: organization };
  },
});

export const handler = serveCaller(operation);
