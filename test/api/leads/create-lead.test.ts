import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

// Every limit of its fields is in test/unit/leads/lead-fields.test.ts, and who has a contact alone in
// test/unit/leads/contacts.property.test.ts.

const post = (organization: Organization, fields: object) =>
  organization.post('/leads', {
    contact_name: 'Maria Silva',
    pipeline_id: organization.pipelineId,
    ...fields,
  });

test('a lead comes back exactly as it was sent', async () => {
  const organization = await provision();
  const sent = {
    contact_name: ' Zoë "Ω" \u{1F680}\n',
    pipeline_id: organization.pipelineId,
    company_name: 'Ação & Cia <script>',
    email: 'Zoe+crm@Example.com',
    phone: '+5511987654321',
    owner_id: organization.users.agent,
    tags: ['b', 'a', 'ção'],
    value_cents: Number.MAX_SAFE_INTEGER,
    next_step_at: '2026-12-01T13:00:00.000Z',
    next_step: 'Enviar a proposta',
  };
  const before = Date.now();
  const { body } = await organization.post('/leads', sent);
  expect(body).toMatchObject({ ...sent, stage: 'new' });
  expect([body.stage_entered_at, body.updated_at]).toEqual([body.created_at, body.created_at]);
  expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before - 1);
  expect(Date.parse(body.created_at)).toBeLessThanOrEqual(Date.now());
  expect((await organization.get('/leads')).body.items).toEqual([body]);
});

test('fields of a lead that were not sent are null or empty', async () => {
  const organization = await provision();
  const names = ['company_name', 'email', 'phone', 'external_id', 'owner_id', 'value_cents'];
  names.push('next_step_at', 'next_step');
  const expected = Object.fromEntries(names.map((name) => [name, null]));
  for (const fields of [{}, { ...expected, tags: null }]) {
    expect(await organization.lead(fields)).toMatchObject({ ...expected, tags: [] });
  }
});

test('a stage is refused, with where a new lead may have one', async () => {
  const { status, body } = await post(await provision(), { stage: 'won' });
  const message =
    'is not known here; a new lead is in the default stage of its pipeline, and an upsert may have another';
  expect([status, body.error.details]).toEqual([400, [{ path: 'stage', message }]]);
});

test('what a lead refers to must be of the organization; ids in another case are the same ids', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const { pipelineId: pipeline_id, users } = organization;
  const spelled = { pipeline_id: pipeline_id.toUpperCase(), owner_id: users.viewer.toUpperCase() };
  expect(await organization.lead(spelled)).toMatchObject({ pipeline_id, owner_id: users.viewer });
  for (const fields of [
    { pipeline_id: other.pipelineId },
    { pipeline_id: randomUUID() },
    { owner_id: other.users.agent },
  ]) {
    const { error } = (await post(organization, fields)).body;
    expect(error.code).toBe('invalid_request');
    expect(error.details).toMatchObject([{ path: Object.keys(fields)[0] }]);
  }
});

test('the same email in any case is a duplicate, and the lead that has it is named', async () => {
  const organization = await provision();
  const first = await organization.lead({ email: 'Maria@Example.com' });
  const { status, body } = await post(organization, { email: 'maria@example.COM' });
  expect([status, body.error.code]).toEqual([409, 'duplicate_lead']);
  expect(body.error.details).toMatchObject([{ path: 'email', lead_id: first.id }]);
  expect((await organization.get('/leads')).body.items).toEqual([first]);
});
