import * as z from 'zod/mini';
import { FactKind } from '../facts/fact.ts';
import { changedFields, settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { type CallerRole, type Role, roles } from '../operations/permissions.ts';
import { uuidPattern } from '../schema/cursor.ts';
import { text } from '../schema/fields.ts';
import { absent, atVersion, compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { put } from '../table/write.ts';
import { putName } from './names.ts';

/** The name of a member, by which people can read a history. */
export const memberName = () => text(200);

export const member = z
  .strictObject({ user_id: z.guid(), role: z.enum(roles), name: z.nullable(memberName()) })
  .check(z.meta({ id: 'Member' }));
export type Member = z.output<typeof member>;

/** A membership. A removed membership stays, without role and name: no decision from before fits its version. */
export const memberKind = new Kind(places.member, {
  hasFacts: true,
  holds: 'the role of a user; all members, and who was one',
  attributes: z.object({
    /** No other kind has this attribute: so the index by user has members alone. */
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

export const memberTypes = ['member.added', 'member.updated', 'member.removed'] as const;

export const memberFactKind = new FactKind(places.memberFact, {
  holds: 'what happened to a member',
  thing: places.member,
  attributes: z.object({
    ...settingFact,
    type: z.enum(memberTypes),
    /** Absent where the member was removed. Not `role`: what has that is in the index by user. */
    member_role: z.optional(z.enum(roles)),
  }),
});

const nobody: StoredMember = { role: undefined, name: null, version: 0 };

/** Puts a member in place of the member that was read. Refused with `ConflictError` if it was changed meanwhile. */
export const putMember = (
  organizationId: string,
  { user_id, ...after }: Member,
  now: number,
  before: StoredMember = nobody,
): WriteOrFact<'PutItem'>[] => [
  ...putMembership(organizationId, user_id, after, { before, now }),
  ...(after.name === before.name ? [] : [putName(organizationId, user_id, after.name)]),
];

/** Removes a member. Refused with `ConflictError` if it was changed since it was read. */
export const removeMember = (
  organizationId: string,
  userId: string,
  now: number,
  before: StoredMember,
): WriteOrFact<'PutItem'>[] =>
  putMembership(organizationId, userId, { role: undefined, name: null }, { before, now });

const isTold: Record<Exclude<keyof StoredMember, 'version'>, true> = { role: true, name: true };
const toldNames = Object.keys(isTold) as (keyof typeof isTold)[];

const putMembership = (
  organizationId: string,
  userId: string,
  after: Pick<StoredMember, 'role' | 'name'>,
  { before, now }: { before: StoredMember; now: number },
): WriteOrFact<'PutItem'>[] => {
  const version = before.version + 1;
  const { role } = after;
  return [
    put(
      memberKind.key({ organizationId, userId }),
      { role, name: after.name ?? undefined, version },
      {
        condition: before.version === 0 ? absent : atVersion(before.version),
        refused: () => new ConflictError(),
      },
    ),
    memberFactKind.fact(
      { organizationId, userId },
      {
        type: !role ? 'member.removed' : before.role ? 'member.updated' : 'member.added',
        version,
        at: new Date(now).toISOString(),
        member_role: role,
        changed: changedFields(before, { ...after, version }, toldNames),
      },
    ),
  ];
};

/** Condition: a member has this role. */
export const hasRole = (role: CallerRole) => compare('role', '=', role);

/** The members of an organization as a list, by user id. */
export const membersOf = (organizationId: string) => ({
  kind: memberKind,
  pk: memberKind.partition({ organizationId }),
  pattern: uuidPattern,
  toItem: toMember,
});
