import { ApiError } from '../../errors/errors.ts';
import { changedFields } from '../../facts/setting.ts';
import type { WriteOrFact } from '../../facts/transaction.ts';
import type { Call } from '../../operations/request.ts';
import { assertMatch } from '../../schema/etag.ts';
import { absent, atVersion, type Condition } from '../../table/condition.ts';
import { type Grant, grantsOn } from '../../table/grants.ts';
import { ConflictError, retryOnConflict } from '../../table/retry.ts';
import type { Reader } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import { assertStillAllowed, type CallerInOrganization } from '../caller.ts';
import { countApiKeys } from '../limits.ts';
import { putName } from '../names.ts';
import { readApiKey, type UsedApiKey } from './api-keys.ts';
import {
  type ApiKeySettings,
  apiKeyFactKind,
  apiKeyKind,
  apiKeySettingsKind,
  hasExpired,
  type StoredApiKey,
} from './stored-api-key.ts';

/** What a change of an API key does with the table. Its name and its count are beside. */
export const apiKeyGrants = [
  'ConditionCheckItem',
  ...grantsOn('PutItem', 'KEY#', 'KEYS#', 'KEY_FACT#'),
] as const satisfies Grant[];

/** Makes a key, and counts it. Refused with `forbidden` and `limit_reached`. */
export const createApiKeyWrites = (
  caller: CallerInOrganization,
  keyId: string,
  stored: StoredApiKey,
): WriteOrFact<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => [
  assertStillAllowed(caller.organizationId, caller, caller.role),
  countApiKeys(caller.organizationId, 1),
  ...putApiKey(caller.organizationId, keyId, stored, { now: Date.parse(stored.created_at) }),
  putName(caller.organizationId, keyId, stored.name),
];

/** Puts a key in place of the key that was read. Refused with `forbidden`, and `ConflictError` if it is another by now. */
export const updateApiKeyWrites = (
  caller: CallerInOrganization,
  keyId: string,
  before: StoredApiKey,
  after: StoredApiKey,
  now: number,
): WriteOrFact<'PutItem' | 'ConditionCheckItem'>[] => [
  assertStillAllowed(caller.organizationId, caller, caller.role),
  ...putApiKey(caller.organizationId, keyId, after, { before, now }),
  ...(after.name === before.name ? [] : [putName(caller.organizationId, keyId, after.name)]),
];

/** Revokes a key, which then counts no more. Its secrets go, as not even their digests are of use any more. */
export const revokeApiKeyWrites = (
  caller: CallerInOrganization,
  keyId: string,
  before: StoredApiKey,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => [
  ...updateApiKeyWrites(
    caller,
    keyId,
    before,
    {
      ...before,
      secrets: [],
      revoked_at: new Date(now).toISOString(),
      version: before.version + 1,
    },
    now,
  ),
  countApiKeys(caller.organizationId, -1),
];

/** Puts a key as another table has it: what was revoked or rotated there must not be good here. For administrators. */
export const takeOverApiKey = (
  organizationId: string,
  keyId: string,
  before: StoredApiKey,
  after: StoredApiKey,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => [
  ...putApiKey(organizationId, keyId, { ...after, version: before.version + 1 }, { before, now }),
  ...(after.revoked_at !== undefined && before.revoked_at === undefined
    ? [countApiKeys(organizationId, -1)]
    : []),
];

/** The two items of a key: the item that is listed has no secrets. */
const putApiKey = (
  organizationId: string,
  keyId: string,
  after: StoredApiKey,
  { before, now }: { before?: StoredApiKey; now: number },
): WriteOrFact<'PutItem'>[] => {
  const { secrets: _, organization_id: __, ...settings } = after;
  const condition: Condition<StoredApiKey> = before ? atVersion(before.version) : absent;
  return [
    put(apiKeyKind.key({ keyId }), after, { condition, refused: () => new ConflictError() }),
    put(apiKeySettingsKind.key({ organizationId, keyId }), settings),
    apiKeyFactKind.fact(
      { organizationId, keyId },
      {
        type: !before
          ? 'api_key.created'
          : after.revoked_at
            ? 'api_key.revoked'
            : 'api_key.updated',
        version: after.version,
        at: new Date(now).toISOString(),
        key_role: after.key_role,
        changed: changedSettings(before, after),
      },
    ),
  ];
};

/** The names of settings that differ. Nothing else changes with the revocation. */
const changedSettings = (before: StoredApiKey | undefined, after: StoredApiKey): string[] => {
  const changed = changedFields(before && toldSettings(before), toldSettings(after));
  return after.revoked_at ? changed.filter((name) => name === 'revoked_at') : changed;
};

type ToldKeySetting =
  | Exclude<keyof ApiKeySettings, 'key_role' | 'created_by' | 'created_at' | 'version'>
  | 'role'
  | 'secret';

/** What is told of a key's settings, as the API names them; of the secret, only that it is another. */
const toldSettings = ({
  key_role,
  name,
  expires_at,
  spender,
  revoked_at,
  secrets,
}: StoredApiKey): Record<ToldKeySetting, unknown> => ({
  name,
  role: key_role,
  expires_at,
  spender,
  revoked_at,
  secret: secrets[0]?.digest,
});

/**
 * A key with a new secret. Of the others only the last secret stays, for as long as is said, but no longer than the key is
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
