import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

test('a pipeline is read with its version, whatever the case of its id', async () => {
  const organization = await provision();
  const stages = [{ name: 'new', outcome: 'open' }];
  const { text, body } = await organization.post('/pipelines', { name: 'P', stages });
  for (const id of [body.id, body.id.toUpperCase()]) {
    const read = await organization.get(`/pipelines/${id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([text, '"1"']);
  }
  await organization.patch(`/pipelines/${body.id}`, { name: 'Q' });
  const { headers } = await organization.get(`/pipelines/${body.id}`);
  expect(headers.get('etag')).toBe('"2"');
  expect(outcome(await organization.get(`/pipelines/${randomUUID()}`))).toBe('not_found');
});
