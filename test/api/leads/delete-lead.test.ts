import { randomUUID } from 'node:crypto';
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

test('a deletion that is repeated with its key is answered, and without one refused', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const key = { 'idempotency-key': randomUUID() };
  expect((await remove(organization, id, key)).status).toBe(204);
  const repeat = await remove(organization, id, key);
  expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  expect(outcome(await remove(organization, id))).toBe('not_found');
});

test('of 8 deletions at once, one is made', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const answers = Array.from({ length: 8 }, () => remove(organization, id));
  const outcomes = (await Promise.all(answers)).map(outcome);
  expect(outcomes.filter((one) => one === 204)).toHaveLength(1);
  for (const one of outcomes) expect([204, 'not_found', 'write_conflict']).toContain(one);
  const types = (await organization.readAll(`/leads/${id}/history`)).map(({ type }) => type);
  expect(types).toEqual(['lead.deleted', 'lead.created']);
});
