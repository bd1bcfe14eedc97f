import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { getBy, makeApiKey } from './api-keys.ts';

test('another role and expiry of an API key hold from the next request on', async () => {
  const organization = await provision();
  const { id, key } = await makeApiKey(organization, { role: 'viewer' });
  expect(outcome(await getBy(key, organization, '/changes'))).toBe('forbidden');
  const patch = { role: 'support', name: 'Mirror', expires_at: '2049-12-31T20:00:00-03:00' };
  const changed = await organization.patch(`/keys/${id}`, patch);
  const expected = { id, ...patch, expires_at: '2049-12-31T23:00:00.000Z' };
  expect([changed.body, changed.headers.get('etag')]).toMatchObject([expected, '"2"']);
  expect(outcome(await getBy(key, organization, '/changes'))).toBe(200);
  const unlimited = await organization.patch(`/keys/${id}`, { expires_at: null });
  expect(unlimited.body).toMatchObject({ name: 'Mirror', expires_at: null });
});

test('an API key is changed in the version that the client means, or not at all', async () => {
  const organization = await provision();
  const { id } = await makeApiKey(organization);
  const patch = async (etag: string) =>
    outcome(
      await organization.patch(`/keys/${id}`, { name: etag }, { headers: { 'If-Match': etag } }),
    );
  expect([await patch('"2"'), await patch('"1"')]).toEqual(['precondition_failed', 200]);
  expect((await organization.get(`/keys/${id}`)).headers.get('etag')).toBe('"2"');
});
