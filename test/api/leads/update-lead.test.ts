import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

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

test('a lead that is not there, or is another organization’s, is not found by any operation', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const foreign = await other.lead();
  for (const id of [randomUUID(), foreign.id]) {
    expect(code(await organization.get(`/leads/${id}`))).toBe('not_found');
    expect(code(await organization.patch(`/leads/${id}`, { email: null }))).toBe('not_found');
    expect(code(await organization.delete(`/leads/${id}`))).toBe('not_found');
    expect(code(await organization.get(`/leads/${id}/history`))).toBe('not_found');
  }
  expect((await other.get(`/leads/${foreign.id}`)).body).toEqual(foreign);
  expect(code(await organization.get('/leads/17'))).toBe('invalid_request');
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

  test('is in every list as it is, and in none as it was', async () => {
    const organization = await twoPipelines();
    const [a, b] = organization.pipelines.map(({ id }) => id);
    const { agent, admin } = organization.users;
    const { id } = await organization.lead({ tags: ['x', 'y'], owner_id: agent });
    const lists = (filters: string[]) =>
      Promise.all(
        filters.map(async (f) =>
          (await organization.readAll(`/leads?${f}`)).map((lead) => lead.id),
        ),
      );
    const was = [`pipeline_id=${a}`, 'stage=new', `owner_id=${agent}`, 'tag=x'];
    expect(await lists(was)).toEqual(was.map(() => [id]));
    const patch = { pipeline_id: b, owner_id: admin, tags: ['y', 'z'] };
    const { body } = await organization.patch(`/leads/${id}`, patch);
    expect(body.stage).toBe('second');
    const is = [
      `pipeline_id=${b}&stage=second&owner_id=${admin}`,
      `pipeline_id=${b}&owner_id=${admin}`,
      'tag=y&tag=z',
      `tag=y&pipeline_id=${b}`,
    ];
    expect(await lists(was)).toEqual(was.map(() => []));
    expect(await lists(is)).toEqual(is.map(() => [id]));
    expect((await organization.readAll('/leads?tag=y'))[0]).toEqual(body);
  });

  test('that changes nothing makes no version', async () => {
    const organization = await provision();
    const lead = await organization.lead({ tags: ['a'] });
    const answer = await organization.patch(`/leads/${lead.id}`, { tags: ['a'], email: null });
    expect([answer.body, answer.headers.get('etag')]).toEqual([lead, '"1"']);
    expect(await organization.readAll(`/leads/${lead.id}/history`)).toHaveLength(1);
  });

  test.each([
    [{ contact_name: null }, 'contact_name'],
    [{ pipeline_id: null }, 'pipeline_id'],
    [{ stage: null }, 'stage'],
    [{ stage: 'nowhere' }, 'stage'],
    [{ pipeline_id: randomUUID() }, 'pipeline_id'],
    [{ owner_id: randomUUID() }, 'owner_id'],
    [{ value_cents: -1 }, 'value_cents'],
    [{ id: randomUUID() }, 'id'],
    [{ created_at: '2026-01-01T00:00:00.000Z' }, 'created_at'],
  ])('refuses %j and changes nothing', async (patch, path) => {
    const organization = await provision();
    const lead = await organization.lead();
    const { body } = await organization.patch(`/leads/${lead.id}`, patch);
    expect(body.error.details).toMatchObject([{ path }]);
    expect((await organization.get(`/leads/${lead.id}`)).body).toEqual(lead);
  });

  test('says what it names that is not there', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const patch = async (body: object) =>
      (await organization.patch(`/leads/${id}`, body)).body.error.details;
    expect([
      ...(await patch({ pipeline_id: randomUUID() })),
      ...(await patch({ owner_id: randomUUID() })),
      ...(await patch({ stage: 'nowhere' })),
    ]).toEqual([
      { path: 'pipeline_id', message: 'is not a pipeline of this organization' },
      { path: 'owner_id', message: 'is not a member of this organization' },
      { path: 'stage', message: 'is not a stage of the pipeline' },
    ]);
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

  test('lets a change through where one of several versions is the one that is there', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const change = (value: string) =>
      organization.patch(`/leads/${id}`, { contact_name: value }, match(value));
    expect(code(await change('"2", "3"'))).toBe('precondition_failed');
    expect(code(await change('W/"1", "2"'))).toBe('precondition_failed');
    expect((await change('"x", "1"')).status).toBe(200);
    expect((await change('"1","2"')).status).toBe(200);
  });

  test('of 20 changes at once of the same version, one goes through', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        organization.patch(`/leads/${id}`, { value_cents: i }, match('"1"')),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => code(answer) === 'precondition_failed')).toHaveLength(19);
  });
});

describe('a repeat with the same key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

  test('of a change is answered, not made again', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const options = keyed();
    const first = await organization.patch(`/leads/${id}`, { value_cents: 1 }, options);
    await organization.patch(`/leads/${id}`, { value_cents: 2 });
    const repeat = await organization.patch(`/leads/${id}`, { value_cents: 1 }, options);
    expect([repeat.text, repeat.headers.get('etag')]).toEqual([first.text, '"2"']);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect((await organization.get(`/leads/${id}`)).body.value_cents).toBe(2);
  });

  test('of a deletion is answered, not refused', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const options = keyed();
    expect((await organization.delete(`/leads/${id}`, options)).status).toBe(204);
    const repeat = await organization.delete(`/leads/${id}`, options);
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
    expect((await organization.delete(`/leads/${id}`)).status).toBe(404);
  });
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

describe('a contact is free as soon as its lead lets go of it', () => {
  const contact = 'm@example.com';
  const taken = async (organization: Organization, pipeline_id = organization.pipelineId) =>
    code(await organization.post('/leads', { contact_name: 'x', pipeline_id, email: contact }));

  test.each<[string, (o: Organization, id: string) => Promise<unknown>]>([
    ['deleted', (o, id) => o.delete(`/leads/${id}`)],
    ['changed', (o, id) => o.patch(`/leads/${id}`, { email: 'other@example.com' })],
    ['cleared', (o, id) => o.patch(`/leads/${id}`, { email: null })],
    ['moved', (o, id) => o.patch(`/leads/${id}`, { pipeline_id: o.pipelines[1]?.id })],
  ])('when it is %s', async (_how, letGo) => {
    const organization = await twoPipelines();
    const { id } = await organization.lead({ email: contact });
    expect(await taken(organization)).toBe('duplicate_lead');
    await letGo(organization, id);
    expect(await taken(organization)).toBeUndefined();
  });

  test.each([
    ['email', 'm@example.com'],
    ['phone', '+5511987654321'],
  ])(
    'and not before: a change of %s alone to what another has is refused',
    async (field, value) => {
      const unique_contact = ['email', 'phone'];
      const pipelines = [{ name: 'A', stages: open('new'), unique_contact }];
      const organization = await provision({ pipelines });
      const other = await organization.lead({ [field]: value });
      const { id } = await organization.lead();
      const { body } = await organization.patch(`/leads/${id}`, { [field]: value });
      expect(body.error.details).toMatchObject([{ path: field, lead_id: other.id }]);
    },
  );

  test('and not before: a change to what another has is refused, and nothing of it is made', async () => {
    const organization = await twoPipelines();
    const pipeline_id = organization.pipelines[1]?.id;
    const other = await organization.lead({ email: contact, pipeline_id });
    const lead = await organization.lead({ email: 'a@example.com' });
    const { id } = lead;
    const moved = { pipeline_id, email: contact.toUpperCase(), tags: ['t'] };
    const refused = await organization.patch(`/leads/${id}`, moved);
    expect(code(refused)).toBe('duplicate_lead');
    expect(refused.body.error.details).toMatchObject([{ path: 'email', lead_id: other.id }]);
    expect((await organization.get(`/leads/${id}`)).body).toEqual(lead);
    expect((await organization.patch(`/leads/${id}`, { email: 'A@EXAMPLE.com' })).status).toBe(200);
  });
});

test('a deleted lead is in no list', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ tags: ['a'], owner_id: organization.users.agent });
  const kept = await organization.lead({ tags: ['a'], owner_id: organization.users.agent });
  expect((await organization.delete(`/leads/${id}`)).text).toBe('');
  expect(code(await organization.get(`/leads/${id}`))).toBe('not_found');
  for (const query of ['', 'tag=a', 'stage=new', `owner_id=${organization.users.agent}`]) {
    expect(await organization.readAll(`/leads?${query}`)).toEqual([kept]);
  }
});
