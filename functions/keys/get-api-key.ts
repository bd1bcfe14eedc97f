import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import {
  apiKey,
  apiKeyPath,
  readApiKey,
  toApiKey,
} from '../../lib/organizations/api-keys/api-keys.ts';
import { etag } from '../../lib/schema/etag.ts';

export const operation = defineOperation({
  id: 'getApiKey',
  summary: 'Get API key',
  description:
    'Reads an API key, without its secret: what it may do, who made it, and when it was used last. A revoked one stays readable.',
  method: 'GET',
  path: '/keys/{key_id}',
  permission: 'keys:read',
  request: { path: apiKeyPath },
  hasEtag: true,
  response: { status: 200, body: apiKey },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) => readApiKey(table, organizationId, path.key_id),

  handle(_call, found) {
    if (!found) throw new ApiError('not_found');
    return { headers: etag(found.stored.version), body: toApiKey(found) };
  },
});

export const handler = serve(operation);
