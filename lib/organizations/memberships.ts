import * as z from 'zod/mini';
import { callerRoles, roles } from '../operations/permissions.ts';
import type { OwnApiKey } from '../operations/request.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../schema/cursor.ts';
import { places, userIndex } from '../table/keys.ts';
import { type Item, type Table, toKey } from '../table/table.ts';
import { memberKind } from './members.ts';
import { organizationKind } from './organization.ts';

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
  const place = cursor === undefined ? undefined : decodeCursor(identity, cursor, cursorPattern);
  const [role, after = ''] = place?.split(' ') ?? [];
  const { items, last } = await table.query({
    kind: indexedMember,
    index: userIndex.name,
    condition: 'sk = :sk',
    values: { ':sk': userId },
    limit: mostMemberships + 1,
    startAfter:
      role === undefined
        ? undefined
        : { ...places.member.key({ organizationId: after, userId }), role },
  });
  const page = items.slice(0, mostMemberships);
  const ids = page.map(({ organizationId }) => organizationId);
  const [members, organizationItems] = await Promise.all([
    table.getAll(ids.map((organizationId) => memberKind.key({ organizationId, userId }))),
    table.getAll(ids.map((organizationId) => organizationKind.key({ organizationId }))),
  ]);
  const organizations = ids.flatMap((id, i) => {
    const [role, name] = [members[i]?.role, organizationItems[i]?.name];
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
  if (id === undefined) return [];
  const item = await table.get(organizationKind.key({ organizationId: id }));
  return item ? [{ id, name: item.name, role }] : [];
};

/** The index has a membership's key and role alone. */
const indexedMember = {
  parse: (item: Item) => {
    const role = z.enum(roles).parse(item.role);
    return { ...memberKind.idsOf(toKey(item)), role };
  },
};

const byName = (a: Membership, b: Membership): number =>
  a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);
