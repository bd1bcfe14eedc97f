import { ApiError } from '../../operations/errors.ts';
import { type Permission, type Role, rolePermissions } from '../../operations/permissions.ts';
import { readRole } from '../../organizations/members.ts';
import type { Caller } from './authentication.ts';
import type { Step } from './chain.ts';
import { LastSeen } from './last-seen.ts';
import type { InOrganization } from './organization.ts';
import type { WithTable } from './table.ts';

/** How many members an environment remembers. */
const mostRemembered = 1000;

export interface Membership {
  /** The caller's role. Rejects with `forbidden` if the caller may not do this. */
  role: Promise<Role>;
  /** Reads the membership once more. Throws `forbidden` if the caller may no longer. */
  assertMember: () => Promise<void>;
}

/**
 * Reads the caller's membership of the organization. A caller whom this environment has not seen as a member waits
 * here, so that a stranger costs this one read. For a member whom it has seen, the later steps go on meanwhile, which
 * saves a round trip. The membership as it is now decides all the same.
 */
export const membership = (
  permission: Permission,
): Step<Caller & InOrganization & WithTable, Membership> => {
  const members = new LastSeen<true>(mostRemembered);
  return {
    before: async ({ table, organizationId, userId }) => {
      const member = `${organizationId} ${userId}`;
      const read = async (): Promise<Role> => {
        const role = await readRole(table, organizationId, userId);
        if (role && rolePermissions[role].has(permission)) {
          members.set(member, true);
          return role;
        }
        members.delete(member);
        throw new ApiError('forbidden');
      };
      const role = read();
      // A later step awaits it and hears of a rejection. Until then it must not end the process.
      role.catch(() => {});
      if (!members.has(member)) await role;
      return { role, assertMember: async () => void (await read()) };
    },
    // A stranger hears `forbidden`, not what else is wrong with the request.
    onError: async ({ role }, error) => {
      try {
        await role;
        return error;
      } catch (refusal) {
        return refusal;
      }
    },
  };
};
