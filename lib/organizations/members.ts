import * as z from 'zod/mini';
import { type CallerRole, type Role, roles } from '../operations/permissions.ts';
import { uuidPattern } from '../schema/cursor.ts';
import { text } from '../schema/fields.ts';
import { formerMemberKey, memberKey, organizationKeys } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';

/** What a member is called, so that a history can be read. */
export const memberName = () => text(200);

export const member = z
  .strictObject({ user_id: z.guid(), role: z.enum(roles), name: z.nullable(memberName()) })
  .check(z.meta({ id: 'Member' }));
export type Member = z.output<typeof member>;

export const roleOf = (item: Item | undefined): Role | undefined => item?.role as Role | undefined;

/** The role of a user in an organization; undefined for a stranger and for an unknown organization. */
export const readRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<Role | undefined> => roleOf(await table.get(memberKey(organizationId, userId)));

/** A member; undefined for someone who is none. */
export const readMember = async (
  table: Table<'GetItem'>,
  organizationId: string,
  user_id: string,
): Promise<Member | undefined> => {
  const item = await table.get(memberKey(organizationId, user_id));
  const role = roleOf(item);
  return role && { user_id, role, name: nameOf(item) };
};

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
  const [member, former] = await table.getAll([
    memberKey(organizationId, userId),
    formerMemberKey(organizationId, userId),
  ]);
  return {
    role: roleOf(member),
    name: nameOf(member),
    version: Number((member ?? former)?.version ?? 0),
  };
};

const nameOf = (item: Item | undefined): string | null =>
  (item?.name as string | undefined) ?? null;

const toItem = (
  organizationId: string,
  { user_id, role, name }: Member,
  version: number,
): Item => ({
  ...memberKey(organizationId, user_id),
  role,
  ...(name !== null && { name }),
  version,
});

/** A member of an organization that is being made. */
export const newMember = (organizationId: string, member: Member): Write<'PutItem'> => ({
  Put: {
    Item: toItem(organizationId, member, 1),
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refused: () => new ConflictError(),
});

/** Puts a member in place of the one that was read. Refused with `ConflictError` if it is another one by now. */
export const putMember = (
  organizationId: string,
  member: Member,
  before: StoredMember,
): Write<'PutItem' | 'DeleteItem' | 'ConditionCheckItem'>[] => {
  const Item = toItem(organizationId, member, before.version + 1);
  const refused = () => new ConflictError();
  if (before.role) return [{ Put: { Item, ...isAt(before.version) }, refused }];
  const former = formerMemberKey(organizationId, member.user_id);
  return [
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' }, refused },
    // A decision from before a removal must not put the member back.
    before.version === 0
      ? {
          ConditionCheck: { Key: former, ConditionExpression: 'attribute_not_exists(pk)' },
          refused,
        }
      : { Delete: { Key: former, ...isAt(before.version) }, refused },
  ];
};

/**
 * Removes a member, whose version stays for ever: no decision from before fits. Refused with `ConflictError` if it is
 * another one by now.
 */
export const removeMember = (
  organizationId: string,
  userId: string,
  { version }: Pick<StoredMember, 'version'>,
): Write<'DeleteItem' | 'PutItem'>[] => [
  {
    Delete: { Key: memberKey(organizationId, userId), ...isAt(version) },
    refused: () => new ConflictError(),
  },
  {
    Put: {
      Item: { ...formerMemberKey(organizationId, userId), version: version + 1 },
    },
  },
];

const isAt = (version: number) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

/** `role` is a reserved word of DynamoDB's expressions. */
export const stillIs = (role: CallerRole) => ({
  ConditionExpression: '#role = :role',
  ExpressionAttributeNames: { '#role': 'role' },
  ExpressionAttributeValues: { ':role': role },
});

/** The members of an organization as a list, by user id. */
export const membersOf = (organizationId: string) => {
  const { pk, prefix } = organizationKeys(organizationId, 'MEMBER');
  return {
    pk,
    prefix,
    pattern: uuidPattern,
    toItem: (item: Item): Member => ({
      user_id: (item.sk as string).slice(prefix.length),
      role: item.role as Role,
      name: nameOf(item),
    }),
  };
};
