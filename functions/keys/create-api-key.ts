import { v7 } from 'uuid';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import {
  apiKeyGrants,
  createApiKeyWrites,
} from '../../lib/organizations/api-keys/api-key-writes.ts';
import {
  apiKeyInput,
  newApiKeyReply,
  newStoredApiKey,
  toApiKey,
} from '../../lib/organizations/api-keys/api-keys.ts';
import { etag } from '../../lib/schema/etag.ts';
import { newApiKey } from '../../lib/tokens/api-key.ts';

export const operation = defineOperation({
  id: 'createApiKey',
  summary: 'Create API key',
  description:
    'Makes an API key, with which a program calls. It has a role of its own, but never manages members or API keys. The answer has the key, and no other answer has it: a repeat has `"key": null`. With `spender`, it spends and holds stars in that name alone: another one is 403, and spends and holds of others are 404. If the answer was lost, revoke the key and make another. An organization has at most 100 API keys that are not revoked, expired ones included.',
  method: 'POST',
  path: '/keys',
  permission: 'keys:write',
  request: { body: apiKeyInput },
  idempotent: true,
  hasEtag: true,
  response: { status: 201, body: newApiKeyReply },
  errors: ['idempotency_key_reused', 'limit_reached', 'write_conflict'],
  table: [...apiKeyGrants, 'PutItem NAMES#', 'UpdateItem ORG#'],

  async handle(call, _data, _table, commit) {
    const { organizationId, userId, body, now } = call;
    const id = v7();
    const { text, digest } = newApiKey('organization', id);
    const stored = newStoredApiKey(body, { organizationId, createdBy: userId, digest, now });
    // The record under the idempotency key holds this body: without the key.
    const recorded = { ...toApiKey({ id, stored, lastUsedOn: null }), key: null };
    const reply = await commit(createApiKeyWrites(call, id, stored), {
      headers: etag(1),
      body: recorded,
    });
    return { ...reply, body: { ...recorded, key: text } };
  },
});

export const handler = serve(operation);
