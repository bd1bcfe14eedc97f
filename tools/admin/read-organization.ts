import { mostMembers } from '../../lib/organizations/limits.ts';
import { type Member, membersOf } from '../../lib/organizations/members.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import type { TableClient } from '../../lib/table/client.ts';
import type { ItemOf } from '../../lib/table/kind.ts';
import { readPage } from '../../lib/table/pages.ts';
import { NotFoundError } from './outcomes.ts';

/** The organization. Throws `NotFoundError` if there is none, as its lists would look empty. */
export const expectOrganization = async (
  table: TableClient,
  id: string,
): Promise<ItemOf<typeof organizationKind>> => {
  const item = await table.get(organizationKind.key({ organizationId: id }));
  if (!item) throw new NotFoundError(`There is no organization ${id}.`);
  return item;
};

/** The members of an organization, by user id. */
export const readAllMembers = async (
  table: TableClient,
  organizationId: string,
): Promise<Member[]> => {
  // A cursor of this list would need an identity of its own. None is made, as one page holds all members.
  const list = { ...membersOf(organizationId), identity: [organizationId, 'admin'] as const };
  return (await readPage(table, list, { limit: mostMembers })).items;
};
