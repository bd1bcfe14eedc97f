import * as z from 'zod/mini';
import { callerRoles, roles } from '../operations/permissions.ts';
import type { OwnApiKey } from '../operations/request.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import {
  memberKey,
  memberSort,
  organizationIdOf,
  organizationKey,
  userIndex,
} from '../table/keys.ts';
import type { Table } from '../table/table.ts';
import { roleOf } from './members.ts';

/** Organizations of a page at most: as many are read in two requests at once. */
export const mostMemberships = 100;

/** An organization as one of its members, or one of its API keys, sees it in the list of theirs. */
export const membership = z
  .strictObject({ id: z.uuid(), name: z.string(), role: z.enum(callerRoles) })
  .check(z.meta({ id: 'Membership' }));
type Membership = z.output<typeof membership>;

/** The index's sort key, and the organization. */
const cursorPattern = new RegExp(`^(?:${roles.join('|')}) [0-9a-f-]{36}$`);

/**
 * A page of the organizations that a user is a member of, by name. The index says which; it lags a moment. So
 * each membership is read once more, strongly consistent, together with its organization: who was removed is
 * not told of it any more, and a role is the one of now. Throws `invalid_cursor`.
 */
export const readMemberships = async (
  table: Table<'Query by_user' | 'GetItem'>,
  userId: string,
  cursor: string | undefined,
): Promise<{ organizations: Membership[]; next_cursor?: string }> => {
  const identity: ListIdentity = [userId, 'getMe'];
  const sk = memberSort(userId);
  const place = cursor === undefined ? undefined : decodeCursor(identity, cursor, cursorPattern);
  const [role, after = ''] = place?.split(' ') ?? [];
  const { items, last } = await table.query({
    index: userIndex.name,
    condition: 'sk = :sk',
    values: { ':sk': sk },
    limit: mostMemberships + 1,
    startAfter: role === undefined ? undefined : { ...memberKey(after, userId), role },
  });
  const page = items.slice(0, mostMemberships);
  const ids = page.map(({ pk }) => organizationIdOf(pk as string));
  const latestItems = await table.getAll(
    ids.flatMap((id) => [memberKey(id, userId), organizationKey(id)]),
  );
  const organizations = ids.flatMap((id, i) => {
    const role = roleOf(latestItems[2 * i]);
    const name = latestItems[2 * i + 1]?.name as string | undefined;
    return role && name !== undefined ? [{ id, name, role }] : [];
  });
  const more = items.length > mostMemberships || last !== undefined;
  return {
    organizations: organizations.sort(byName),
    ...(more && { next_cursor: encodeCursor(identity, `${page.at(-1)?.role} ${ids.at(-1)}`) }),
  };
};

/** The organization in which an API key is asked about; none for a platform key that names none. */
export const readOrganizationOf = async (
  table: Table<'GetItem'>,
  { organizationId: id, role }: OwnApiKey,
): Promise<Membership[]> => {
  const item = id === undefined ? undefined : await table.get(organizationKey(id));
  return id !== undefined && item ? [{ id, name: item.name as string, role }] : [];
};

const byName = (a: Membership, b: Membership): number =>
  a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);
