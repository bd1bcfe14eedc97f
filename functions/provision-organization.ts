import { defineInternalOperation } from '../lib/operation.ts';
import { provision, provisioned, provisioningInput } from '../lib/organizations/provisioning.ts';
import { serveInternal } from '../lib/serve-internal.ts';

export const operation = defineInternalOperation({
  id: 'provisionOrganization',
  summary: 'Makes an organization with its members, pipelines and wallet.',
  request: { body: provisioningInput },
  response: { body: provisioned },
  table: ['PutItem'],

  handle: (input, table) => provision(table, input),
});

export const handler = serveInternal(operation);
