import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chainGrants } from '../../../lib/handlers/http/serve.ts';
import {
  callerRoles,
  isPlatformPermission,
  membersOnly,
  permissions,
  platformPermissions,
  rolePermissions,
} from '../../../lib/operations/permissions.ts';
import { echo } from '../echo.ts';

/** What docs/api.md says of each role. */
const promised = async (): Promise<Record<string, string[]>> => {
  const text = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## Roles\n(.*?)\n## /s.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  const named = rows.map(([, role = '', may = '']) => [
    role,
    [
      ...(may.startsWith('everything') ? permissions : []),
      ...[...may.matchAll(/`([^`]+)`/g)].map(([, permission = '']) => permission),
    ].sort(),
  ]);
  return Object.fromEntries(named);
};

test('each role has just the permissions of its row in docs/api.md, and there are no other roles', async () => {
  expect(
    Object.fromEntries(callerRoles.map((role) => [role, [...rolePermissions[role]].sort()])),
  ).toEqual(await promised());
  expect(permissions).toContain('leads:erase');
});

test('what only a platform key may is what no role of a member has', () => {
  const ofMembers = new Set<string>(permissions);
  for (const permission of platformPermissions) {
    expect([isPlatformPermission(permission), ofMembers.has(permission)]).toEqual([true, false]);
  }
  for (const permission of permissions) expect(isPlatformPermission(permission)).toBe(false);
  expect(isPlatformPermission(undefined)).toBe(false);
});

test('no API key of an organization manages members or keys', () => {
  expect([...membersOnly].sort()).toEqual(['keys:write', 'members:write']);
});

test('the chain’s own permissions are to read, and to record under keys', () => {
  expect(chainGrants(echo())).toEqual(['GetItem', 'PutItem']);
  expect(chainGrants(echo({ idempotent: false }))).toEqual(['GetItem']);
});
