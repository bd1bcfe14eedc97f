import { expect, test } from 'vitest';
import { permissions, rolePermissions, roles } from '../../lib/operations/permissions.ts';

// As docs/api.md says.
const promised = {
  owner: [
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
  ],
  admin: [
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
  ],
  agent: ['organization:read', 'leads:read', 'leads:write', 'pipelines:read', 'members:read'],
  viewer: ['organization:read', 'leads:read', 'pipelines:read', 'members:read'],
  support: ['organization:read', 'leads:read', 'pipelines:read', 'members:read', 'billing:read'],
  billing: ['organization:read', 'billing:read'],
};

test('each role has just its permissions, and there are no other roles', () => {
  expect(
    Object.fromEntries(roles.map((role) => [role, [...rolePermissions[role]].sort()])),
  ).toEqual(
    Object.fromEntries(Object.entries(promised).map(([role, all]) => [role, [...all].sort()])),
  );
  expect([...permissions].sort()).toEqual([...promised.owner].sort());
});
