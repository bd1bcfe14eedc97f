import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import {
  apiKeyGrants,
  changeLatestApiKey,
  revokeApiKeyWrites,
} from '../../lib/organizations/api-keys/api-key-writes.ts';
import { apiKeyPath, readApiKey } from '../../lib/organizations/api-keys/api-keys.ts';

export const operation = defineOperation({
  id: 'revokeApiKey',
  summary: 'Revoke API key',
  description:
    'Revokes an API key: every request with it that begins after the answer is 401. It stays readable, with `revoked_at`, and nothing brings it back. To revoke it again changes nothing.',
  method: 'DELETE',
  path: '/keys/{key_id}',
  permission: 'keys:write',
  request: { path: apiKeyPath },
  idempotent: true,
  response: { status: 204, body: z.undefined() },
  errors: ['not_found', 'idempotency_key_reused', 'write_conflict'],
  table: ['GetItem', ...apiKeyGrants, 'UpdateItem ORG#'],

  read: ({ organizationId, path }, table) => readApiKey(table, organizationId, path.key_id),

  handle: (call, found, table, commit) =>
    changeLatestApiKey(call, found, table, async ({ id, stored }) => {
      if (stored.revoked_at !== undefined) return { body: undefined };
      return commit(revokeApiKeyWrites(call, id, stored, call.now), { body: undefined });
    }),
});

export const handler = serve(operation);
