import { expect, test } from 'vitest';
import { rotateSecrets } from '../../../lib/organizations/api-key-writes.ts';
import { newStoredApiKey, patchStoredApiKey } from '../../../lib/organizations/api-keys.ts';
import { toValidApiKey } from '../../../lib/organizations/stored-api-key.ts';

const now = Date.parse('2026-11-26T09:00:00.000Z');
const at = (ms: number) => new Date(now + ms).toISOString();
const made = (expires_at: string | null = null) =>
  newStoredApiKey(
    { name: 'Form', role: 'agent', expires_at },
    { createdBy: 'u', digest: 'a', now },
  );
const isValid = (stored: object, digest: string, ms: number) =>
  toValidApiKey({ ...stored }, digest, now + ms) !== undefined;

test('a key is good until it expires, or for ever', () => {
  expect([999, 1000].map((ms) => isValid(made(at(1000)), 'a', ms))).toEqual([true, false]);
  expect([0, 1e12].map((ms) => isValid(made(), 'a', ms))).toEqual([true, true]);
  expect(isValid(made(), 'b', 0)).toBe(false);
});

test('a revoked key is not good, whatever its secrets', () => {
  const stored = { ...made(), revoked_at: at(0) };
  expect([-1, 0, 1].map((ms) => isValid(stored, 'a', ms))).toEqual([false, false, false]);
});

test('after a rotation the secret before is good for as long as was asked, and no other', () => {
  const once = rotateSecrets(made(), 'b', { previousMs: 5000, now });
  expect(once.previousExpiresAt).toBe(at(5000));
  expect([4999, 5000].map((ms) => isValid(once.after, 'a', ms))).toEqual([true, false]);
  expect([0, 1e12].map((ms) => isValid(once.after, 'b', ms))).toEqual([true, true]);

  const twice = rotateSecrets(once.after, 'c', { previousMs: 1, now: now + 1000 });
  const goodAt = (ms: number) => ['a', 'b', 'c'].map((one) => isValid(twice.after, one, ms));
  expect(goodAt(1000)).toEqual([false, true, true]);
  expect(goodAt(1001)).toEqual([false, false, true]);

  const atOnce = rotateSecrets(made(), 'b', { previousMs: 0, now });
  expect([atOnce.previousExpiresAt, atOnce.after.secrets.length]).toEqual([null, 1]);
  expect(isValid(atOnce.after, 'a', 0)).toBe(false);
});

test('an expiry is to come when it is set, and one that has passed may stay', () => {
  const refused = expect.objectContaining({ code: 'invalid_request' });
  expect(() => made(at(0))).toThrow(refused);
  expect(made(at(1)).expires_at).toBe(at(1));
  const before = made(at(1));
  const nothing = { name: undefined, role: undefined, expires_at: undefined };
  const patch = (fields: object) => patchStoredApiKey(before, { ...nothing, ...fields }, now + 10);
  expect(() => patch({ expires_at: at(10) })).toThrow(refused);
  expect(patch({ expires_at: at(11) }).expires_at).toBe(at(11));
  expect(patch({ expires_at: null })).not.toHaveProperty('expires_at');
  expect(patch({ name: 'Other' })).toEqual({ ...before, name: 'Other' });
  expect(patch({ role: 'viewer' })).toEqual({ ...before, key_role: 'viewer' });
});

test('no attribute is a key of an index or of DynamoDB’s TTL', () => {
  const stored = made(at(1));
  expect(stored).not.toHaveProperty('role');
  expect(stored.expires_at).toBeTypeOf('string');
});
