import * as z from 'zod/mini';
import { uuidForm } from '../cursor.ts';
import { type Role, roles } from '../permissions.ts';
import { memberKey, organizationKeys } from '../table/keys.ts';
import { Changed } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';

export const member = z
  .strictObject({ user_id: z.uuid(), role: z.enum(roles) })
  .check(z.meta({ id: 'Member' }));
export type Member = z.output<typeof member>;

export const roleOf = (item: Item | undefined): Role | undefined => item?.role as Role | undefined;

/** The role of a user in an organization; undefined for a stranger and for an unknown organization. */
export const readRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<Role | undefined> =>
  roleOf(await table.get(memberKey(organizationId, userId), { consistent: true }));

/** Puts a member in place of what there was; refused with `Changed` if that is something else. */
export const putMember = (
  organizationId: string,
  { user_id, role }: Member,
  before?: Role,
): Write<'PutItem'> => ({
  Put: { Item: { ...memberKey(organizationId, user_id), role }, ...stillIs(before) },
  refused: () => new Changed(),
});

export const removeMember = (
  organizationId: string,
  userId: string,
  before: Role,
): Write<'DeleteItem'> => ({
  Delete: { Key: memberKey(organizationId, userId), ...stillIs(before) },
  refused: () => new Changed(),
});

/** `role` is a reserved word of DynamoDB's expressions. */
export const stillIs = (role: Role | undefined) =>
  role === undefined
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: '#role = :role',
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: { ':role': role },
      };

/** The members of an organization as a list, by user id. */
export const membersOf = (organizationId: string) => {
  const { pk, prefix } = organizationKeys(organizationId, 'MEMBER');
  return {
    pk,
    prefix,
    form: uuidForm,
    toItem: (item: Item): Member => ({
      user_id: (item.sk as string).slice(prefix.length),
      role: item.role as Role,
    }),
  };
};
