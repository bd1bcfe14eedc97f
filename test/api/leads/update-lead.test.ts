import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';

const open = (...names: string[]) => names.map((name) => ({ name, outcome: 'open' }));

const twoPipelines = () =>
  provision({
    pipelines: [
      { name: 'A', stages: open('new', 'contacted') },
      { name: 'B', stages: open('first', 'second'), default_stage: 'second' },
    ],
  });

test('a patch changes what it names, clears what it names null, and leaves the rest', async () => {
  const organization = await provision();
  const before = await organization.lead({
    company_name: 'Acme',
    email: 'm@example.com',
    tags: ['a', 'b'],
    value_cents: 5,
    owner_id: organization.users.agent,
  });
  const patch = {
    contact_name: 'Ana',
    company_name: null,
    tags: ['b', 'c'],
    owner_id: organization.users.admin,
  };
  const { body, headers, status } = await organization.patch(`/leads/${before.id}`, patch);
  expect([status, headers.get('etag')]).toEqual([200, '"2"']);
  expect(body).toEqual({ ...before, ...patch, updated_at: body.updated_at });
  expect(body.updated_at > before.updated_at).toBe(true);
  expect((await organization.get(`/leads/${before.id}`)).body).toEqual(body);
});

test('a patch that changes nothing makes no version', async () => {
  const organization = await provision();
  const lead = await organization.lead({ tags: ['a'] });
  const answer = await organization.patch(`/leads/${lead.id}`, { tags: ['a'], email: null });
  expect([answer.body, answer.headers.get('etag')]).toEqual([lead, '"1"']);
  expect(await organization.readAll(`/leads/${lead.id}/history`)).toHaveLength(1);
});

test('a patch that is refused changes nothing, and says what it names that is not there', async () => {
  const organization = await provision();
  const lead = await organization.lead();
  const stages = 'there are new, contacted, qualified, won, lost';
  const refusals: [object, string, string | undefined][] = [
    [{ contact_name: null }, 'contact_name', undefined],
    [{ value_cents: -1 }, 'value_cents', undefined],
    [{ id: randomUUID() }, 'id', undefined],
    [{ pipeline_id: randomUUID() }, 'pipeline_id', 'is not a pipeline of this organization'],
    [{ owner_id: randomUUID() }, 'owner_id', 'is not a member of this organization'],
    [{ stage: 'nowhere' }, 'stage', `is not a stage of the pipeline: ${stages}`],
    [{ stage: 'Wno' }, 'stage', `is not a stage of the pipeline; perhaps won is meant: ${stages}`],
  ];
  for (const [patch, path, message] of refusals) {
    const { body } = await organization.patch(`/leads/${lead.id}`, patch);
    expect(body.error.details).toMatchObject([{ path, ...(message && { message }) }]);
  }
  expect((await organization.get(`/leads/${lead.id}`)).body).toEqual(lead);
});

test('a lead keeps an owner who has left, however it is sent again, and no other lead gets that owner', async () => {
  const organization = await provision();
  const owner_id = organization.users.agent;
  const lead = await organization.lead({ owner_id, external_id: 'crm-1' });
  const another = await organization.lead({ external_id: 'crm-2' });
  await organization.delete(`/members/${owner_id}`);
  const outcomes = async ({ id, external_id }: typeof lead) => {
    const patch = { owner_id, company_name: 'Cedro' };
    const upsert = { external_id, ...patch, company_name: 'Aurora' };
    const answers = await Promise.all([
      organization.patch(`/leads/${id}`, patch),
      organization.post('/leads/upsert', { match: 'external_id', lead: upsert }),
    ]);
    const batch = await organization.patch('/leads/batch', { leads: [{ id, patch }] });
    return [...answers, ...batch.body.items].map(({ status }) => status);
  };
  expect(await outcomes(lead)).toEqual([200, 200, 200]);
  expect(await outcomes(another)).toEqual([400, 400, 400]);
  await organization.patch(`/leads/${lead.id}`, { owner_id: null });
  expect(await outcomes(lead)).toEqual([400, 400, 400]);
});

test('a lead moves to a stage of its pipeline, or of the one that it moves to', async () => {
  const organization = await twoPipelines();
  const { id } = await organization.lead();
  const pipeline_id = organization.pipelines[1]?.id;
  const moves: [object, string | undefined][] = [
    [{ stage: 'contacted' }, 'contacted'],
    [{ stage: 'first' }, undefined],
    [{ pipeline_id, stage: 'contacted' }, undefined],
    [{ pipeline_id, stage: 'first' }, 'first'],
    [{ pipeline_id }, 'first'],
  ];
  for (const [patch, stage] of moves) {
    const { body } = await organization.patch(`/leads/${id}`, patch);
    expect([body.stage, body.error?.details[0].path]).toEqual([stage, stage ? undefined : 'stage']);
  }
});

// Changes of one lead that meet without it are all made: test/faults/transaction-conflicts.test.ts.
const match = (value: string) => ({ headers: { 'if-match': value } });
const failed = 'precondition_failed';

test('If-Match lets a change through while the lead is the one that was read', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const change = async (contact_name: string, etag: string) =>
    outcome(await organization.patch(`/leads/${id}`, { contact_name }, match(etag)));
  expect([await change('A', '"1"'), await change('B', '"1"')]).toEqual([200, failed]);
  expect([await change('B', 'W/"2"'), await change('C', '*')]).toEqual([failed, 200]);
});

// Who has a contact, and when it is free, is tested in any-sequence.test.ts and test/unit/leads/contacts.property.test.ts.
test('a change to a contact that another lead has is refused, and nothing of it is made', async () => {
  const organization = await twoPipelines();
  const pipeline_id = organization.pipelines[1]?.id;
  const email = 'm@example.com';
  const other = await organization.lead({ email, pipeline_id });
  const lead = await organization.lead({ email: 'a@example.com' });
  const path = `/leads/${lead.id}`;
  const moved = { pipeline_id, email: email.toUpperCase(), tags: ['t'] };
  const refused = await organization.patch(path, moved);
  expect(outcome(refused)).toBe('duplicate_lead');
  expect(refused.body.error.details).toMatchObject([{ path: 'email', lead_id: other.id }]);
  expect((await organization.get(path)).body).toEqual(lead);
  expect(outcome(await organization.patch(path, { email: 'A@EXAMPLE.com' }))).toBe(200);
});

test.each([
  ['email', 'm@example.com', 'n@example.com'],
  ['phone', '+351210000001', '+351210000002'],
])('%s alone is changed, but not to what another lead has', async (field, taken, free) => {
  const stages = open('new');
  const organization = await provision({
    pipelines: [{ name: 'A', stages, unique_contact: ['email', 'phone'] }],
  });
  await organization.lead({ [field]: taken });
  const { id } = await organization.lead();
  const patch = (value: string) => organization.patch(`/leads/${id}`, { [field]: value });
  expect(outcome(await patch(taken))).toBe('duplicate_lead');
  expect((await patch(free)).body[field]).toBe(free);
});
