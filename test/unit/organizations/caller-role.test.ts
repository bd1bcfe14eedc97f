import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CallerRole } from '../../../lib/operations/permissions.ts';
import { apiKeyKind, platformKeyKind } from '../../../lib/organizations/api-keys/stored-api-key.ts';
import {
  assertStillAllowed,
  isAllowed,
  permissionsOf,
  readStanding,
  useKeyOf,
} from '../../../lib/organizations/caller.ts';
import { openTable } from '../../../lib/table/client.ts';
import {
  putApiKeyItems,
  putMemberItem,
  putOrganizationItem,
  putPlatformKeyItems,
} from '../../support/items.ts';
import { change } from '../../support/origin.ts';
import '../support.ts';

// What each operation replies to whom: caller.test.ts and platform-keys.test.ts.

const table = openTable();
const now = Date.parse('2026-11-26T09:00:00.000Z');

const setting = async () => {
  const [id, user, key, platformKey] = Array.from({ length: 4 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  await table.transact([
    putOrganizationItem(id),
    putMemberItem(id, user),
    ...putApiKeyItems(id, key, 'viewer'),
    ...putPlatformKeyItems(platformKey, 'billing_system'),
  ]);
  const apiKey = (kind: 'organization' | 'platform', digest = 'd') => ({
    userId: 'k',
    apiKey: { kind, id: kind === 'platform' ? platformKey : key, digest },
  });
  return { id, user, key, platformKey, member: { userId: user }, apiKey };
};

const roleIn = async (
  organizationId: string | undefined,
  caller: Parameters<typeof readStanding>[2],
) => (await readStanding(table, organizationId, caller, now))?.role;

test('a caller has the role of the member, or of the key', async () => {
  const { id, member, apiKey } = await setting();
  expect(await roleIn(id, member)).toBe('agent');
  expect(await roleIn(id, { userId: randomUUID() })).toBeUndefined();
  expect(await roleIn(id, apiKey('organization'))).toBe('viewer');
  expect(await roleIn(id, apiKey('platform'))).toBe('billing_system');
  // A platform key is one everywhere, but has nothing to do where no organization is.
  expect(await roleIn(randomUUID(), apiKey('platform'))).toBeUndefined();
});

test.each([
  ['organization', 'is not an API key of this organization'],
  ['platform', 'is not a platform key'],
] as const)('a key of kind %s with another secret is none', async (kind, message) => {
  const { id, apiKey } = await setting();
  await expect(roleIn(id, apiKey(kind, 'other'))).rejects.toMatchObject({
    code: 'unauthenticated',
    details: [{ path: 'Authorization', message }],
  });
});

test('a key of another organization, or of none, is none here', async () => {
  const [here, there] = [await setting(), await setting()];
  for (const [id, of] of [
    [there.id, here],
    [here.id, there],
    [randomUUID(), here],
  ] as const) {
    await expect(roleIn(id, of.apiKey('organization'))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  }
  expect(await roleIn(there.id, there.apiKey('organization'))).toBe('viewer');
});

test('without an organization, a key is in its own, and nobody else is anywhere', async () => {
  const { id, member, apiKey } = await setting();
  const own = apiKey('organization');
  expect(await readStanding(table, undefined, own, now)).toEqual({
    organizationId: id,
    role: 'viewer',
  });
  expect(await readStanding(table, id, own, now)).toEqual({ organizationId: id, role: 'viewer' });
  await expect(roleIn(undefined, apiKey('organization', 'other'))).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(await roleIn(undefined, member)).toBeUndefined();
  expect(await roleIn(undefined, apiKey('platform'))).toBeUndefined();
});

test('an organization’s key may not what only members may; others of the role may', () => {
  const key = (kind: 'organization' | 'platform') => ({ kind, id: 'k', digest: 'd' });
  const may = (apiKey: Parameters<typeof permissionsOf>[1], role: CallerRole | undefined) =>
    isAllowed({ userId: 'u', apiKey }, role, 'members:write');
  expect(may(undefined, 'admin')).toBe(true);
  expect(may(key('platform'), 'admin')).toBe(true);
  expect(may(key('organization'), 'admin')).toBe(false);
  expect(may(undefined, undefined)).toBe(false);
  expect(may(undefined, 'viewer')).toBe(false);
  expect(permissionsOf('admin', key('organization'))).toContain('leads:write');
});

test('a write is refused once the caller has another role, or the key is revoked', async () => {
  const { id, key, platformKey, member, apiKey } = await setting();
  const still = (caller: typeof member | ReturnType<typeof apiKey>, role: CallerRole) =>
    table.transact([assertStillAllowed(id, caller, role)]);
  const forbidden = { code: 'forbidden' };
  await still(member, 'agent');
  await expect(still(member, 'admin')).rejects.toMatchObject(forbidden);
  await expect(still({ userId: randomUUID() }, 'agent')).rejects.toMatchObject(forbidden);
  const revoked = { set: { revoked_at: new Date(now).toISOString() } };
  for (const [kind, role, revoke] of [
    ['organization', 'viewer', () => change(table, apiKeyKind.key({ keyId: key }), revoked)],
    [
      'platform',
      'billing_system',
      () => change(table, platformKeyKind.key({ keyId: platformKey }), revoked),
    ],
  ] as const) {
    await still(apiKey(kind), role);
    await expect(still(apiKey(kind), 'admin')).rejects.toMatchObject(forbidden);
    await revoke();
    await expect(still(apiKey(kind), role)).rejects.toMatchObject(forbidden);
  }
});

test('the use of a key is kept beside those of its kind', () => {
  const of = (kind: 'organization' | 'platform') => useKeyOf('o', { kind, id: 'k', digest: 'd' });
  expect(of('organization').pk).toContain('o');
  expect(of('platform')).toEqual(useKeyOf('another', { kind: 'platform', id: 'k', digest: 'd' }));
  expect(of('platform')).not.toEqual(of('organization'));
});
