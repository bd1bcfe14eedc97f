import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { handler as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { handler as revokeApiKey } from '../../../functions/keys/revoke-api-key.ts';
import { isRouted, loadOperations } from '../../../infra/operations.ts';
import type { HttpHandler } from '../../../lib/handlers/http/chain.ts';
import type { RoutedOperation } from '../../../lib/operations/definition.ts';
import { apiKeyRoles, membersOnly, rolePermissions } from '../../../lib/operations/permissions.ts';
import { openTable } from '../../../lib/table/client.ts';
import { apiKeyKey } from '../../../lib/table/keys.ts';
import { newApiKey } from '../../../lib/tokens/api-key.ts';
import { type Answer, Organization, run } from '../support.ts';

// What each operation replies to API keys, and what that costs: by a request without a body, since whoever may not
// hears nothing of what is wrong with a request.

const operations: { operation: RoutedOperation; handler: HttpHandler }[] = await Promise.all(
  (await loadOperations()).filter(isRouted).map(async ({ operation, file }) => ({
    operation,
    handler: (await import(file)).handler,
  })),
);

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
  const [known, expired, revoked, replaced] = [
    await makeKey(organization, 'admin'),
    await makeKey(organization, 'admin'),
    await makeKey(organization, 'admin'),
    await makeKey(organization, 'admin'),
  ];
  valid.set('admin', known.key);
  const change = (id: string, UpdateExpression: string) => {
    const ExpressionAttributeValues = { ':past': new Date(Date.now() - 1).toISOString() };
    const Key = apiKeyKey(organization.id, id);
    return openTable().update({ Key, UpdateExpression, ExpressionAttributeValues });
  };
  await change(expired.id, 'SET expires_at = :past');
  await change(replaced.id, 'SET secrets[0].expires_at = :past');
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

const send = (handler: HttpHandler, { path }: RoutedOperation, credential: string) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return run(handler, {
    headers: { Authorization: `Bearer ${credential}`, 'X-Organization-Id': organization.id },
    path: Object.fromEntries(names.map((name) => [name, randomUUID()])),
  });
};

const costOf = ({ log }: Answer) => log[0]?.line.capacity_units;
const refusalOf = ({ body }: Answer) => [body?.error?.code, body?.error?.details];
const isOfPlatform = ({ scope }: RoutedOperation) => scope === 'platform';

let requests = 0;

test.each(operations)('$operation.id: a key that is none is 401, for one unit', async (one) => {
  const { operation, handler } = one;
  const refuse = async () => {
    for (const [what, credential] of Object.entries(invalid)) {
      const answer = await send(handler, operation, credential);
      requests++;
      const message = 'is not an API key of this organization';
      const refusal = ['unauthenticated', [{ path: 'Authorization', message }]];
      const expected = isOfPlatform(operation) ? [['forbidden', undefined], 0] : [refusal, 1];
      expect([what, refusalOf(answer), costOf(answer)]).toEqual([what, ...expected]);
    }
  };
  await refuse();
  // Also where the environment has seen the key with its own secret.
  const good = await send(handler, operation, valid.get('admin') ?? '');
  expect(refusalOf(good)[0]).not.toBe('unauthenticated');
  await refuse();

  const text = valid.get('admin') ?? '';
  const changed = text[40] === 'a' ? 'b' : 'a';
  for (const malformed of [`${text.slice(0, 40)}${changed}${text.slice(41)}`, `${text}0`, 'lsk_']) {
    const answer = await send(handler, operation, malformed);
    requests++;
    const details = [{ path: 'Authorization', message: 'has a malformed API key' }];
    expect([refusalOf(answer), costOf(answer)]).toEqual([['unauthenticated', details], 0]);
  }
});

test.each(operations)('$operation.id: a key may what its role may, and no more', async (one) => {
  const { operation, handler } = one;
  for (const role of apiKeyRoles) {
    const answer = await send(handler, operation, valid.get(role) ?? '');
    requests++;
    const { permission } = operation;
    const isAllowed =
      permission === undefined ||
      (rolePermissions[role].has(permission) && !membersOnly.has(permission));
    const { code } = answer.body?.error ?? {};
    expect([role, code === 'forbidden']).toEqual([role, !isAllowed]);
    expect(code).not.toBe('unauthenticated');
    if (!isAllowed) expect([role, costOf(answer)]).toEqual([role, isOfPlatform(operation) ? 0 : 1]);
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
  for (const { operation, handler } of managing) {
    for (const key of valid.values()) {
      expect(refusalOf(await send(handler, operation, key))[0]).toBe('forbidden');
    }
    const byAdmin = await send(handler, operation, organization.tokens.admin);
    expect(refusalOf(byAdmin)[0]).not.toBe('forbidden');
  }
  console.info(`${requests} requests with API keys`);
});
