import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';

// Orders, ranges, outcomes and `owner_id=me`. Of any leads and filters: any-sequence.test.ts and
// test/unit/leads/lists/any-list.test.ts.

const createAll = async (organization: Organization, leads: object[]): Promise<void> => {
  for (let i = 0; i < leads.length; i += 100) {
    const all = leads
      .slice(i, i + 100)
      .map((lead) => ({ contact_name: 'Ana', pipeline_id: organization.pipelineId, ...lead }));
    const { body } = await organization.post('/leads/batch', { leads: all });
    for (const { status } of body.items) expect(status).toBe(201);
  }
};

const listed = async (organization: Organization, query: string, limit?: number) =>
  (await organization.readAll(`/leads?${query}`, limit)).map(({ contact_name }) => contact_name);

test('only leads that have a value are sorted by it, 0 is one, and pages go on through equal ones', async () => {
  const organization = await provision();
  const values = [
    ['none', null],
    ['zero', 0],
    ['most', Number.MAX_SAFE_INTEGER],
  ] as const;
  await createAll(
    organization,
    values.map(([contact_name, value_cents]) => ({ contact_name, value_cents })),
  );
  await createAll(organization, Array(4).fill({ contact_name: 'same', value_cents: 7 }));
  const ascending = ['zero', 'same', 'same', 'same', 'same', 'most'];
  const pipeline = `pipeline_id=${organization.pipelineId}`;
  for (const filter of [
    '',
    `&${pipeline}`,
    `&${pipeline}&stage=new`,
    '&created_from=2020-01-01T00:00:00Z',
  ]) {
    for (const limit of [1, 2, 200]) {
      expect(await listed(organization, `sort=value_cents${filter}`, limit)).toEqual(ascending);
      expect(await listed(organization, `sort=-value_cents${filter}`, limit)).toEqual(
        ascending.toReversed(),
      );
    }
  }
});

test('a range begins with its from, and ends before its to, however the list is read', async () => {
  const organization = await provision();
  const at = '2026-12-01T13:00:00.000Z';
  const sent = { value_cents: 1000, next_step_at: at, owner_id: organization.users.agent };
  const { id } = await organization.lead(sent);
  const won = await organization.patch(`/leads/${id}`, { stage: 'won' });
  const { body: lead } = await organization.patch(`/leads/${id}`, { contact_name: 'Eva' });
  expect(lead.stage_entered_at).toBe(won.body.updated_at);
  const ends: [string, string, string, string][] = [
    ['value', '1000', '999', '1001'],
    ...(['created', 'updated', 'stage_entered', 'next_step'] as const).map(
      (name): [string, string, string, string] => {
        const time = lead[`${name}_at`];
        const beside = (ms: number) => new Date(Date.parse(time) + ms).toISOString();
        return [name, time, beside(-1), beside(1)];
      },
    ),
  ];
  const owner = `owner_id=${sent.owner_id}`;
  const ways = ['', 'sort=updated_at', 'sort=-value_cents', `sort=next_step_at&${owner}`, owner];
  for (const way of ways) {
    for (const [name, exactly, less, more] of ends) {
      const counts = [];
      for (const range of [
        `${name}_from=${exactly}`,
        `${name}_from=${more}`,
        `${name}_to=${exactly}`,
        `${name}_to=${more}`,
        `${name}_from=${less}&${name}_to=${more}`,
      ]) {
        counts.push((await listed(organization, `${way}&${range}`)).length);
      }
      expect([way, name, counts]).toEqual([way, name, [1, 0, 0, 1, 1]]);
      for (const to of [exactly, less]) {
        const { body } = await organization.get(`/leads?${name}_from=${exactly}&${name}_to=${to}`);
        expect(body.error.details[0].path).toBe(`${name}_to`);
      }
    }
  }
});

test('a lead without a value or a next step is in no range of them', async () => {
  const organization = await provision();
  await organization.lead();
  expect(await listed(organization, 'value_from=0')).toEqual([]);
  expect(await listed(organization, 'next_step_to=9999-12-31T00:00:00Z')).toEqual([]);
  expect(await listed(organization, 'updated_from=2020-01-01T00:00:00Z')).toHaveLength(1);
});

test('me is the user who calls, in lists, pages and the search; an API key has to name one', async () => {
  const organization = await provision();
  const { agent, admin } = organization.users;
  await createAll(organization, [
    { contact_name: 'Eva', owner_id: agent },
    { contact_name: 'Rui', owner_id: agent },
    { contact_name: 'Ana', owner_id: admin },
    { contact_name: 'Lia' },
  ]);
  const first = await organization.get('/leads?owner_id=me&limit=1', { role: 'agent' });
  const next = `limit=5&cursor=${first.body.next_cursor}`;
  const second = await organization.get(`/leads?owner_id=me&${next}`, { role: 'agent' });
  const names = [...first.body.items, ...second.body.items].map(({ contact_name }) => contact_name);
  expect(names.sort()).toEqual(['Eva', 'Rui']);
  // The page after is of the list, whoever reads it.
  const same = await organization.get(`/leads?owner_id=${agent}&${next}`);
  expect(same.body).toEqual(second.body);
  const other = await organization.get(`/leads?owner_id=me&${next}`, { role: 'admin' });
  expect(other.body.error.code).toBe('invalid_cursor');
  const found = await organization.get('/leads/search?q=a&owner_id=me', { role: 'admin' });
  expect(
    found.body.items.map(({ contact_name }: { contact_name: string }) => contact_name),
  ).toEqual(['Ana']);

  const { body } = await organization.post('/keys', { name: 'Form', role: 'agent' });
  const headers = { ...organization.headers(), authorization: `Bearer ${body.key}` };
  for (const path of ['/leads?', '/leads/search?q=a&']) {
    const refused = await call('GET', `${path}owner_id=me`, { headers });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'owner_id' }] } },
    });
    const unknown = await call('GET', `${path}owner_id=ME`, { headers });
    expect(unknown.body.error.details).toEqual([
      { path: 'owner_id', message: 'must be the id of a user, a UUID, me or none' },
    ]);
    const { status } = await call('GET', `${path}owner_id=${agent.toUpperCase()}`, { headers });
    expect(status).toBe(200);
  }
});

const stagesOf = (count: number, outcome: string) =>
  Array.from({ length: count }, (_, i) => ({ name: `${outcome} ${i}`, outcome }));

test('the stages of an outcome are those that the pipelines have when a page is read', async () => {
  const stages = [...stagesOf(2, 'open'), ...stagesOf(1, 'won')];
  const organization = await provision({
    pipelines: [
      { name: 'A', stages },
      { name: 'B', stages },
    ],
  });
  const [a, b] = organization.pipelines.map(({ id }) => id);
  const leads = [
    await organization.lead({ pipeline_id: a, value_cents: 1 }),
    await organization.lead({ pipeline_id: b, value_cents: 2 }),
    await organization.lead({ pipeline_id: b, value_cents: 3 }),
  ];
  await organization.patch(`/leads/${leads[1].id}`, { stage: 'won 0' });
  const ids = async (query: string) =>
    (await organization.readAll(`/leads?${query}`, 1)).map(({ id }) => id);
  const wanted = [leads[2].id, leads[0].id];
  for (const query of [
    'outcome=open',
    'outcome=open&sort=-value_cents',
    'outcome=open&stage=open 0',
  ]) {
    expect(await ids(query)).toEqual(wanted);
  }
  expect(await ids('outcome=won')).toEqual([leads[1].id]);
  expect(await ids(`outcome=open&pipeline_id=${a}`)).toEqual([leads[0].id]);
  expect(await ids('outcome=won&stage=open 0')).toEqual([]);
  const search = await organization.get('/leads/search?q=maria&outcome=won');
  expect(search.body.items.map(({ id }: { id: string }) => id)).toEqual([leads[1].id]);

  const first = await organization.get('/leads?outcome=open&limit=1');
  const lost = stages.map((one) => (one.name === 'open 0' ? { ...one, outcome: 'lost' } : one));
  await organization.patch(`/pipelines/${a}`, { stages: lost });
  const { body } = await organization.get(
    `/leads?outcome=open&limit=5&cursor=${first.body.next_cursor}`,
  );
  expect([first.body.items[0].id, body.items]).toEqual([leads[2].id, []]);
  expect(await ids('outcome=lost')).toEqual([leads[0].id]);
});

test.each([20, 21])('an outcome of %i stages has the leads of all of them', async (count) => {
  const stages = [...stagesOf(count, 'open'), ...stagesOf(1, 'won')];
  const organization = await provision({ pipelines: [{ name: 'A', stages }] });
  const leads = [await organization.lead(), await organization.lead(), await organization.lead()];
  await organization.patch(`/leads/${leads[0].id}`, { stage: `open ${count - 1}` });
  await organization.patch(`/leads/${leads[1].id}`, { stage: 'won 0' });
  for (const filter of ['', `&pipeline_id=${organization.pipelineId}`]) {
    const found = await organization.readAll(`/leads?outcome=open${filter}`, 1);
    expect(found.map(({ id }) => id)).toEqual([leads[2].id, leads[0].id]);
  }
});

test('none lists what has not that; several stages are one list; and a list that can’t be is refused', async () => {
  const organization = await provision();
  const whole = {
    owner_id: organization.users.agent,
    email: 'ana@example.com',
    phone: '+5511987654321',
    next_step_at: '2026-12-01T13:00:00.000Z',
    value_cents: 1,
  };
  const names = Object.keys(whole) as (keyof typeof whole)[];
  for (const [i, without] of [undefined, ...names].entries()) {
    const contacts = { email: `${i}@example.com`, phone: `+551198765432${i}` };
    const fields = { ...whole, ...contacts, ...(without && { [without]: null }) };
    await organization.lead({ contact_name: without ?? 'whole', ...fields });
  }
  for (const name of names) {
    expect(await listed(organization, `${name}=none`)).toEqual([name]);
    expect(await listed(organization, `${name}=none&stage=won&stage=new`)).toEqual([name]);
    expect(await listed(organization, `${name}=none&stage=won`)).toEqual([]);
  }
  expect(await listed(organization, 'next_step_at=&value_cents=&sort=created_at')).toHaveLength(6);
  for (const [query, path] of [
    ['next_step_at=none&next_step_to=2027-01-01T00:00:00Z', 'next_step_at'],
    ['value_cents=none&value_from=1', 'value_cents'],
    ['value_cents=none&sort=-value_cents', 'sort'],
  ]) {
    const { status, body } = await organization.get(`/leads?${query}`);
    expect([status, body.error?.details[0].path]).toEqual([400, path]);
  }
  const { body } = await organization.get('/leads?next_step_at=2026-12-01T13:00:00.000Z');
  const message = 'must be none; what they have is for next_step_from and next_step_to';
  expect(body.error.details).toEqual([{ path: 'next_step_at', message }]);
});

describe('leads that share a tag, a contact and an owner', () => {
  const email = 'ana@example.com';
  const sequence = Array.from({ length: 200 }, (_, i) => (i * 7919) % 200);
  const names = sequence.map((_, i) => `${i}`);
  const ascending = names.toSorted((a, b) => sequence[+a]! - sequence[+b]!);
  let organization: Organization;
  let list: (query: string) => Promise<string[]>;

  beforeAll(async () => {
    organization = await provision({
      pipelines: [{ name: 'A', stages: stagesOf(1, 'open'), unique_contact: [] }],
    });
    list = (query) => listed(organization, query, 150);
    await createAll(
      organization,
      sequence.map((place, i) => ({
        contact_name: `${i}`,
        email,
        tags: ['most', 'all'],
        value_cents: place,
        next_step_at: new Date(Date.UTC(2026, 11, 1) + place * 60_000).toISOString(),
        owner_id: organization.users.agent,
      })),
    );
  });

  const expectSorted = async (all: readonly string[]) => {
    const contact = 'email=ANA@example.com';
    expect(await list('sort=next_step_at')).toEqual(ascending);
    expect(await list('sort=value_cents&tag=most')).toEqual(all);
    expect(await list('sort=-value_cents&tag=all')).toEqual(ascending.toReversed());
    expect(await list(`sort=value_cents&${contact}`)).toEqual(all);
    const oldestFirst = await list(`sort=created_at&${contact}`);
    expect(oldestFirst).toEqual((await listed(organization, contact)).toReversed());
  };

  test('200 are sorted: all of them are examined', async () => {
    await expectSorted(ascending);
    const ofOwner = `sort=next_step_at&owner_id=${organization.users.agent}`;
    expect(await list(ofOwner)).toEqual(ascending);
    expect(await list('sort=next_step_at&tag=none')).toEqual([]);
  });

  test('201 are sorted as well', async () => {
    const last = { contact_name: 'last', email: 'Ana@example.com', tags: ['most'] };
    await createAll(organization, [{ ...last, value_cents: 1000 }]);
    await expectSorted([...ascending, 'last']);
  });
});

test('a cursor of one order is none of another', async () => {
  const organization = await provision();
  await createAll(organization, Array(3).fill({ value_cents: 1 }));
  const { body } = await organization.get('/leads?sort=value_cents&limit=1');
  const next = (sort: string) => organization.get(`/leads?sort=${sort}&cursor=${body.next_cursor}`);
  expect((await next('value_cents')).body.items).toHaveLength(2);
  for (const sort of ['-value_cents', 'updated_at', '-created_at']) {
    expect((await next(sort)).body.error.code).toBe('invalid_cursor');
  }
});
