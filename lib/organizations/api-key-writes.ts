import { ApiError } from '../errors/errors.ts';
import type { CallerRole } from '../operations/permissions.ts';
import type { Call } from '../operations/request.ts';
import { assertMatch } from '../schema/etag.ts';
import { apiKeyKey } from '../table/keys.ts';
import { ConflictError, retryOnConflict } from '../table/retry.ts';
import type { Reader, Write } from '../table/table.ts';
import { readApiKey, type UsedApiKey } from './api-keys.ts';
import { assertStillAllowed, type Caller } from './caller.ts';
import { countApiKeys } from './limits.ts';
import { hasExpired, type StoredApiKey } from './stored-api-key.ts';

/** The caller who makes or changes an API key: it must have the role for it at the moment of the write. */
interface Actor extends Caller {
  organizationId: string;
  role: CallerRole;
}

/** Makes a key, and counts it. Refused with `forbidden` and `limit_reached`. */
export const createWrites = (
  actor: Actor,
  id: string,
  stored: StoredApiKey,
): Write<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => [
  assertStillAllowed(actor.organizationId, actor, actor.role),
  countApiKeys(actor.organizationId, 1),
  {
    Put: {
      Item: { ...apiKeyKey(actor.organizationId, id), ...stored },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  },
];

/** Puts a key in place of the one that was read. Refused with `forbidden`, and `ConflictError` if it is another by now. */
export const updateWrites = (
  actor: Actor,
  id: string,
  after: StoredApiKey,
): Write<'PutItem' | 'ConditionCheckItem'>[] => [
  assertStillAllowed(actor.organizationId, actor, actor.role),
  {
    Put: {
      Item: { ...apiKeyKey(actor.organizationId, id), ...after },
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': after.version - 1 },
    },
    refused: () => new ConflictError(),
  },
];

/** Puts a key that is revoked, which then counts no more. Refused as `updateWrites` is. */
export const revokeWrites = (
  actor: Actor,
  id: string,
  after: StoredApiKey,
): Write<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => [
  ...updateWrites(actor, id, after),
  countApiKeys(actor.organizationId, -1),
];

/**
 * A key with a new secret. Of the others only the one before stays, for as long as is said, but no longer than the key is
 * good: two are good at a time.
 */
export const rotateSecrets = (
  stored: StoredApiKey,
  digest: string,
  { previousMs, now }: { previousMs: number; now: number },
): { after: StoredApiKey; previousExpiresAt: string | null } => {
  const { secrets, version } = stored;
  const created_at = new Date(now).toISOString();
  const keyEnd = stored.expires_at ? Date.parse(stored.expires_at) : Number.POSITIVE_INFINITY;
  const expires_at = new Date(Math.min(now + previousMs, keyEnd)).toISOString();
  const previous = secrets.slice(0, previousMs > 0 ? 1 : 0).map((one) => ({ ...one, expires_at }));
  return {
    after: { ...stored, secrets: [{ digest, created_at }, ...previous], version: version + 1 },
    previousExpiresAt: previous.length > 0 ? expires_at : null,
  };
};

/**
 * Changes a key as it is, unless the client named the version that it means. Throws `not_found`, `precondition_failed`,
 * and `write_conflict` if others change it until the deadline.
 */
export const changeLatestApiKey = <T>(
  { organizationId, path, ifMatch }: Call<{ path: { key_id: string } }>,
  found: UsedApiKey | undefined,
  table: Reader<'GetItem'>,
  change: (found: UsedApiKey) => Promise<T>,
): Promise<T> =>
  retryOnConflict(
    table,
    found,
    () => readApiKey(table, organizationId, path.key_id),
    async (latest) => {
      if (!latest) throw new ApiError('not_found');
      assertMatch(ifMatch, latest.stored.version);
      return change(latest);
    },
  );

/** Throws `api_key_expired`: a new secret would be refused, too. `now` in milliseconds since the epoch. */
export const assertNotExpired = ({ stored }: UsedApiKey, now: number): void => {
  if (hasExpired(stored.expires_at, now)) throw new ApiError('api_key_expired');
};

/** Throws `api_key_revoked`: nothing brings a revoked key back. */
export const assertNotRevoked = ({ stored }: UsedApiKey): void => {
  if (stored.revoked_at !== undefined) throw new ApiError('api_key_revoked');
};
