import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { quiet } from './hooks.ts';

test('a webhook is read with its version, and without its secret', async () => {
  const organization = await provision();
  const { secret, ...webhook } = (await organization.post('/webhooks', quiet)).body;
  const read = await organization.get(`/webhooks/${webhook.id.toUpperCase()}`);
  expect([read.body, read.headers.get('etag')]).toEqual([webhook, '"1"']);
  expect(outcome(await organization.get(`/webhooks/${randomUUID()}`))).toBe('not_found');
  expect(outcome(await organization.get('/webhooks/1'))).toBe('invalid_request');
});
