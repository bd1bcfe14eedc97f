import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chainGrants } from '../../../lib/handlers/http/serve.ts';
import {
  callerRoles,
  isPlatformPermission,
  membersOnly,
  type Permission,
  permissions,
  platformPermissions,
  rolePermissions,
  roles,
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

/** Which members a sentence names: roles in backticks, owners and admins in plain words. */
const namedIn = (sentence: string): string[] =>
  roles.filter((role) =>
    role === 'owner' || role === 'admin'
      ? new RegExp(`\\b${role}s?\\b`, 'i').test(sentence)
      : sentence.includes(`\`${role}\``),
  );

test.each<[page: string, Permission, sentence: RegExp]>([
  ['docs/changes.md', 'changes:read', /[^.]* may read the feed/],
  ['docs/webhooks.md', 'webhooks:write', /Make a webhook as [^.]*/],
  ['docs/machines.md', 'keys:write', /As an owner or admin\./],
  ['docs/erasure.md', 'leads:erase', /[^.]* may erase/],
  ['docs/api.md', 'leads:merge', /makes one lead of two \([^)]*/],
  ['docs/api.md', 'fields:write', /what fields your leads have, once \([^)]*/],
])('%s names who has %s', async (page, permission, sentence) => {
  const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
  const having = roles.filter((role) => rolePermissions[role].has(permission));
  expect(namedIn(sentence.exec(text)?.[0] ?? '')).toEqual(having);
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

test('the chain’s own permissions are to read, to count, and to record under keys', () => {
  const always = ['GetItem', 'UpdateItem REQUESTS#'];
  expect(chainGrants(echo())).toEqual([...always, 'PutItem IDEMPOTENCY#']);
  expect(chainGrants(echo({ idempotent: false }))).toEqual(always);
});
