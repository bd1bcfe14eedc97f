import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { makeApiKey } from './api-keys.ts';

test('an API key is read with its version and without its secret, revoked or not', async () => {
  const organization = await provision();
  const { key: _, ...shown } = await makeApiKey(organization, { name: 'Website form' });
  const read = async () => {
    const { headers, body } = await organization.get(`/keys/${shown.id.toUpperCase()}`);
    return [headers.get('etag'), body];
  };
  expect(await read()).toEqual(['"1"', shown]);
  await organization.delete(`/keys/${shown.id}`);
  expect(await read()).toEqual(['"2"', { ...shown, revoked_at: expect.any(String) }]);
  expect(outcome(await organization.get(`/keys/${randomUUID()}`))).toBe('not_found');
});
