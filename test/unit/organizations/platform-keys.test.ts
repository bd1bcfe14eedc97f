import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { handler as getMe } from '../../../functions/organizations/get-me.ts';
import { isRouted, loadOperations } from '../../../infra/operations.ts';
import type { HttpHandler } from '../../../lib/handlers/http/chain.ts';
import { isInOrganization, type RoutedOperation } from '../../../lib/operations/definition.ts';
import {
  type CallerRole,
  callerRoles,
  isPlatformPermission,
  rolePermissions,
} from '../../../lib/operations/permissions.ts';
import { openTable } from '../../../lib/table/client.ts';
import { platformKeyUseKey } from '../../../lib/table/keys.ts';
import { newApiKey, parseApiKey } from '../../../lib/tokens/api-key.ts';
import { createPlatformKey, revokePlatformKey } from '../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../tools/demo/platform-key.ts';
import { Organization, run, surroundings } from '../support.ts';

// What each operation replies to platform keys: by a request without a body, since whoever may not hears nothing of
// what is wrong with a request.

const operations: { operation: RoutedOperation; handler: HttpHandler }[] = await Promise.all(
  (await loadOperations()).filter(isRouted).map(async ({ operation, file }) => ({
    operation,
    handler: (await import(file)).handler,
  })),
);
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

const send = (
  handler: HttpHandler,
  { path }: Pick<RoutedOperation, 'path'>,
  credential: string | undefined,
  organizationId: string | undefined = organizations[0]!.id,
) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return run(handler, {
    headers: { Authorization: `Bearer ${credential}`, 'X-Organization-Id': organizationId },
    path: Object.fromEntries(names.map((name) => [name, randomUUID()])),
  });
};
const codeOf = async (answer: ReturnType<typeof send>) => (await answer).body?.error?.code;

test.each(operations)('$operation.id: each role may what it may, everywhere', async (one) => {
  const { operation, handler } = one;
  for (const [role, key] of valid) {
    const { permission } = operation;
    const isAllowed = permission === undefined || rolePermissions[role].has(permission);
    for (const { id } of organizations) {
      const code = await codeOf(send(handler, operation, key, id));
      expect([role, code === 'forbidden']).toEqual([role, !isAllowed]);
      expect(code).not.toBe('unauthenticated');
    }
  }
});

test.each(operations)('$operation.id: a key that is none is 401', async (one) => {
  const { operation, handler } = one;
  for (const [what, key] of Object.entries(invalid)) {
    const code = await codeOf(send(handler, operation, key));
    expect([what, code]).toEqual([what, 'unauthenticated']);
  }
});

test.each(operations.filter(({ operation }) => isInOrganization(operation)))(
  '$operation.id: an unknown organization is forbidden',
  async ({ operation, handler }) => {
    const key = valid.get('platform');
    expect(await codeOf(send(handler, operation, key, randomUUID()))).toBe('forbidden');
  },
);

test('what no organization may do itself is refused to its owner', async () => {
  const ids = ofPlatform.map(({ operation }) => operation.id);
  expect(ids.sort()).toEqual(['putEvent', 'putOrganization', 'putPlan']);
  for (const { operation, handler } of ofPlatform) {
    const byOwner = send(handler, operation, organizations[0]!.tokens.owner);
    expect([operation.id, await codeOf(byOwner)]).toEqual([operation.id, 'forbidden']);
    expect(await codeOf(send(handler, operation, valid.get('platform')))).not.toBe('forbidden');
  }
});

test('a key is refused at once when it is revoked, also where it was seen', async () => {
  const { id, key } = await makeKey('platform');
  for (const { operation, handler } of ofPlatform) {
    expect(await codeOf(send(handler, operation, key))).toBe('unsupported_media_type');
  }
  await revokePlatformKey(table(), id);
  for (const { operation, handler } of ofPlatform) {
    expect(await codeOf(send(handler, operation, key))).toBe('unauthenticated');
  }
});

describe('GET /me', () => {
  test('tells of a key, with or without an organization, and its use is noted', async () => {
    const { id, key } = await makeKey('billing_system');
    const me = (headers: Record<string, string>) =>
      run(getMe, { headers: { Authorization: `Bearer ${key}`, ...headers } });
    const used = () => openTable().get(platformKeyUseKey(id));
    expect(await used()).toBeUndefined();
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const without = await me({});
    expect([before, today()]).toContain((await used())?.last_used_on);
    expect(without.body).toMatchObject({
      user_id: id,
      api_key: { id, name: 'billing_system', role: 'billing_system' },
      organizations: [],
    });
    expect(without.body.api_key.permissions).toContain('events:write');
    const within = await me({ 'X-Organization-Id': organizations[0]!.id });
    expect(within.body).toMatchObject({
      api_key: without.body.api_key,
      organizations: [{ id: organizations[0]!.id, role: 'billing_system' }],
    });
  });
});
