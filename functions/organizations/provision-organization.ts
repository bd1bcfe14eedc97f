import { serveInternal } from '../../lib/handlers/invoke.ts';
import { defineInternalOperation } from '../../lib/operations/kinds/internal-operation.ts';
import {
  provision,
  provisioningInput,
  provisioningReply,
} from '../../lib/provisioning/provisioning.ts';

export const operation = defineInternalOperation({
  id: 'provisionOrganization',
  summary: 'Makes an organization with its members, pipelines and wallet.',
  request: { body: provisioningInput },
  response: { body: provisioningReply },
  errors: ['write_conflict'],
  table: ['PutItem'],

  handle: (input, table) => provision(table, input),
});

export const handler = serveInternal(operation);
