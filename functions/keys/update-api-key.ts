import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import {
  apiKeyGrants,
  assertNotRevoked,
  changeLatestApiKey,
  updateApiKeyWrites,
} from '../../lib/organizations/api-keys/api-key-writes.ts';
import {
  apiKey,
  apiKeyPatch,
  apiKeyPath,
  patchStoredApiKey,
  readApiKey,
  toApiKey,
} from '../../lib/organizations/api-keys/api-keys.ts';
import { etag } from '../../lib/schema/etag.ts';

export const operation = defineOperation({
  id: 'updateApiKey',
  summary: 'Update API key',
  description:
    'Changes the name, the role or the expiry of an API key, from the next request on. A later `expires_at` makes an expired key good again. A revoked one stays as it is (409 `api_key_revoked`).',
  method: 'PATCH',
  path: '/keys/{key_id}',
  permission: 'keys:write',
  request: { path: apiKeyPath, body: apiKeyPatch },
  idempotent: true,
  takesIfMatch: true,
  hasEtag: true,
  response: { status: 200, body: apiKey },
  errors: [
    'not_found',
    'idempotency_key_reused',
    'api_key_revoked',
    'precondition_failed',
    'write_conflict',
  ],
  table: ['GetItem', ...apiKeyGrants, 'PutItem NAMES#'],

  read: ({ organizationId, path }, table) => readApiKey(table, organizationId, path.key_id),

  handle: (call, found, table, commit) =>
    changeLatestApiKey(call, found, table, async (latest) => {
      assertNotRevoked(latest);
      const { id, stored } = latest;
      const after = patchStoredApiKey(stored, call.body, call.now);
      return commit(updateApiKeyWrites(call, id, stored, after, call.now), {
        headers: etag(after.version),
        body: toApiKey({ ...latest, stored: after }),
      });
    }),
});

export const handler = serve(operation);
