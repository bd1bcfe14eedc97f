import { ApiError } from '../errors.ts';
import type { Role } from '../permissions.ts';
import { memberKey } from '../table/keys.ts';
import type { Write } from '../table/table.ts';
import { countMembers } from './limits.ts';
import { type Member, putMember, removeMember, stillIs } from './members.ts';

/** Who changes a member. */
interface Actor {
  organizationId: string;
  userId: string;
  role: Role;
}

/** Adds a member, or gives one another role. Throws `forbidden`. */
export const putWrites = (
  actor: Actor,
  before: Role | undefined,
  member: Member,
): Write<'PutItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => {
  assertMay(actor, member.user_id, before, member.role);
  if (before === member.role) return [];
  const { organizationId } = actor;
  const owners = owner(member.role) - owner(before);
  return [
    ...actorIsUnchanged(actor, member.user_id),
    putMember(organizationId, member, before),
    ...countMembers(organizationId, before ? 0 : 1, owners as -1 | 0 | 1),
  ];
};

/** Throws `not_found` and `forbidden`. */
export const removeWrites = (
  actor: Actor,
  before: Role | undefined,
  userId: string,
): Write<'DeleteItem' | 'UpdateItem' | 'ConditionCheckItem'>[] => {
  if (!before) throw new ApiError('not_found');
  assertMay(actor, userId, before, undefined);
  const { organizationId } = actor;
  return [
    ...actorIsUnchanged(actor, userId),
    removeMember(organizationId, userId, before),
    ...countMembers(organizationId, -1, before === 'owner' ? -1 : 0),
  ];
};

const owner = (role: Role | undefined): 0 | 1 => (role === 'owner' ? 1 : 0);

/** Only an owner decides who is an owner. */
const assertMay = (
  { userId, role }: Actor,
  target: string,
  before: Role | undefined,
  after: Role | undefined,
): void => {
  const concernsOwner = before === 'owner' || after === 'owner';
  const changedMeanwhile = target === userId && before !== role;
  if ((concernsOwner && role !== 'owner') || changedMeanwhile) throw new ApiError('forbidden');
};

/**
 * Whoever changes members has the role for it at the moment of the change: of two owners who remove
 * each other, one does. A change of oneself has that condition already.
 */
const actorIsUnchanged = (
  { organizationId, userId, role }: Actor,
  target: string,
): Write<'ConditionCheckItem'>[] =>
  target === userId
    ? []
    : [
        {
          ConditionCheck: { Key: memberKey(organizationId, userId), ...stillIs(role) },
          refused: () => new ApiError('forbidden'),
        },
      ];
