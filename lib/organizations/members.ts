import type { Role } from '../permissions.ts';
import { memberKey } from '../table/keys.ts';
import type { Item, Table, Write } from '../table/table.ts';

export interface Member {
  user_id: string;
  role: Role;
}

/** The role of a user in an organization; undefined for a stranger and for an unknown organization. */
export const readRole = async (
  table: Table<'GetItem'>,
  organizationId: string,
  userId: string,
): Promise<Role | undefined> => {
  const item = await table.get(memberKey(organizationId, userId), { consistent: true });
  return item?.role as Role | undefined;
};

export const putMember = (organizationId: string, member: Member): Write<'PutItem'> => ({
  Put: { Item: { ...memberKey(organizationId, member.user_id), role: member.role } satisfies Item },
});
