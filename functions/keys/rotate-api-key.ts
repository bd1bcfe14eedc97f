import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import {
  apiKeyGrants,
  assertNotExpired,
  assertNotRevoked,
  changeLatestApiKey,
  rotateSecrets,
  updateApiKeyWrites,
} from '../../lib/organizations/api-keys/api-key-writes.ts';
import {
  apiKeyPath,
  readApiKey,
  rotatedApiKeyReply,
  toApiKey,
} from '../../lib/organizations/api-keys/api-keys.ts';
import { etag } from '../../lib/schema/etag.ts';
import { newApiKey } from '../../lib/tokens/api-key.ts';

const daySeconds = 24 * 60 * 60;

export const operation = defineOperation({
  id: 'rotateApiKey',
  summary: 'Rotate API key',
  description:
    'Gives an API key a new secret under the same id: history, idempotency and role go on. The secret before stays good for a day, or as long as `previous_expires_in_seconds` says, but no longer than the key; an older one is refused at once. An expired key (409 `api_key_expired`) first needs a later `expires_at`. Only this answer has the new key. If it was lost, make another key: to rotate again would end the secret that is in use.',
  method: 'POST',
  path: '/keys/{key_id}/rotate',
  permission: 'keys:write',
  request: {
    path: apiKeyPath,
    body: z
      .strictObject({
        previous_expires_in_seconds: z
          ._default(z.int().check(z.gte(0), z.lte(7 * daySeconds)), daySeconds)
          .check(z.describe('0 refuses the secret before at once, as after a leak.')),
      })
      .check(z.meta({ id: 'ApiKeyRotation' })),
  },
  idempotent: true,
  takesIfMatch: true,
  hasEtag: true,
  response: { status: 201, body: rotatedApiKeyReply },
  errors: [
    'not_found',
    'idempotency_key_reused',
    'api_key_revoked',
    'api_key_expired',
    'precondition_failed',
    'write_conflict',
  ],
  table: ['GetItem', ...apiKeyGrants],

  read: ({ organizationId, path }, table) => readApiKey(table, organizationId, path.key_id),

  handle: (call, found, table, commit) =>
    changeLatestApiKey(call, found, table, async (latest) => {
      assertNotRevoked(latest);
      assertNotExpired(latest, call.now);
      const { id, stored } = latest;
      const { text, digest } = newApiKey('organization', id);
      const { after, previousExpiresAt } = rotateSecrets(stored, digest, {
        previousMs: call.body.previous_expires_in_seconds * 1000,
        now: call.now,
      });
      // The record under the idempotency key holds this body: without the key.
      const recorded = {
        ...toApiKey({ ...latest, stored: after }),
        key: null,
        previous_expires_at: previousExpiresAt,
      };
      const reply = await commit(updateApiKeyWrites(call, id, stored, after, call.now), {
        headers: etag(after.version),
        body: recorded,
      });
      return { ...reply, body: { ...recorded, key: text } };
    }),
});

export const handler = serve(operation);
