import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { getBy, makeApiKey, usedApiKeys } from './api-keys.ts';

test('a revoked API key is refused at once, and stays revoked', async () => {
  const organization = await provision();
  const { id, key } = await makeApiKey(organization);
  expect(outcome(await getBy(key, organization))).toBe(200);
  expect(outcome(await organization.delete(`/keys/${id}`))).toBe(204);
  expect(outcome(await getBy(key, organization))).toBe('unauthenticated');
  const { body } = await organization.get(`/keys/${id}`);
  expect(outcome(await organization.delete(`/keys/${id}`))).toBe(204);
  expect((await organization.get(`/keys/${id}`)).body).toEqual(body);
  const later = [
    await organization.patch(`/keys/${id}`, { expires_at: null }),
    await organization.post(`/keys/${id}/rotate`, {}),
  ];
  expect(later.map(outcome)).toEqual(['api_key_revoked', 'api_key_revoked']);
  expect(await usedApiKeys(organization)).toBe(0);
});

test('an API key that is revoked counts once, however many revoke it at once', async () => {
  const organization = await provision();
  const { id } = await makeApiKey(organization);
  await makeApiKey(organization);
  const revoke = () => organization.delete(`/keys/${id}`);
  const outcomes = (await Promise.all(Array.from({ length: 8 }, revoke))).map(outcome);
  expect(outcomes.filter((one) => one !== 204 && one !== 'write_conflict')).toEqual([]);
  expect(await usedApiKeys(organization)).toBe(1);
});
