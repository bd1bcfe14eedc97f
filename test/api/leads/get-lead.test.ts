import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

// Where a merged lead is now: merge-lead.test.ts.
test('a lead is read with its version, whatever the case of its id', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ tags: ['a'] });
  const { body: changed } = await organization.patch(`/leads/${id}`, { value_cents: 5 });
  for (const one of [id, id.toUpperCase()]) {
    const { body, headers } = await organization.get(`/leads/${one}`);
    expect([body, headers.get('etag')]).toEqual([changed, '"2"']);
  }
  const unknown = await organization.get(`/leads/${randomUUID()}`);
  expect([outcome(unknown), unknown.body.error.details]).toEqual(['not_found', undefined]);
  expect(outcome(await organization.get('/leads/1'))).toBe('invalid_request');
});
