import { forbidden } from '../errors/errors.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import type { Role } from '../operations/permissions.ts';
import type { Grant } from '../table/grants.ts';
import { assertStillAllowed, type CallerInOrganization } from './caller.ts';
import { countMembers } from './limits.ts';
import { type Member, putMember, removeMember, type StoredMember } from './members.ts';

/** Grants to change a member, without those for its name. */
export const memberGrants = [
  'PutItem MEMBERS#',
  'PutItem MEMBER_FACT#',
  'UpdateItem ORG#',
] as const satisfies Grant[];

type MemberWrite = WriteOrFact<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>;

/** Adds a member, or gives one another role or name, and counts them. Writes nothing if that is so already. */
export const putMemberWrites = (
  organizationId: string,
  before: StoredMember,
  member: Member,
  now: number,
): MemberWrite[] => {
  if (before.role === member.role && before.name === member.name) return [];
  const owners = owner(member.role) - owner(before.role);
  return [
    ...putMember(organizationId, member, now, before),
    ...countMembers(organizationId, before.role ? 0 : 1, owners as -1 | 0 | 1),
  ];
};

/** Removes a member, and counts them. */
export const removeMemberWrites = (
  organizationId: string,
  before: StoredMember,
  userId: string,
  now: number,
): MemberWrite[] => [
  ...removeMember(organizationId, userId, now, before),
  ...countMembers(organizationId, -1, before.role === 'owner' ? -1 : 0),
];

const owner = (role: Role | undefined): 0 | 1 => (role === 'owner' ? 1 : 0);

/**
 * A change of a member, by another member or by itself. Only an owner, or the platform, decides who is an owner. Whoever
 * changes members must have the role for it at the moment of the change: of two owners who remove each other, one succeeds.
 * Throws `forbidden`.
 */
export const authorizeMemberWrites = (
  caller: CallerInOrganization,
  target: string,
  before: Role | undefined,
  after: Role | undefined,
  writes: MemberWrite[],
): MemberWrite[] => {
  const { organizationId, userId, role } = caller;
  const concernsOwner = before === 'owner' || after === 'owner';
  const decidesOwners = role === 'owner' || role === 'platform';
  const changedMeanwhile = target === userId && before !== role;
  if (concernsOwner && !decidesOwners) {
    throw forbidden('role', 'is decided by owners, where it is or becomes owner');
  }
  if (changedMeanwhile) throw forbidden('Authorization', 'has another role by now');
  // If callers change themselves, the condition is there already.
  if (writes.length === 0 || target === userId) return writes;
  return [assertStillAllowed(organizationId, caller, role), ...writes];
};
