import { randomUUID } from 'node:crypto';
import type { Role } from '../../../lib/operations/permissions.ts';
import { Organization, provision } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';

// Members of an organization, and who they act as.

export const path = (user: string) => `/members/${user}`;

/** The same organization, with someone else for a role. */
export const as = async (organization: Organization, role: Role, user: string) =>
  new Organization({
    id: organization.id,
    pipelines: organization.pipelines,
    users: { ...organization.users, [role]: user },
    tokens: { ...organization.tokens, [role]: await sign({ sub: user }) },
  });

export const roleNow = async (organization: Organization, user: string) =>
  (await organization.get(path(user))).body.role as Role | undefined;

/** A new organization as each of so many owners, who are all of its members. */
export const owned = async (count: number): Promise<Organization[]> => {
  const users = Array.from({ length: count }, () => randomUUID());
  const organization = await provision({
    members: users.map((user_id) => ({ user_id, role: 'owner' })),
  });
  return Promise.all(users.map((user) => as(organization, 'owner', user)));
};
