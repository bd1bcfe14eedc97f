import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const stages = ['new', 'talking', 'won'].map((name) => ({ name, outcome: 'open' }));
const pipelines = [
  { name: 'Sales', stages, unique_contact: ['email', 'phone'] },
  { name: 'Partners', stages: [{ name: 'first', outcome: 'open' }], unique_contact: ['email'] },
];

const send = (organization: Organization, match: string, lead: object, more: object = {}) =>
  organization.post('/leads/upsert', { match, lead, ...more });

const upsert = (organization: Organization, match: string, fields: object, more: object = {}) => {
  const lead = { contact_name: 'Maria', pipeline_id: organization.pipelineId, ...fields };
  return send(organization, match, lead, more);
};

const problems = ({ body }: { body: { error: { details: { path: string }[] } } }) =>
  body.error.details.map(({ path }) => path);

const matches = [
  ['external_id', 'crm-1', 'crm-1'],
  ['email', 'maria@example.com', 'Maria@Example.COM'],
  ['phone', '+5511987654321', '+5511987654321'],
] as const;

test.each(matches)(
  'an upsert by %s makes a lead, then changes it, then leaves it',
  async (match, value, spelled) => {
    const organization = await provision({ pipelines });
    const sent = { [match]: value, tags: ['a'], value_cents: 5, stage: 'talking' };
    const outcome = async (fields: object) => {
      const { status, headers, body } = await upsert(organization, match, fields);
      return [status, headers.get('etag'), body.outcome, body.lead];
    };
    const made = await outcome(sent);
    const lead = { ...made.at(-1), ...sent, contact_name: 'Maria' };
    expect(made).toEqual([201, '"1"', 'created', lead]);
    const update = { [match]: spelled, contact_name: 'Maria Silva', tags: null };
    const changed = await outcome(update);
    const after = { ...lead, ...update, tags: [], updated_at: changed.at(-1).updated_at };
    expect(changed).toEqual([200, '"2"', 'updated', after]);
    expect(await outcome(update)).toEqual([200, '"2"', 'unchanged', after]);
    expect(await organization.readAll('/leads')).toEqual([after]);
    await expectFindable(organization);
  },
);

test.each(matches)('an upsert by %s has to have it', async (match) => {
  const organization = await provision({ pipelines });
  for (const missing of [{}, { [match]: null }]) {
    const { status, body } = await upsert(organization, match, missing);
    const message = 'is required, since the lead is found by it';
    expect([status, body.error.details]).toEqual([400, [{ path: `lead.${match}`, message }]]);
  }
});

test('an upsert needs a name and a pipeline for a new lead, and neither for one that is found', async () => {
  const organization = await provision();
  const { pipelineId: pipeline_id } = organization;
  const external_id = 'x';
  const whole = { contact_name: 'Rui', pipeline_id, external_id };
  const lacking: [object, string][] = [
    [{ external_id, pipeline_id }, 'lead.contact_name'],
    [{ external_id, contact_name: 'Rui' }, 'lead.pipeline_id'],
    [{ ...whole, stage: 'none' }, 'lead.stage'],
  ];
  for (const [lead, path] of lacking) {
    expect(problems(await send(organization, 'external_id', lead))).toEqual([path]);
  }
  expect((await send(organization, 'external_id', whole)).status).toBe(201);
  const { body } = await send(organization, 'external_id', { external_id, value_cents: 7 });
  expect(body).toMatchObject({ outcome: 'updated', lead: { contact_name: 'Rui', value_cents: 7 } });
});

test('an upsert by email or phone needs a pipeline that has them unique', async () => {
  const organization = await provision({ pipelines });
  const pipeline_id = organization.pipelines[1]!.id;
  const phone = '+5511987654321';
  for (const pipeline of [{ pipeline_id }, {}]) {
    const lead = { contact_name: 'Rui', phone, ...pipeline };
    expect(problems(await send(organization, 'phone', lead))).toEqual(['lead.pipeline_id']);
  }
  // Each pipeline has its own.
  for (const pipeline of [{ pipeline_id }, {}]) {
    const { status } = await upsert(organization, 'email', { email: 'a@example.com', ...pipeline });
    expect(status).toBe(201);
  }
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
});

test('an upsert of a field that another lead has is refused, and that lead named', async () => {
  const organization = await provision();
  const email = 'taken@example.com';
  const { id } = await organization.lead({ email, external_id: 'other' });
  await upsert(organization, 'external_id', { external_id: 'mine' });
  const refused: [match: string, fields: object, path: string][] = [
    ['external_id', { external_id: 'mine', email }, 'lead.email'],
    ['external_id', { external_id: 'new', email: email.toUpperCase() }, 'lead.email'],
    ['email', { email: 'free@example.com', external_id: 'other' }, 'lead.external_id'],
  ];
  for (const [match, fields, path] of refused) {
    const { status, body } = await upsert(organization, match, fields);
    expect([status, body.error.code]).toEqual([409, 'duplicate_lead']);
    expect(body.error.details).toMatchObject([{ path, lead_id: id }]);
  }
});

test('of several leads from before a pipeline had a contact unique, 20 are named; a single one is found', async () => {
  const organization = await provision({
    pipelines: [{ name: 'Sales', stages, unique_contact: [] }],
  });
  const { pipelineId: pipeline_id } = organization;
  const email = 'maria@example.com';
  const leads = Array(21).fill({ contact_name: 'Maria', pipeline_id, email });
  const { items } = (await organization.post('/leads/batch', { leads })).body;
  const single = await organization.lead({ email: 'single@example.com' });
  await organization.patch(`/pipelines/${pipeline_id}`, { unique_contact: ['email'] });
  const { code, details } = (await upsert(organization, 'email', { email })).body.error;
  expect([code, details.length]).toEqual(['duplicate_lead', 20]);
  const ids = items.map(({ lead }: { lead: { id: string } }) => lead.id);
  for (const { path, message, lead_id } of details) {
    expect([path, message]).toEqual(['lead.email', `is the email of lead ${lead_id}`]);
    expect(ids).toContain(lead_id);
  }
  const found = await upsert(organization, 'email', { email: single.email, tags: ['x'] });
  expect([found.status, found.body.lead.id]).toEqual([200, single.id]);
});
