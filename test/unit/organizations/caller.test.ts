import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { handler as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { handler as revokeApiKey } from '../../../functions/keys/revoke-api-key.ts';
import { apiKeyRoles, membersOnly, rolePermissions } from '../../../lib/operations/permissions.ts';
import { apiKeyKind } from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { openTable } from '../../../lib/table/client.ts';
import { newApiKey } from '../../../lib/tokens/api-key.ts';
import { change } from '../../support/origin.ts';
import { some } from '../../support/some.ts';
import { Organization, run } from '../support.ts';
import { ask, onePerPermission, operations } from './every-operation.ts';

// What each operation replies to API keys, and what that costs.

const makeKey = async (organization: Organization, role: string) => {
  const headers = organization.headers({ 'Content-Type': 'application/json' });
  const body = JSON.stringify({ name: role, role });
  return (await run(createApiKey, { headers, body })).body as { id: string; key: string };
};

let organization: Organization;
const valid = new Map<string, string>();
/** By what is wrong with each. */
let invalid: Record<string, string>;

beforeAll(async () => {
  organization = await Organization.make();
  for (const role of apiKeyRoles) valid.set(role, (await makeKey(organization, role)).key);
  const make = () => makeKey(organization, 'admin');
  const [known, expired, revoked, replaced] = [
    await make(),
    await make(),
    await make(),
    await make(),
  ];
  valid.set('admin', known.key);
  const expires_at = new Date(Date.now() - 1).toISOString();
  const [keyOfExpired, keyOfReplaced] = [
    apiKeyKind.key({ keyId: expired.id }),
    apiKeyKind.key({ keyId: replaced.id }),
  ];
  await change(openTable(), keyOfExpired, { set: { expires_at } });
  const { secrets = [] } = (await openTable().get(keyOfReplaced)) ?? {};
  const over = secrets.map((secret) => ({ ...secret, expires_at }));
  await change(openTable(), keyOfReplaced, { set: { secrets: over } });
  const path = { key_id: revoked.id };
  expect((await run(revokeApiKey, { headers: organization.headers(), path })).status).toBe(204);
  invalid = {
    expired: expired.key,
    revoked: revoked.key,
    'with a secret that was replaced': replaced.key,
    'of another organization': (await makeKey(await Organization.make(), 'admin')).key,
    unknown: newApiKey('organization', randomUUID()).text,
    'with another secret': newApiKey('organization', known.id).text,
  };
});

/** Of the platform's operations, an API key hears without a read. */
const freeOf = ({ operation }: (typeof operations)[number]) => operation.scope === 'platform';

test.each(some(operations, 20, 'no API key'))(
  '$operation.id: a key that is none is 401, for one unit',
  async (one) => {
    const details = [{ path: 'Authorization', message: 'is not an API key of this organization' }];
    const refusal = freeOf(one)
      ? {
          code: 'forbidden',
          details: [{ path: 'Authorization', message: 'must have a platform key' }],
          units: 0,
        }
      : { code: 'unauthenticated', details, units: 1 };
    const refuse = async () => {
      for (const [what, credential] of Object.entries(invalid)) {
        expect([what, await ask(one, credential, organization.id)]).toEqual([what, refusal]);
      }
    };
    await refuse();
    // Also where the environment has seen the key with its own secret.
    const text = valid.get('admin') ?? '';
    expect((await ask(one, text, organization.id)).code).not.toBe('unauthenticated');
    await refuse();
    for (const malformed of [`${text}0`, 'lsk_']) {
      expect(await ask(one, malformed, organization.id)).toEqual({
        code: 'unauthenticated',
        details: [{ path: 'Authorization', message: 'has a malformed API key' }],
        units: 0,
      });
    }
  },
);

test.each(onePerPermission)('$operation.permission: a key may what its role may', async (one) => {
  const { permission } = one.operation;
  for (const role of apiKeyRoles) {
    const { code, units } = await ask(one, valid.get(role) ?? '', organization.id);
    const isAllowed =
      permission === undefined ||
      (rolePermissions[role].has(permission) && !membersOnly.has(permission));
    expect([role, code === 'forbidden']).toEqual([role, !isAllowed]);
    expect(code).not.toBe('unauthenticated');
    if (!isAllowed) expect([role, units]).toEqual([role, freeOf(one) ? 0 : 1]);
  }
});

test('a key, whatever its role, manages neither members nor API keys, which a member may', async () => {
  const managing = operations.filter(({ operation }) =>
    ['members:write', 'keys:write'].includes(String(operation.permission)),
  );
  expect(managing.map(({ operation }) => operation.id).sort()).toEqual([
    'createApiKey',
    'deleteMember',
    'putMember',
    'revokeApiKey',
    'rotateApiKey',
    'updateApiKey',
  ]);
  for (const one of managing) {
    for (const key of valid.values()) {
      expect((await ask(one, key, organization.id)).code).toBe('forbidden');
    }
    const byAdmin = await ask(one, organization.tokens.admin, organization.id);
    expect(byAdmin.code).not.toBe('forbidden');
  }
});
