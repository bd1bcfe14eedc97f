import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable, itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const restore = (organization: Organization, id: string) =>
  organization.post(`/leads/${id}/restore`, undefined);

// Of any leads, that it is in lists, counts, search, lookups and the feed as it was: any-sequence.test.ts.
test('a deleted lead comes back as it was, with its notes, as one more version', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ company_name: 'Cedro', phone: '+5511987650000' });
  const before = (await organization.patch(`/leads/${id}`, { stage: 'won' })).body;
  await organization.post(`/leads/${id}/notes`, { text: 'A note.' });
  await organization.delete(`/leads/${id}`);
  expect(await organization.readAll('/leads')).toEqual([]);
  const { status, body, headers } = await restore(organization, id);
  const after = { ...before, updated_at: body.updated_at };
  expect([status, body, headers.get('etag')]).toEqual([200, after, '"4"']);
  expect(await organization.readAll('/leads?phone=%2B5511987650000')).toEqual([after]);
  expect((await organization.get(`/leads/${id}/notes`)).body.items).toHaveLength(1);
  const [restored, deleted] = await organization.readAll(`/leads/${id}/history`);
  expect(restored).toMatchObject({ type: 'lead.restored', version: 4 });
  expect(deleted).toMatchObject({ type: 'lead.deleted', version: 3 });
});

test('a lead that is there is answered as it is, and one that never was is 404', async () => {
  const organization = await provision();
  const lead = await organization.lead();
  const { status, body, headers } = await restore(organization, lead.id);
  expect([status, body, headers.get('etag')]).toEqual([200, lead, '"1"']);
  expect((await restore(organization, randomUUID())).status).toBe(404);
});

test('a stage that is gone becomes the default one, and a contact that is taken is 409', async () => {
  const organization = await provision();
  const stages = ['new', 'old'].map((name) => ({ name, outcome: 'open' }));
  const pipeline = (await organization.post('/pipelines', { name: 'Sales', stages })).body;
  const lead = await organization.lead({ pipeline_id: pipeline.id, email: 'Ana@example.com' });
  await organization.patch(`/leads/${lead.id}`, { stage: 'old' });
  await organization.delete(`/leads/${lead.id}`);
  await organization.patch(`/pipelines/${pipeline.id}`, { stages: stages.slice(0, 1) });
  const other = await organization.lead({ pipeline_id: pipeline.id, email: 'ana@example.com' });
  const taken = await restore(organization, lead.id);
  expect(taken.status).toBe(409);
  expect(taken.body.error.details).toMatchObject([{ path: 'email', lead_id: other.id }]);
  await organization.delete(`/leads/${other.id}`);
  const { body } = await restore(organization, lead.id);
  expect([body.stage, body.email]).toEqual(['new', 'Ana@example.com']);
  expect(body.stage_entered_at).toBe(body.updated_at);
});

test('a value in a currency that the organization has no more does not come back', async () => {
  const organization = await provision({ currency: 'USD' });
  const before = await organization.lead({ value_cents: 500 });
  await organization.delete(`/leads/${before.id}`);
  await organization.patch('/organization', { currency: 'JPY' });
  const { body } = await restore(organization, before.id);
  expect(body).toEqual({ ...before, value_cents: null, updated_at: body.updated_at });
  // What was deleted after the change is of the new currency.
  await organization.patch(`/leads/${before.id}`, { value_cents: 500 });
  await organization.delete(`/leads/${before.id}`);
  expect((await restore(organization, before.id)).body.value_cents).toBe(500);
});

test('restores at once bring it back once, and against creates with its email one of them wins', async () => {
  const organization = await provision();
  const email = 'ana@example.com';
  const { id } = await organization.lead({ email });
  const lead = { contact_name: 'Eva', pipeline_id: organization.pipelineId, email };
  for (let round = 0; round < 2; round++) {
    await organization.delete(`/leads/${id}`);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => restore(organization, id)),
      ...Array.from({ length: 4 }, () => organization.post('/leads', lead)),
    ]);
    for (const { status, text } of answers) expect([200, 201, 409], text).toContain(status);
    const leads = await organization.readAll('/leads');
    expect(leads.length).toBe(1);
    await expectFindable(organization);
    if (leads[0].id !== id) {
      expect(answers.filter(({ status }) => status === 200)).toEqual([]);
      await organization.delete(`/leads/${leads[0].id}`);
      await restore(organization, id);
    }
    const [last] = await organization.readAll(`/leads/${id}/history`);
    expect(last.type).toBe('lead.restored');
  }
  expect((await itemsOf(organization, 'CONTACT')).length).toBe(1);
});
