import { putMemberWrites, removeMemberWrites } from '../../../lib/organizations/member-writes.ts';
import { memberKind, readStoredMember } from '../../../lib/organizations/members.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { readPartition } from '../../../lib/table/pages.ts';
import { commitTaken, type Tables, type Taken } from './tables.ts';

const rolesIn = async (table: TableClient, organizationId: string) => {
  const items = await readPartition(table, memberKind, memberKind.partition({ organizationId }));
  return new Map(items.map(({ sk, role }) => [sk, role]));
};

/**
 * Members are those of the old table, with their roles there. Owners come first, also those who joined since: else the last
 * owner of the backup could not be removed.
 */
export const takeOverMembers = async (
  { old, restored }: Tables,
  organizationId: string,
  taken: Taken,
): Promise<void> => {
  const [after, before] = [
    await rolesIn(old, organizationId),
    await rolesIn(restored, organizationId),
  ];
  const others = [...new Set([...after.keys(), ...before.keys()])].filter(
    (id) => after.get(id) !== before.get(id),
  );
  const isOwner = (id: string) => after.get(id) === 'owner';
  for (const userId of others.toSorted((a, b) => Number(isOwner(b)) - Number(isOwner(a)))) {
    const [{ role, name }, stored] = [
      await readStoredMember(old, organizationId, userId),
      await readStoredMember(restored, organizationId, userId),
    ];
    const writes = role
      ? putMemberWrites(organizationId, stored, { user_id: userId, role, name }, Date.now())
      : removeMemberWrites(organizationId, stored, userId, Date.now());
    await commitTaken(restored)(writes);
    taken.members++;
  }
};
