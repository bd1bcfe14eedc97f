import * as z from 'zod/mini';
import { type CallerRole, type Role, roles } from '../operations/permissions.ts';
import { uuidPattern } from '../schema/cursor.ts';
import { text } from '../schema/fields.ts';
import { absent, atVersion, compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table, Write } from '../table/table.ts';
import { put } from '../table/write.ts';
import { putName } from './names.ts';

/** What a member is called, so that a history can be read. */
export const memberName = () => text(200);

export const member = z
  .strictObject({ user_id: z.guid(), role: z.enum(roles), name: z.nullable(memberName()) })
  .check(z.meta({ id: 'Member' }));
export type Member = z.output<typeof member>;

/** A membership. One that was removed stays without role and name: no decision from before fits its version. */
export const memberKind = new Kind(places.member, {
  holds: 'the role of a user; all members, and who was one',
  attributes: z.object({
    /** No other kind has it: so the index by user has members alone. */
    role: z.optional(z.enum(roles)),
    name: z.optional(z.string()),
    version: z.int(),
  }),
});

/** The role of a user in an organization; undefined for a stranger and for an unknown organization. */
export const readRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<Role | undefined> => (await table.get(memberKind.key({ organizationId, userId })))?.role;

/** A member; undefined for someone who is none. */
export const readMember = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<Member | undefined> => {
  const item = await table.get(memberKind.key({ organizationId, userId }));
  return item && toMember(item);
};

const toMember = ({ sk, role, name }: ItemOf<typeof memberKind>): Member | undefined =>
  role && { user_id: sk, role, name: name ?? null };

/** A membership as it is stored, or what stays of it after a removal. */
export interface StoredMember {
  /** The member's role; undefined for someone who is not a member. */
  role: Role | undefined;
  name: string | null;
  /** Rises by one with every change, also across a removal. 0 for someone who never was a member. */
  version: number;
}

/** A change of a member is decided on these. */
export const readStoredMember = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<StoredMember> => {
  const item = await table.get(memberKind.key({ organizationId, userId }));
  return { role: item?.role, name: item?.name ?? null, version: item?.version ?? 0 };
};

/** Puts a member in place of the one that was read. Refused with `ConflictError` if it is another one by now. */
export const putMember = (
  organizationId: string,
  { user_id, role, name }: Member,
  before: Pick<StoredMember, 'version' | 'name'> = { version: 0, name: null },
): Write<'PutItem'>[] => [
  putMembership(organizationId, user_id, { role, name: name ?? undefined }, before),
  ...(name === before.name ? [] : [putName(organizationId, user_id, name)]),
];

/** Removes a member. Refused with `ConflictError` if it is another one by now. */
export const removeMember = (
  organizationId: string,
  userId: string,
  before: Pick<StoredMember, 'version'>,
): Write<'PutItem'> => putMembership(organizationId, userId, {}, before);

const putMembership = (
  organizationId: string,
  userId: string,
  attributes: { role?: Role; name?: string | undefined },
  { version }: Pick<StoredMember, 'version'>,
): Write<'PutItem'> =>
  put(
    memberKind.key({ organizationId, userId }),
    { ...attributes, version: version + 1 },
    {
      condition: version === 0 ? absent : atVersion(version),
      refused: () => new ConflictError(),
    },
  );

/** That a member has this role. */
export const hasRole = (role: CallerRole) => compare('role', '=', role);

/** The members of an organization as a list, by user id. */
export const membersOf = (organizationId: string) => ({
  kind: memberKind,
  pk: memberKind.partition({ organizationId }),
  pattern: uuidPattern,
  toItem: toMember,
});
