import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';

const remove = (organization: Organization, id: string, headers = {}) =>
  organization.delete(`/leads/${id}`, { headers });

// Of any leads, that nothing finds them then, and that their history stays: any-sequence.test.ts.
test('a deleted lead is gone, and its contacts are free at once', async () => {
  const organization = await provision();
  const contact = { email: 'ana@example.com', external_id: 'crm-1' };
  const { id } = await organization.lead(contact);
  const stays = await organization.lead();
  const { status, text } = await remove(organization, id.toUpperCase());
  expect([status, text]).toEqual([204, '']);
  expect(outcome(await organization.get(`/leads/${id}`))).toBe('not_found');
  expect(await organization.readAll('/leads')).toEqual([stays]);
  await organization.lead(contact);
});

test('a lead is deleted in the version that the client means, or not at all', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  await organization.patch(`/leads/${id}`, { value_cents: 1 });
  const outcomes = [];
  for (const etag of ['"1"', '"2"']) {
    outcomes.push(outcome(await remove(organization, id, { 'if-match': etag })));
  }
  expect(outcomes).toEqual(['precondition_failed', 204]);
});
