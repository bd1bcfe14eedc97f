export const permissions = [
  'organization:read',
  'leads:read',
  'leads:write',
  'pipelines:read',
  'pipelines:write',
  'members:read',
  'members:write',
  'billing:read',
  'billing:write',
  'changes:read',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['owner', 'admin', 'agent', 'viewer', 'support', 'billing'] as const;
export type Role = (typeof roles)[number];

const read = ['organization:read', 'leads:read', 'pipelines:read', 'members:read'] as const;

/** The one map of what each role may do in its organization. */
export const rolePermissions: Record<Role, ReadonlySet<Permission>> = {
  owner: new Set(permissions),
  admin: new Set(permissions),
  agent: new Set([...read, 'leads:write']),
  viewer: new Set(read),
  support: new Set([...read, 'billing:read']),
  billing: new Set(['organization:read', 'billing:read']),
};
