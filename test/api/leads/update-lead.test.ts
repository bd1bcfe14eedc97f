import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

const open = (...names: string[]) => names.map((name) => ({ name, outcome: 'open' }));

const twoPipelines = () =>
  provision({
    pipelines: [
      { name: 'A', stages: open('new', 'contacted') },
      { name: 'B', stages: open('first', 'second'), default_stage: 'second' },
    ],
  });

const code = ({ body }: { body: { error?: { code: string } } }) => body.error?.code;

test('a lead is read as it was answered, with its ETag', async () => {
  const organization = await provision();
  const created = await organization.post('/leads', {
    contact_name: 'Maria',
    pipeline_id: organization.pipelineId,
  });
  const read = await organization.get(`/leads/${created.body.id.toUpperCase()}`);
  expect(read.body).toEqual(created.body);
  expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
  expect(read.headers.get('etag')).toMatch(/^"\d+"$/);
});

describe('a patch', () => {
  test('changes what it names, clears what it names null, and leaves the rest', async () => {
    const organization = await provision();
    const before = await organization.lead({
      company_name: 'Acme',
      email: 'm@example.com',
      tags: ['a', 'b'],
      value_cents: 5,
      owner_id: organization.users.agent,
    });
    const { body, headers, status } = await organization.patch(`/leads/${before.id}`, {
      contact_name: 'Ana',
      company_name: null,
      tags: ['b', 'c'],
      owner_id: organization.users.admin,
    });
    const { updated_at, ...rest } = body;
    expect(status).toBe(200);
    expect({ ...rest, updated_at: before.updated_at }).toEqual({
      ...before,
      contact_name: 'Ana',
      company_name: null,
      tags: ['b', 'c'],
      owner_id: organization.users.admin,
    });
    expect(updated_at > before.updated_at).toBe(true);
    const read = await organization.get(`/leads/${before.id}`);
    expect(read.body).toEqual(body);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('that changes nothing makes no version', async () => {
    const organization = await provision();
    const lead = await organization.lead({ tags: ['a'] });
    const answer = await organization.patch(`/leads/${lead.id}`, { tags: ['a'], email: null });
    expect([answer.body, answer.headers.get('etag')]).toEqual([lead, '"1"']);
    expect(await organization.readAll(`/leads/${lead.id}/history`)).toHaveLength(1);
  });

  test('that is refused changes nothing, and says what it names that is not there', async () => {
    const organization = await provision();
    const lead = await organization.lead();
    const refusals: [object, string, string | undefined][] = [
      [{ contact_name: null }, 'contact_name', undefined],
      [{ stage: null }, 'stage', undefined],
      [{ value_cents: -1 }, 'value_cents', undefined],
      [{ id: randomUUID() }, 'id', undefined],
      [{ pipeline_id: randomUUID() }, 'pipeline_id', 'is not a pipeline of this organization'],
      [{ owner_id: randomUUID() }, 'owner_id', 'is not a member of this organization'],
      [{ stage: 'nowhere' }, 'stage', 'is not a stage of the pipeline'],
    ];
    for (const [patch, path, message] of refusals) {
      const { body } = await organization.patch(`/leads/${lead.id}`, patch);
      expect(body.error.details).toMatchObject([{ path, ...(message && { message }) }]);
    }
    expect((await organization.get(`/leads/${lead.id}`)).body).toEqual(lead);
  });

  test('keeps an owner who has left, however it is sent again, and no other lead gets that owner', async () => {
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

  test('moves to a stage of its pipeline, or of the one that it moves to', async () => {
    const organization = await twoPipelines();
    const { id } = await organization.lead();
    const move = async (patch: object) => {
      const { body } = await organization.patch(`/leads/${id}`, patch);
      return body.stage ?? body.error.details[0].path;
    };
    expect(await move({ stage: 'contacted' })).toBe('contacted');
    expect(await move({ stage: 'first' })).toBe('stage');
    const pipeline_id = organization.pipelines[1]?.id;
    expect(await move({ pipeline_id, stage: 'contacted' })).toBe('stage');
    expect(await move({ pipeline_id, stage: 'first' })).toBe('first');
    expect(await move({ pipeline_id })).toBe('first');
  });
});

describe('If-Match', () => {
  const match = (value: string) => ({ headers: { 'if-match': value } });

  test('lets a change through while the lead is the one that was read', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const change = (name: string, options = {}) =>
      organization.patch(`/leads/${id}`, { contact_name: name }, options);
    expect((await change('A', match('"1"'))).status).toBe(200);
    expect(code(await change('B', match('"1"')))).toBe('precondition_failed');
    expect(code(await change('B', match('W/"2"')))).toBe('precondition_failed');
    expect(code(await change('B', match('"x"')))).toBe('precondition_failed');
    expect((await change('C', match('*'))).status).toBe(200);
    expect(code(await organization.delete(`/leads/${id}`, match('"2"')))).toBe(
      'precondition_failed',
    );
    expect((await organization.delete(`/leads/${id}`, match('"3"'))).status).toBe(204);
  });

  test('of 8 changes at once of the same version, one goes through', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        organization.patch(`/leads/${id}`, { value_cents: i }, match('"1"')),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => code(answer) === 'precondition_failed')).toHaveLength(7);
  });
});

test('a repeat of a deletion with the same key is answered, not refused', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  expect((await organization.delete(`/leads/${id}`, options)).status).toBe(204);
  const repeat = await organization.delete(`/leads/${id}`, options);
  expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  expect((await organization.delete(`/leads/${id}`)).status).toBe(404);
});

test('changes at once of different fields are all made', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const change = (patch: object) => async () => {
    for (let i = 0; i < 10; i++) {
      const { status } = await organization.patch(`/leads/${id}`, patch);
      if (status === 200) return;
      expect(status).toBe(409);
    }
    throw new Error('refused ten times');
  };
  const patch = { company_name: 'Acme', value_cents: 7, tags: ['a'], phone: '+5511987654321' };
  await Promise.all(Object.entries(patch).map(([field, value]) => change({ [field]: value })()));
  expect((await organization.get(`/leads/${id}`)).body).toMatchObject(patch);
  expect(await organization.readAll(`/leads/${id}/history`)).toHaveLength(5);
});

// Who has a contact, and when it is free, is tested in any-sequence.test.ts and test/unit/leads/contacts.property.test.ts.
test('a change to a contact that another lead has is refused, and nothing of it is made', async () => {
  const organization = await twoPipelines();
  const pipeline_id = organization.pipelines[1]?.id;
  const email = 'm@example.com';
  const other = await organization.lead({ email, pipeline_id });
  const lead = await organization.lead({ email: 'a@example.com' });
  const { id } = lead;
  const moved = { pipeline_id, email: email.toUpperCase(), tags: ['t'] };
  const refused = await organization.patch(`/leads/${id}`, moved);
  expect(code(refused)).toBe('duplicate_lead');
  expect(refused.body.error.details).toMatchObject([{ path: 'email', lead_id: other.id }]);
  expect((await organization.get(`/leads/${id}`)).body).toEqual(lead);
  expect((await organization.patch(`/leads/${id}`, { email: 'A@EXAMPLE.com' })).status).toBe(200);
});
