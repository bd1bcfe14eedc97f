import { ApiError } from '../errors/errors.ts';
import {
  type CallerRole,
  membersOnly,
  type Permission,
  rolePermissions,
} from '../operations/permissions.ts';
import type { PresentedKey } from '../operations/presented-key.ts';
import {
  apiKeyKey,
  apiKeyUseKey,
  type Key,
  memberKey,
  organizationKey,
  platformKeyKey,
  platformKeyUseKey,
} from '../table/keys.ts';
import type { Table, Write } from '../table/table.ts';
import { readRole, stillIs } from './members.ts';
import { type StoredApiKey, toValidApiKey } from './stored-api-key.ts';

/** Who calls: a user by a token, or a program by an API key. */
export interface Caller {
  /** The user's id, or the API key's. */
  userId: string;
  apiKey?: PresentedKey | undefined;
}

/**
 * The caller's role in an organization; undefined for a stranger and for an unknown organization. One read, with a platform
 * key two. Throws `unauthenticated` for a key that is not one of this organization, or of the platform, now.
 */
export const readCallerRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { userId, apiKey }: Caller,
  now: number,
): Promise<CallerRole | undefined> => {
  if (!apiKey) return readRole(table, organizationId, userId);
  if (apiKey.kind === 'organization') {
    return (await readOwnApiKey(table, organizationId, apiKey, now)).key_role;
  }
  const [role, organization] = await Promise.all([
    readPlatformRole(table, apiKey, now),
    table.get(organizationKey(organizationId)),
  ]);
  return organization && role;
};

/** The API key of this organization with which the caller calls. Throws `unauthenticated`. */
export const readOwnApiKey = async (
  table: Table<'GetItem'>,
  organizationId: string,
  { id, digest }: PresentedKey,
  now: number,
): Promise<StoredApiKey> =>
  toValidApiKey(await table.get(apiKeyKey(organizationId, id)), digest, now) ??
  refuseApiKey('is not an API key of this organization');

/** The platform key with which the caller calls. Throws `unauthenticated`. */
export const readPlatformKey = async (
  table: Table<'GetItem'>,
  { id, digest }: PresentedKey,
  now: number,
): Promise<StoredApiKey> =>
  toValidApiKey(await table.get(platformKeyKey(id)), digest, now) ??
  refuseApiKey('is not a platform key');

/** The role of a platform key. Throws `unauthenticated`. */
export const readPlatformRole = async (
  table: Table<'GetItem'>,
  apiKey: PresentedKey,
  now: number,
): Promise<CallerRole> => (await readPlatformKey(table, apiKey, now)).key_role;

/** Throws `unauthenticated`, with what is wrong with the key. It never says whether another organization has it. */
export const refuseApiKey = (message: string): never => {
  throw new ApiError('unauthenticated', { details: [{ path: 'Authorization', message }] });
};

/** Whether a caller with this role may do it. */
export const isAllowed = (
  { apiKey }: Caller,
  role: CallerRole | undefined,
  permission: Permission,
): role is CallerRole => role !== undefined && permissionsOf(role, apiKey).includes(permission);

/** What a caller with this role may do. */
export const permissionsOf = (role: CallerRole, apiKey: PresentedKey | undefined): Permission[] =>
  [...rolePermissions[role]].filter(
    (one) => apiKey?.kind !== 'organization' || !membersOnly.has(one),
  );

/** Refused with `forbidden` if the caller's role is another one by now, or the key is revoked. */
export const assertStillAllowed = (
  organizationId: string,
  { userId, apiKey }: Caller,
  role: CallerRole,
): Write<'ConditionCheckItem'> => ({
  ConditionCheck: apiKey
    ? {
        Key: keyOfApiKey(organizationId, apiKey),
        ConditionExpression: 'key_role = :role AND attribute_not_exists(revoked_at)',
        ExpressionAttributeValues: { ':role': role },
      }
    : { Key: memberKey(organizationId, userId), ...stillIs(role) },
  refused: () => new ApiError('forbidden'),
});

const keyOfApiKey = (organizationId: string, { kind, id }: PresentedKey): Key =>
  kind === 'platform' ? platformKeyKey(id) : apiKeyKey(organizationId, id);

/** Where the last use of a key is kept. */
export const useKeyOf = (organizationId: string, { kind, id }: PresentedKey): Key =>
  kind === 'platform' ? platformKeyUseKey(id) : apiKeyUseKey(organizationId, id);
