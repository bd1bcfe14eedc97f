import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { getBy, makeApiKey } from './api-keys.ts';

test('a rotation gives a new secret under the same id, and the one before is good beside it', async () => {
  const organization = await provision();
  const { id, key } = await makeApiKey(organization);
  const { status, body } = await organization.post(`/keys/${id}/rotate`, {});
  expect([status, body.id]).toEqual([201, id]);
  const left = Date.parse(body.previous_expires_at) - Date.now();
  expect(Math.abs(left - 24 * 3600_000)).toBeLessThan(120_000);
  const both = [key, body.key];
  expect(new Set(both).size).toBe(2);
  for (const one of both) {
    const me = await getBy(one, organization, '/me');
    expect([me.status, me.body.user_id]).toEqual([200, id]);
  }
  const next = (await organization.post(`/keys/${id}/rotate`, {})).body;
  const outcomes = await Promise.all(
    [...both, next.key].map(async (one) => outcome(await getBy(one, organization))),
  );
  expect(outcomes).toEqual(['unauthenticated', 200, 200]);
});

test('a rotation has the secret before refused at once, if asked to', async () => {
  const organization = await provision();
  const { id, key } = await makeApiKey(organization);
  const body = { previous_expires_in_seconds: 0 };
  const headers = { 'Idempotency-Key': randomUUID() };
  const rotated = await organization.post(`/keys/${id}/rotate`, body, { headers });
  expect(rotated.body.previous_expires_at).toBeNull();
  expect(outcome(await getBy(key, organization))).toBe('unauthenticated');
  expect(outcome(await getBy(rotated.body.key, organization))).toBe(200);
  const repeat = await organization.post(`/keys/${id}/rotate`, body, { headers });
  expect(repeat.body).toEqual({ ...rotated.body, key: null });
  expect(outcome(await getBy(rotated.body.key, organization))).toBe(200);
});
