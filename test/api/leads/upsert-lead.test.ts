import { describe, expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const stages = ['new', 'talking', 'won'].map((name) => ({ name, outcome: 'open' }));
const pipelines = [
  { name: 'Sales', stages, unique_contact: ['email', 'phone'] },
  { name: 'Partners', stages: [{ name: 'first', outcome: 'open' }], unique_contact: ['email'] },
];

const upsert = (organization: Organization, match: string, fields: object, more: object = {}) =>
  organization.post('/leads/upsert', {
    match,
    lead: { contact_name: 'Maria', pipeline_id: organization.pipelineId, ...fields },
    ...more,
  });

const problems = ({ body }: { body: { error: { details: { path: string }[] } } }) =>
  body.error.details.map(({ path }) => path);

describe.each([
  ['external_id', 'crm-1', 'crm-1'],
  ['email', 'maria@example.com', 'Maria@Example.COM'],
  ['phone', '+5511987654321', '+5511987654321'],
])('by %s', (match, value, spelled) => {
  test('makes a lead, then changes it, then leaves it', async () => {
    const organization = await provision({ pipelines });
    const sent = { [match]: value, tags: ['a'], value_cents: 5, stage: 'talking' };
    const created = await upsert(organization, match, sent);
    expect([created.status, created.body.outcome]).toEqual([201, 'created']);
    expect(created.headers.get('etag')).toBe('"1"');
    expect(created.body.lead).toMatchObject({ contact_name: 'Maria', ...sent });

    const update = { [match]: spelled, contact_name: 'Maria Silva', tags: null };
    const updated = await upsert(organization, match, update);
    expect([updated.status, updated.body.outcome]).toEqual([200, 'updated']);
    expect(updated.headers.get('etag')).toBe('"2"');
    expect(updated.body.lead).toMatchObject({
      id: created.body.lead.id,
      contact_name: 'Maria Silva',
      tags: [],
      value_cents: 5,
      stage: 'talking',
    });

    const unchanged = await upsert(organization, match, update);
    expect([unchanged.status, unchanged.body.outcome]).toEqual([200, 'unchanged']);
    expect(unchanged.body.lead).toEqual(updated.body.lead);
    expect(await organization.readAll('/leads')).toEqual([updated.body.lead]);
    await expectFindable(organization);
  });

  test('what it is matched by has to be there', async () => {
    const organization = await provision({ pipelines });
    for (const missing of [{}, { [match]: null }]) {
      const answer = await upsert(organization, match, missing);
      expect([answer.status, problems(answer)]).toEqual([400, [`lead.${match}`]]);
      expect(answer.body.error.details[0].message).toBe(
        'is required, since the lead is found by it',
      );
    }
  });
});

test('a new lead needs a name and a pipeline, one that is found needs neither', async () => {
  const organization = await provision();
  const send = (lead: object) =>
    organization.post('/leads/upsert', {
      match: 'external_id',
      lead: { external_id: 'x', ...lead },
    });
  const { pipelineId: pipeline_id } = organization;
  expect(problems(await send({ pipeline_id }))).toEqual(['lead.contact_name']);
  expect(problems(await send({ contact_name: 'Rui' }))).toEqual(['lead.pipeline_id']);
  expect(problems(await send({ contact_name: 'Rui', pipeline_id, stage: 'none' }))).toEqual([
    'lead.stage',
  ]);
  expect((await send({ contact_name: 'Rui', pipeline_id })).status).toBe(201);
  expect((await send({ value_cents: 7 })).body).toMatchObject({
    outcome: 'updated',
    lead: { contact_name: 'Rui', value_cents: 7 },
  });
});

test('by email and phone, the pipeline that is named must have them unique', async () => {
  const organization = await provision({ pipelines });
  const partners = organization.pipelines[1]!.id;
  const phone = '+5511987654321';
  expect(problems(await upsert(organization, 'phone', { phone, pipeline_id: partners }))).toEqual([
    'lead.pipeline_id',
  ]);
  const nowhere = { match: 'phone', lead: { contact_name: 'Rui', phone } };
  expect(problems(await organization.post('/leads/upsert', nowhere))).toEqual(['lead.pipeline_id']);
  // Each pipeline has its own.
  const email = 'a@example.com';
  const [one, other] = [
    await upsert(organization, 'email', { email }),
    await upsert(organization, 'email', { email, pipeline_id: partners }),
  ];
  expect([one.status, other.status]).toEqual([201, 201]);
});

test('a lead that is found stays in its pipeline and stage, unless it is told to move', async () => {
  const organization = await provision({ pipelines });
  const [sales, partners] = organization.pipelines.map(({ id }) => id);
  const external_id = 'x';
  await upsert(organization, 'external_id', { external_id, stage: 'won' });
  const there = { external_id, pipeline_id: partners, stage: 'first', value_cents: 1 };
  const stayed = await upsert(organization, 'external_id', there);
  expect(stayed.body.lead).toMatchObject({ pipeline_id: sales, stage: 'won', value_cents: 1 });
  const same = await upsert(organization, 'external_id', { external_id, stage: 'talking' });
  expect(same.body.lead).toMatchObject({ pipeline_id: sales, stage: 'talking' });
  const moved = await upsert(organization, 'external_id', there, { move: true });
  expect(moved.body.lead).toMatchObject({ pipeline_id: partners, stage: 'first' });
  await expectFindable(organization);
});

test('a field that another lead has is refused, and names that lead', async () => {
  const organization = await provision();
  const other = await organization.lead({ email: 'taken@example.com', external_id: 'other' });
  await upsert(organization, 'external_id', { external_id: 'mine' });
  for (const external_id of ['mine', 'new']) {
    const answer = await upsert(organization, 'external_id', {
      external_id,
      email: 'Taken@example.com',
    });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'duplicate_lead']);
    expect(answer.body.error.details).toMatchObject([{ path: 'lead.email', lead_id: other.id }]);
  }
  const byEmail = await upsert(organization, 'email', {
    email: 'free@example.com',
    external_id: 'other',
  });
  expect(byEmail.body.error.details).toMatchObject([
    { path: 'lead.external_id', lead_id: other.id },
  ]);
});

test('several leads from before a pipeline had a contact unique are named; a single one is found', async () => {
  const organization = await provision({
    pipelines: [{ name: 'Sales', stages, unique_contact: [] }],
  });
  const email = 'Maria@example.com';
  const single = await organization.lead({ email: 'single@example.com' });
  const two = [await organization.lead({ email }), await organization.lead({ email })];
  await organization.patch(`/pipelines/${organization.pipelineId}`, { unique_contact: ['email'] });
  const several = await upsert(organization, 'email', { email });
  expect(several.body.error.code).toBe('duplicate_lead');
  expect(several.body.error.details.map((one: { lead_id: string }) => one.lead_id)).toEqual(
    two.map(({ id }) => id),
  );
  const found = await upsert(organization, 'email', { email: 'single@example.com', tags: ['x'] });
  expect([found.status, found.body.lead.id]).toEqual([200, single.id]);
});

test('of many leads that have the contact, 20 are named', async () => {
  const organization = await provision({
    pipelines: [{ name: 'Sales', stages, unique_contact: [] }],
  });
  const { pipelineId: pipeline_id } = organization;
  const email = 'maria@example.com';
  const leads = Array.from({ length: 21 }, () => ({ contact_name: 'Maria', pipeline_id, email }));
  const { items } = (await organization.post('/leads/batch', { leads })).body;
  await organization.patch(`/pipelines/${pipeline_id}`, { unique_contact: ['email'] });
  const { details } = (await upsert(organization, 'email', { email })).body.error;
  expect(details).toHaveLength(20);
  const ids = items.map(({ lead }: { lead: { id: string } }) => lead.id);
  for (const { path, message, lead_id } of details) {
    expect([path, message]).toEqual(['lead.email', `is the email of lead ${lead_id}`]);
    expect(ids).toContain(lead_id);
  }
});
