import { expect, test } from 'vitest';
import { chainGrants } from '../../../lib/handlers/http/serve.ts';
import { permissions, rolePermissions, roles } from '../../../lib/operations/permissions.ts';
import { echo } from '../echo.ts';

// As docs/api.md says.
const promised = {
  owner: [
    'organization:read',
    'leads:read',
    'leads:write',
    'leads:erase',
    'leads:merge',
    'fields:write',
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
    'leads:erase',
    'leads:merge',
    'fields:write',
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

test('the chain’s own permissions are to read, and to record under keys', () => {
  expect(chainGrants(echo())).toEqual(['GetItem', 'PutItem']);
  expect(chainGrants(echo({ idempotent: false }))).toEqual(['GetItem']);
});
