import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { quiet, quietWebhook } from './hooks.ts';

// What a change does to what waits is tested in test/unit/webhooks/writes.test.ts.

test('a webhook is changed by a merge patch, on its version if that is named', async () => {
  const organization = await provision();
  const path = await quietWebhook(organization);
  const patch = (fields: object, headers = {}) => organization.patch(path, fields, { headers });
  const changed = await patch({ description: 'A', types: null, status: 'disabled' });
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
  const fields = { url: quiet.url, description: 'A', types: null, status: 'disabled' };
  expect(changed.body).toMatchObject(fields);
  expect((await organization.get(path)).body).toEqual(changed.body);
  const active = { status: 'active' };
  expect(outcome(await patch(active, { 'if-match': '"1"' }))).toBe('precondition_failed');
  expect((await patch(active, { 'if-match': '"2"' })).body.status).toBe('active');
  // Nobody else pauses it.
  expect(outcome(await patch({ status: 'paused' }))).toBe('invalid_request');
  const unknown = await organization.patch(`/webhooks/${randomUUID()}`, active);
  expect(outcome(unknown)).toBe('not_found');
});
