import { type ApiError, forbidden, unauthenticated } from '../errors/errors.ts';
import {
  type CallerRole,
  membersOnly,
  type Permission,
  rolePermissions,
} from '../operations/permissions.ts';
import type { PresentedKey } from '../operations/presented-key.ts';
import { all, compare, lacks } from '../table/condition.ts';
import type { Table, Write } from '../table/table.ts';
import { check } from '../table/write.ts';
import {
  apiKeyKind,
  apiKeyUseKind,
  isValid,
  platformKeyKind,
  platformKeyUseKind,
  type StoredApiKey,
  type StoredPlatformKey,
} from './api-keys/stored-api-key.ts';
import { hasRole, memberKind, readRole } from './members.ts';
import { organizationKind } from './organization.ts';

/** Who calls: a user by a token, or a program by an API key. */
export interface Caller {
  /** The user's id, or the API key's. */
  userId: string;
  apiKey?: PresentedKey | undefined;
}

/** The standing of a caller in an organization. */
export interface Standing {
  organizationId: string;
  role: CallerRole;
  /** Whose stars the caller spends alone: of an API key that was made so. */
  spender?: string | undefined;
}

/**
 * The caller's standing in an organization, or without an id, in that of the API key; undefined for a stranger or an
 * unknown organization. A platform key takes two reads: at once if `isKnown`, else the key first, as a made-up key may
 * read no more. Throws `unauthenticated` for a key that is not of this organization or the platform now.
 */
export const readStanding = async (
  table: Table<'GetItem'>,
  organizationId: string | undefined,
  { userId, apiKey }: Caller,
  now: number,
  isKnown = false,
): Promise<Standing | undefined> => {
  if (apiKey?.kind === 'organization') {
    const key = await readOwnApiKey(table, organizationId, apiKey, now);
    return { organizationId: key.organization_id, role: key.key_role, spender: key.spender };
  }
  if (organizationId === undefined) return undefined;
  if (!apiKey) {
    const role = await readRole(table, organizationId, userId);
    return role && { organizationId, role };
  }
  const roleReading = readPlatformRole(table, apiKey, now);
  if (!isKnown) await roleReading;
  const organizationReading = table.get(organizationKind.key({ organizationId }));
  const [role, organization] = await Promise.all([roleReading, organizationReading]);
  return organization && { organizationId, role };
};

/** The API key with which the caller calls: of this organization, if an organization is named. Throws `unauthenticated`. */
export const readOwnApiKey = async (
  table: Table<'GetItem'>,
  organizationId: string | undefined,
  { id, digest }: PresentedKey,
  now: number,
): Promise<StoredApiKey> => {
  const key = await table.get(apiKeyKind.key({ keyId: id }));
  const isOwn =
    key &&
    (organizationId === undefined || key.organization_id === organizationId) &&
    isValid(key, digest, now);
  return isOwn ? key : refuseApiKey('is not an API key of this organization');
};

/** The platform key with which the caller calls. Throws `unauthenticated`. */
export const readPlatformKey = async (
  table: Table<'GetItem'>,
  { id, digest }: PresentedKey,
  now: number,
): Promise<StoredPlatformKey> => {
  const key = await table.get(platformKeyKind.key({ keyId: id }));
  return key && isValid(key, digest, now) ? key : refuseApiKey('is not a platform key');
};

/** The role of a platform key. Throws `unauthenticated`. */
export const readPlatformRole = async (
  table: Table<'GetItem'>,
  apiKey: PresentedKey,
  now: number,
): Promise<CallerRole> => (await readPlatformKey(table, apiKey, now)).key_role;

/** A caller whom admission let in, in an organization. */
export interface CallerInOrganization extends Caller {
  organizationId: string;
  role: CallerRole;
}

/** Throws `unauthenticated`, with what is wrong with the key. It never says whether another organization has it. */
export const refuseApiKey = (message: string): never => {
  throw unauthenticated(message);
};

/** Whether a caller with this role may do it. */
export const isAllowed = (
  { apiKey }: Caller,
  role: CallerRole | undefined,
  permission: Permission,
): role is CallerRole => role !== undefined && permissionsOf(role, apiKey).includes(permission);

/** Why a caller may not do it. A stranger hears the same of an organization that there is not. */
export const notAllowed = (role: CallerRole | undefined, permission: Permission): ApiError => {
  if (role === undefined) {
    return forbidden('X-Organization-Id', 'names no organization that you are a member of');
  }
  const who = rolePermissions[role].has(permission)
    ? 'no API key of an organization has'
    : `the role ${role} does not have`;
  return forbidden('Authorization', `needs the permission ${permission}, which ${who}`);
};

/** The permissions of a caller with this role. */
export const permissionsOf = (role: CallerRole, apiKey: PresentedKey | undefined): Permission[] =>
  [...rolePermissions[role]].filter(
    (one) => apiKey?.kind !== 'organization' || !membersOnly.has(one),
  );

/** Refused with `forbidden` if the caller has another role by now, or the key is revoked. */
export const assertStillAllowed = (
  organizationId: string,
  { userId, apiKey }: Caller,
  role: CallerRole,
): Write<'ConditionCheckItem'> => {
  const refused = () => forbidden('Authorization', 'has another role by now, or is revoked');
  if (!apiKey) return check(memberKind.key({ organizationId, userId }), hasRole(role), refused);
  const isStill = all(compare('key_role', '=', role), lacks('revoked_at'));
  return apiKey.kind === 'platform'
    ? check(platformKeyKind.key({ keyId: apiKey.id }), isStill, refused)
    : check(apiKeyKind.key({ keyId: apiKey.id }), isStill, refused);
};

/** Where the last use of a key is kept. */
export const useKeyOf = (organizationId: string, { kind, id: keyId }: PresentedKey) =>
  kind === 'platform'
    ? platformKeyUseKind.key({ keyId })
    : apiKeyUseKind.key({ organizationId, keyId });
