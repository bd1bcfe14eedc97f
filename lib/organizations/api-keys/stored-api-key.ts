import * as z from 'zod/mini';
import { FactKind } from '../../facts/fact.ts';
import { settingFact } from '../../facts/setting.ts';
import { apiKeyRoles, callerRoles } from '../../operations/permissions.ts';
import { places } from '../../table/keys.ts';
import { type AttributesOf, Kind } from '../../table/kind.ts';
import { isSameDigest } from '../../tokens/api-key.ts';

const storedSecret = z.object({
  /** SHA-256, in base64url. */
  digest: z.string(),
  created_at: z.iso.datetime(),
  /** A secret that was replaced is good until then. */
  expires_at: z.optional(z.iso.datetime()),
});

/**
 * `key_role`, as the index by user takes each item with a `role`. DynamoDB removes an item by a number in `expires_at`, and
 * this is a text.
 */
const settings = <R>(key_role: z.ZodMiniType<R>) => ({
  key_role,
  name: z.string(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  /** Absent for a key that does not expire. */
  expires_at: z.optional(z.iso.datetime()),
  revoked_at: z.optional(z.iso.datetime()),
  version: z.int(),
});

/** The only spender whose stars the key may spend: absent for a key that may name any spender. */
const ownSpender = { spender: z.optional(z.string()) };

/** The newest first. */
const secrets = z.array(storedSecret);
const use = z.object({ last_used_on: z.iso.date() });

export const apiKeyKind = new Kind(places.apiKey, {
  hasFacts: true,
  holds: 'whether an API key is good, and for which organization',
  attributes: z.object({
    ...settings(z.enum(apiKeyRoles)),
    ...ownSpender,
    organization_id: z.uuid(),
    secrets,
  }),
});
export const apiKeyTypes = ['api_key.created', 'api_key.updated', 'api_key.revoked'] as const;

export const apiKeyFactKind = new FactKind(places.apiKeyFact, {
  holds: 'what happened to an API key',
  thing: places.apiKey,
  attributes: z.object({
    ...settingFact,
    type: z.enum(apiKeyTypes),
    key_role: z.enum(apiKeyRoles),
  }),
});
export const apiKeySettingsKind = new Kind(places.apiKeySettings, {
  holds: 'the API keys of an organization',
  attributes: z.object({ ...settings(z.enum(apiKeyRoles)), ...ownSpender }),
});
export const apiKeyUseKind = new Kind(places.apiKeyUse, {
  holds: 'when an API key was used last',
  attributes: use,
});
export const platformKeyKind = new Kind(places.platformKey, {
  holds: 'whether a platform key is good',
  attributes: z.object({ ...settings(z.enum(callerRoles)), secrets }),
});
export const platformKeySettingsKind = new Kind(places.platformKeySettings, {
  holds: 'the platform keys',
  attributes: z.object(settings(z.enum(callerRoles))),
});
export const platformKeyUseKind = new Kind(places.platformKeyUse, {
  holds: 'when a platform key was used last',
  attributes: use,
});

/** A key as admission reads it. */
export type StoredApiKey = AttributesOf<typeof apiKeyKind>;
/** A key as it is listed: without secrets. */
export type ApiKeySettings = AttributesOf<typeof apiKeySettingsKind>;
export type StoredPlatformKey = AttributesOf<typeof platformKeyKind>;

/** Whether a key is good now, with this secret. `now` in milliseconds since the epoch. */
export const isValid = (
  {
    secrets,
    expires_at,
    revoked_at,
  }: Pick<StoredPlatformKey, 'secrets' | 'expires_at' | 'revoked_at'>,
  digest: string,
  now: number,
): boolean =>
  revoked_at === undefined &&
  !hasExpired(expires_at, now) &&
  secrets.some(
    (secret) => isSameDigest(secret.digest, digest) && !hasExpired(secret.expires_at, now),
  );

/** Whether that time has come. `now` in milliseconds since the epoch. */
export const hasExpired = (expiresAt: string | undefined, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;
