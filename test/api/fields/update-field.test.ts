import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

test('a field is changed but for its key, type and filter', async () => {
  const organization = await provision();
  const field = { key: 'a1', label: 'A', type: 'text' };
  const { body: made } = await organization.post('/fields', field);
  const changes = { label: 'Name', archived: true };
  const { status, body } = await organization.patch('/fields/a1', changes);
  const updated_at = expect.any(String);
  expect([status, body]).toEqual([200, { ...made, ...changes, updated_at }]);
  for (const patch of [{ key: 'b' }, { type: 'url' }, { filterable: true }, { label: null }]) {
    expect(outcome(await organization.patch('/fields/a1', patch))).toBe('invalid_request');
  }
  expect(outcome(await organization.patch('/fields/b1', { label: 'B' }))).toBe('not_found');
  expect((await organization.get('/fields')).body.items).toEqual([body]);
});
