import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  handler as createApiKey,
  operation as createOperation,
} from '../../../functions/keys/create-api-key.ts';
import { handler as listApiKeys } from '../../../functions/keys/list-api-keys.ts';
import {
  handler as revokeApiKey,
  operation as revokeOperation,
} from '../../../functions/keys/revoke-api-key.ts';
import { operation as rotateOperation } from '../../../functions/keys/rotate-api-key.ts';
import { operation as updateOperation } from '../../../functions/keys/update-api-key.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { rotateSecrets } from '../../../lib/organizations/api-keys/api-key-writes.ts';
import {
  newStoredApiKey,
  patchStoredApiKey,
} from '../../../lib/organizations/api-keys/api-keys.ts';
import {
  apiKeyKind,
  isValid,
  type StoredApiKey,
} from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { removeMember } from '../../../lib/organizations/members.ts';
import { openTable } from '../../../lib/table/client.ts';
import type { Step } from '../../support/faults/step.ts';
import { change, commitIn } from '../../support/origin.ts';
import { Organization, run, withSteps } from '../support.ts';

const apiKeysOf = async (organization: Organization) =>
  (await run(listApiKeys, { headers: organization.headers() })).body.items;

const asMade = { role: 'admin', name: null, version: 1 } as const;

test.each([
  ['createApiKey', createOperation, { name: 'Theirs', role: 'admin' }],
  ['updateApiKey', updateOperation, { role: 'admin' }],
  ['rotateApiKey', rotateOperation, {}],
  ['revokeApiKey', revokeOperation, undefined],
])('%s takes no effect, held up until its caller is removed', async (_id, operation, body) => {
  const organization = await Organization.make();
  const { id, users } = organization;
  const headers = organization.headers({ 'Content-Type': 'application/json' }, 'admin');
  const input = JSON.stringify({ name: 'Form', role: 'agent' });
  const made = (await run(createApiKey, { headers, body: input })).body;
  const before = await apiKeysOf(organization);

  const request = {
    headers,
    path: operation === createOperation ? null : { key_id: made.id },
    ...(body && { body: JSON.stringify(body) }),
  };
  let isRemoved = false;
  const removeBefore: Step = async ({ operation: asked }, pass) => {
    if (asked === 'TransactWriteItems' && !isRemoved) {
      isRemoved = true;
      await commitIn(openTable())(removeMember(id, users.admin, Date.now(), asMade));
    }
    return pass();
  };
  await withSteps([removeBefore], async () => {
    const { body: reply } = await run(serve(operation), request);
    expect(reply.error.code).toBe('forbidden');
  });
  expect(await apiKeysOf(organization)).toEqual(before);

  // The same of who is still there.
  const asOwner = { ...request, headers: { ...headers, ...organization.headers() } };
  expect((await run(serve(operation), asOwner)).status).toBeLessThan(300);
  expect(await apiKeysOf(organization)).not.toEqual(operation === rotateOperation ? [] : before);
});

const now = Date.parse('2026-11-26T09:00:00.000Z');
const at = (ms: number) => new Date(now + ms).toISOString();
const stored = (expires_at: string | null = null) =>
  newStoredApiKey(
    { name: 'Form', role: 'agent', expires_at, spender: 'form-1' },
    { organizationId: 'o', createdBy: 'u', digest: 'a', now },
  );
/** Whether a key is good with each secret so many milliseconds from now. */
const isGood = (key: StoredApiKey, ms: number, digests = ['a']) =>
  digests.map((one) => isValid(key, one, now + ms));

test('a key is good until it expires or is revoked, or for ever, with its secret', () => {
  expect([999, 1000].flatMap((ms) => isGood(stored(at(1000)), ms))).toEqual([true, false]);
  expect([0, 1e12].flatMap((ms) => isGood(stored(), ms, ['a', 'b']))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const revoked = { ...stored(), revoked_at: at(0) };
  expect([-1, 0].flatMap((ms) => isGood(revoked, ms))).toEqual([false, false]);
});

test('after a rotation the secret before is good for as long as was asked, and no other', () => {
  const once = rotateSecrets(stored(), 'b', { previousMs: 5000, now });
  expect(once.previousExpiresAt).toBe(at(5000));
  expect(isGood(once.after, 4999, ['a', 'b'])).toEqual([true, true]);
  expect(isGood(once.after, 5000, ['a', 'b'])).toEqual([false, true]);

  const twice = rotateSecrets(once.after, 'c', { previousMs: 1, now: now + 1000 });
  expect(isGood(twice.after, 1000, ['a', 'b', 'c'])).toEqual([false, true, true]);
  expect(isGood(twice.after, 1001, ['a', 'b', 'c'])).toEqual([false, false, true]);

  const atOnce = rotateSecrets(stored(), 'b', { previousMs: 0, now });
  expect([atOnce.previousExpiresAt, atOnce.after.secrets.length]).toEqual([null, 1]);
  expect(isGood(atOnce.after, 0)).toEqual([false]);
});

test('after a rotation the secret before is not said to be good for longer than the key', () => {
  const rotated = (keyMs: number, previousMs: number) =>
    rotateSecrets(stored(at(keyMs)), 'b', { previousMs, now }).previousExpiresAt;
  expect([4999, 5000, 5001].map((keyMs) => rotated(keyMs, 5000))).toEqual([
    at(4999),
    at(5000),
    at(5000),
  ]);
  expect(rotated(1, 0)).toBeNull();
  // A key that is made good for longer later does not keep the secret before for longer.
  const { after } = rotateSecrets(stored(at(4999)), 'b', { previousMs: 5000, now });
  const extended = { ...after, expires_at: at(9000) };
  expect(isGood(extended, 4999, ['a', 'b'])).toEqual([false, true]);
});

let organization: Organization;
let path: { key_id: string };
const send = (
  operation: typeof rotateOperation | typeof updateOperation,
  body: object,
  more = {},
) =>
  run(serve(operation as never), {
    headers: organization.headers({ 'Content-Type': 'application/json', ...more }),
    path,
    body: JSON.stringify(body),
  });

/** A key whose time has come, or comes so many milliseconds from now. */
const expireIn = async (ms: number) => {
  organization = await Organization.make();
  const headers = organization.headers({ 'Content-Type': 'application/json' });
  const body = JSON.stringify({ name: 'Form', role: 'agent' });
  path = { key_id: (await run(createApiKey, { headers, body })).body.id };
  await change(openTable(), apiKeyKind.key({ keyId: path.key_id }), {
    set: { expires_at: new Date(Date.now() + ms).toISOString() },
  });
};

test('an API key that has expired is not rotated, and stays as it is, until it is made good for longer', async () => {
  await expireIn(-1);
  const before = await apiKeysOf(organization);
  const key = { 'Idempotency-Key': randomUUID() };
  for (const seconds of [0, 1, 604_800]) {
    const refused = await send(rotateOperation, { previous_expires_in_seconds: seconds });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'api_key_expired']);
  }
  expect((await send(rotateOperation, {}, key)).body.error.code).toBe('api_key_expired');
  expect(await apiKeysOf(organization)).toEqual(before);

  expect((await send(updateOperation, { expires_at: null })).status).toBe(200);
  expect((await send(rotateOperation, {})).status).toBe(201);
  // Its answer is kept, as of a revoked one.
  expect((await send(rotateOperation, {}, key)).body.error.code).toBe('api_key_expired');
});

test('an API key that has expired may have another name, and no expiry that has passed', async () => {
  await expireIn(-1);
  expect((await send(updateOperation, { name: 'Old form' })).status).toBe(200);
  const past = await send(updateOperation, { expires_at: new Date().toISOString() });
  expect(past.body.error.details).toEqual([
    { path: 'expires_at', message: 'must be in the future' },
  ]);
});

test('an API key that has expired and is revoked hears that it is revoked: nothing makes it good again', async () => {
  await expireIn(-1);
  await run(revokeApiKey, { headers: organization.headers(), path });
  expect((await send(rotateOperation, {})).body.error.code).toBe('api_key_revoked');
});

test('an API key that expires soon is rotated, and neither secret is said to be good for longer', async () => {
  await expireIn(3_600_000);
  const { status, body } = await send(rotateOperation, {});
  expect([status, body.previous_expires_at]).toEqual([201, body.expires_at]);
  const short = await send(rotateOperation, { previous_expires_in_seconds: 60 });
  expect(Date.parse(short.body.previous_expires_at)).toBeLessThan(
    Date.parse(short.body.expires_at),
  );
});

test('an expiry is to come when it is set, and one that has passed may stay', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });
  expect(() => stored(at(0))).toThrow(refused);
  const before = stored(at(1));
  expect(before.expires_at).toBe(at(1));
  const nothing = { name: undefined, role: undefined, expires_at: undefined };
  const patch = (fields: object) => patchStoredApiKey(before, { ...nothing, ...fields }, now + 10);
  expect(() => patch({ expires_at: at(10) })).toThrow(refused);
  expect(patch({ expires_at: at(11) }).expires_at).toBe(at(11));
  expect(patch({ expires_at: null }).expires_at).toBeUndefined();
  expect(patch({ name: 'Other' })).toEqual({ ...before, name: 'Other', version: 2 });
  expect(patch({ role: 'viewer' })).toEqual({ ...before, key_role: 'viewer', version: 2 });
});

test('no attribute of a key is one of an index or of DynamoDB’s TTL', () => {
  expect(stored(at(1))).not.toHaveProperty('role');
  expect(stored(at(1)).expires_at).toBeTypeOf('string');
});
