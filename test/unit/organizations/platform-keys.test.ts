import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { handler as getMe } from '../../../functions/organizations/get-me.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { isInOrganization } from '../../../lib/operations/definition.ts';
import {
  type CallerRole,
  callerRoles,
  isPlatformPermission,
  rolePermissions,
} from '../../../lib/operations/permissions.ts';
import {
  platformKeyKind,
  platformKeySettingsKind,
  platformKeyUseKind,
} from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { openTable } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import { newApiKey, parseApiKey } from '../../../lib/tokens/api-key.ts';
import {
  createPlatformKey,
  deletePlatformKey,
  revokePlatformKey,
} from '../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../tools/demo/platform-key.ts';
import type { Step } from '../../support/faults/step.ts';
import { some } from '../../support/some.ts';
import { echo } from '../echo.ts';
import { Organization, run, surroundings, withSteps } from '../support.ts';
import { ask, onePerPermission, operations } from './every-operation.ts';

// What each operation replies to platform keys.

const ofPlatform = operations.filter(({ operation }) => isPlatformPermission(operation.permission));

// An administrator's: no function has it.
const table = () => localTable(surroundings.tableEndpoint, surroundings.tableName);
const makeKey = (role: CallerRole, expiresAt?: number) =>
  createPlatformKey(table(), { name: role, role, expiresAt });

let organizations: Organization[];
const valid = new Map<CallerRole, string>();
let invalid: Record<string, string>;

beforeAll(async () => {
  organizations = [await Organization.make(), await Organization.make()];
  for (const role of callerRoles) valid.set(role, (await makeKey(role)).key);
  const revoked = await makeKey('platform');
  expect(await revokePlatformKey(table(), revoked.id)).toBe(true);
  const { id = '' } = parseApiKey(valid.get('platform') ?? '') ?? {};
  invalid = {
    expired: (await makeKey('platform', Date.now() - 1)).key,
    revoked: revoked.key,
    unknown: newApiKey('platform', randomUUID()).text,
    'with another secret': newApiKey('platform', id).text,
    malformed: `${valid.get('platform')}0`,
  };
});

const codeOf = async (
  one: (typeof operations)[number],
  credential = '',
  organizationId = organizations[0]!.id,
) => (await ask(one, credential, organizationId)).code;

test.each(onePerPermission)('$operation.permission: a key may what its role may', async (one) => {
  const { permission } = one.operation;
  for (const [role, key] of valid) {
    const isAllowed = permission === undefined || rolePermissions[role].has(permission);
    for (const { id } of organizations) {
      const code = await codeOf(one, key, id);
      expect([role, code === 'forbidden']).toEqual([role, !isAllowed]);
      expect(code).not.toBe('unauthenticated');
    }
  }
});

test.each(some(operations, 20, 'no platform key'))(
  '$operation.id: a key that is none is 401',
  async (one) => {
    for (const [what, key] of Object.entries(invalid)) {
      expect([what, await codeOf(one, key)]).toEqual([what, 'unauthenticated']);
    }
  },
);

test.each(
  some(
    operations.filter(({ operation }) => isInOrganization(operation)),
    20,
    'unknown organizations',
  ),
)('$operation.id: an unknown organization is forbidden', async (one) => {
  expect(await codeOf(one, valid.get('platform'), randomUUID())).toBe('forbidden');
});

test('what no organization may do itself is refused to its owner', async () => {
  const ids = ofPlatform.map(({ operation }) => operation.id);
  expect(ids.sort()).toEqual(['putEvent', 'putOrganization', 'putPlan', 'putSuspension']);
  for (const one of ofPlatform) {
    expect(await codeOf(one, organizations[0]!.tokens.owner)).toBe('forbidden');
  }
});

test('a key is refused at once when it is revoked, also where it was seen', async () => {
  const { id, key } = await makeKey('platform');
  for (const one of ofPlatform) expect(await codeOf(one, key)).toBe('unsupported_media_type');
  await revokePlatformKey(table(), id);
  for (const one of ofPlatform) expect(await codeOf(one, key)).toBe('unauthenticated');
});

test('a made-up key reads nothing but itself, whatever organization it names, also where a good one was seen', async () => {
  const { id, key } = await makeKey('platform');
  /** The partitions of each read, by what their keys begin with. */
  const reads: string[][] = [];
  const looking: Step = (request, pass) => {
    const keys = [...request.body.toString().matchAll(/"pk":\{"S":"(\w+)/g)];
    if (request.operation.endsWith('GetItem')) reads.push(keys.map(([, name]) => name!).toSorted());
    return pass();
  };
  const handler = serve(echo({ read: async () => undefined }));
  const ask = async (credential: string, organizationId = organizations[0]!.id) => {
    reads.length = 0;
    const headers = {
      Authorization: `Bearer ${credential}`,
      'X-Organization-Id': organizationId,
      'Content-Type': 'application/json',
    };
    return (await run(handler, { headers, path: { id: 'a' }, body: '{}' })).status;
  };
  const refuse = async () => {
    for (const madeUp of [newApiKey('platform', randomUUID()), newApiKey('platform', id)]) {
      for (const organizationId of [organizations[0]!.id, randomUUID()]) {
        expect(await ask(madeUp.text, organizationId)).toBe(401);
        expect(reads).toEqual([['PLATFORM']]);
      }
    }
  };
  await withSteps([looking], async () => {
    await refuse();
    // An environment that has not seen it reads it first, and then all at once.
    expect(await ask(key)).toBe(201);
    expect(reads).toEqual([['PLATFORM'], ['ORG'], ['REQUESTS']]);
    expect(await ask(key)).toBe(201);
    expect(reads).toEqual([['ORG', 'PLATFORM', 'REQUESTS']]);
    // In another organization, too, whose counter comes with what is read there.
    expect(await ask(key, organizations[1]!.id)).toBe(201);
    expect(reads).toEqual([['ORG', 'PLATFORM'], ['REQUESTS']]);
    await refuse();
    await revokePlatformKey(table(), id);
    for (const _ of [1, 2]) expect(await ask(key)).toBe(401);
    expect(reads).toEqual([['PLATFORM']]);
  });
});

test('what is listed of a key is made, revoked and deleted with it, and has no secret', async () => {
  const { id } = await makeKey('platform');
  const both = () =>
    table().getAll([
      platformKeyKind.key({ keyId: id }),
      platformKeySettingsKind.key({ keyId: id }),
    ]);
  const [key, listed] = await both();
  expect(listed).not.toHaveProperty('secrets');
  expect({ ...listed, ...places.platformKey.key({ keyId: id }), secrets: key?.secrets }).toEqual(
    key,
  );
  await revokePlatformKey(table(), id);
  const revoked = await both();
  expect(revoked[0]?.revoked_at).toBeTypeOf('string');
  expect(revoked[1]?.revoked_at).toBe(revoked[0]?.revoked_at);
  await deletePlatformKey(table(), id);
  expect(await both()).toEqual([undefined, undefined]);
});

test('GET /me tells of a key, with or without an organization, and its use is noted', async () => {
  const { id, key } = await makeKey('billing_system');
  const me = async (headers: Record<string, string> = {}) =>
    (await run(getMe, { headers: { Authorization: `Bearer ${key}`, ...headers } })).body;
  const used = () => openTable().get(platformKeyUseKind.key({ keyId: id }));
  expect(await used()).toBeUndefined();
  const today = () => new Date().toISOString().slice(0, 10);
  const before = today();
  const without = await me();
  expect([before, today()]).toContain((await used())?.last_used_on);
  const role = 'billing_system';
  expect(without).toMatchObject({
    user_id: id,
    api_key: { id, name: role, role, permissions: expect.arrayContaining(['events:write']) },
    organizations: [],
  });
  const [{ id: organizationId }] = organizations as [Organization];
  expect(await me({ 'X-Organization-Id': organizationId })).toMatchObject({
    api_key: without.api_key,
    organizations: [{ id: organizationId, role }],
  });
});
