import type { CallerRole } from '../operations/permissions.ts';
import type { Item } from '../table/table.ts';
import { isSameDigest } from '../tokens/api-key.ts';

/**
 * A key as the table has it. Its names avoid two others: the index `by_user` takes each item with a `role`, and DynamoDB
 * removes an item by a number in `expires_at`.
 */
export interface StoredApiKey {
  name: string;
  key_role: CallerRole;
  /** The newest first. */
  secrets: readonly StoredSecret[];
  created_by: string;
  created_at: string;
  /** A date and time; absent for a key that does not expire. */
  expires_at?: string;
  revoked_at?: string;
  version: number;
}

export interface StoredSecret {
  /** SHA-256, in base64url. */
  digest: string;
  created_at: string;
  /** A secret that was replaced is good until then. */
  expires_at?: string;
}

export const toStoredApiKey = (item: Item): StoredApiKey => item as unknown as StoredApiKey;

/**
 * The key of an item; undefined if it is unknown, revoked or expired, or has another secret. `now` in milliseconds
 * since the epoch.
 */
export const toValidApiKey = (
  item: Item | undefined,
  digest: string,
  now: number,
): StoredApiKey | undefined => {
  if (!item) return undefined;
  const stored = toStoredApiKey(item);
  const { secrets, expires_at, revoked_at } = stored;
  if (revoked_at !== undefined || hasExpired(expires_at, now)) return undefined;
  const isValid = secrets.some(
    (secret) => isSameDigest(secret.digest, digest) && !hasExpired(secret.expires_at, now),
  );
  return isValid ? stored : undefined;
};

/** Whether that time has come. `now` in milliseconds since the epoch. */
export const hasExpired = (expiresAt: string | undefined, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;
