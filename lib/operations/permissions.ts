/** What a member of an organization can be allowed. */
export const permissions = [
  'organization:read',
  'organization:write',
  'leads:read',
  'leads:write',
  'leads:erase',
  'leads:merge',
  'notes:write',
  'fields:write',
  'pipelines:read',
  'pipelines:write',
  'members:read',
  'members:write',
  'keys:read',
  'keys:write',
  'billing:read',
  'billing:write',
  'stars:spend',
  'changes:read',
  'webhooks:read',
  'webhooks:write',
] as const;

/** What no organization may do for itself: only platform keys can be allowed it. */
export const platformPermissions = ['events:write', 'plans:write', 'organizations:write'] as const;
export type PlatformPermission = (typeof platformPermissions)[number];
export type Permission = (typeof permissions)[number] | PlatformPermission;

/** Whether only a platform key can be allowed it. */
export const isPlatformPermission = (permission: Permission | undefined): boolean =>
  platformPermissions.some((one) => one === permission);

/** The roles that an API key of an organization can have. */
export const apiKeyRoles = [
  'admin',
  'agent',
  'viewer',
  'support',
  'billing',
  'meter',
  'assistant',
] as const;
export type ApiKeyRole = (typeof apiKeyRoles)[number];

/** The roles of members. */
export const roles = ['owner', ...apiKeyRoles] as const;
export type Role = (typeof roles)[number];

/** The roles that only platform keys have. */
export const platformRoles = ['platform', 'billing_system'] as const;
export type PlatformRole = (typeof platformRoles)[number];

export const callerRoles = [...roles, ...platformRoles] as const;
export type CallerRole = Role | PlatformRole;

const read = ['organization:read', 'leads:read', 'pipelines:read', 'members:read'] as const;

/** The one map of what each role may do. */
export const rolePermissions: Record<CallerRole, ReadonlySet<Permission>> = {
  owner: new Set(permissions),
  admin: new Set(permissions),
  agent: new Set([...read, 'leads:write', 'notes:write']),
  viewer: new Set(read),
  support: new Set([...read, 'notes:write', 'billing:read', 'changes:read', 'webhooks:read']),
  billing: new Set(['organization:read', 'billing:read']),
  meter: new Set(['organization:read', 'billing:read', 'stars:spend']),
  // What an agent and a meter may: software that works with leads, and pays for it.
  assistant: new Set([...read, 'leads:write', 'notes:write', 'billing:read', 'stars:spend']),
  platform: new Set([...permissions, ...platformPermissions]),
  billing_system: new Set([
    'organization:read',
    'billing:read',
    'billing:write',
    'stars:spend',
    'events:write',
    'plans:write',
  ]),
};

/** What no API key of an organization may do, whatever its role: else a leaked key could make others. */
export const membersOnly: ReadonlySet<Permission> = new Set(['members:write', 'keys:write']);
