import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';

// Which leads are listed, in what order and in what pages, is tested with any leads and filters in any-sequence.test.ts
// and test/unit/leads/lists.

/** Creates so many leads with these fields, in one request. */
const createAll = async (organization: Organization, count: number, fields: object = {}) => {
  const lead = { contact_name: 'Maria Silva', pipeline_id: organization.pipelineId, ...fields };
  const leads = Array(count).fill(lead);
  expect((await organization.post('/leads/batch', { leads })).status).toBe(200);
};

const ids = (leads: { id: string }[]) => leads.map(({ id }) => id);

test('a page of leads has 50 unless told, and 200 at most', async () => {
  const organization = await provision();
  await createAll(organization, 51);
  for (const [limit, length] of [
    ['', 50],
    ['limit=1', 1],
    ['limit=200', 51],
  ] as const) {
    expect((await organization.get(`/leads?${limit}`)).body.items.length).toBe(length);
  }
});

test('a parameter of a list that is not as it must be is refused by its name, and one that just is, taken', async () => {
  const organization = await provision();
  const wrong: Record<string, string[]> = {
    limit: ['0', '201', '-1', '1.5', 'ten', '', '1e1', '%2B1'],
    pipeline_id: ['sales'],
    owner_id: ['mine'],
    outcome: ['opened', ''],
    sort: ['created', '-contact_name', ''],
    stage: ['s'.repeat(51), ''],
    tag: ['t'.repeat(51)],
    email: ['x'],
    created_from: ['yesterday', '2026-11-21', '2026-11-21T00:00:00', ''],
    updated_to: ['yesterday'],
    stage_entered_from: ['2026-11-21'],
    next_step_to: ['today'],
    value_from: ['-1', '1.5', '9007199254740992', ''],
    value_to: ['many'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { body } = await organization.get(`/leads?${name}=${value}`);
      const path = body.error?.details?.[0].path.replace('.0', '');
      expect([name, value, path]).toEqual([name, value, name]);
    }
  }
  const right = {
    pipeline_id: randomUUID(),
    owner_id: randomUUID(),
    stage: 's'.repeat(50),
    tag: 't'.repeat(50),
    created_from: '2026-11-21T00:00:00+02:00',
    updated_to: '2027-11-21T00:00:00Z',
    value_from: '0',
    value_to: '9007199254740991',
    outcome: 'open',
    sort: '-value_cents',
  };
  const { status, body } = await organization.get(`/leads?${new URLSearchParams(right)}`);
  expect([status, body]).toEqual([200, { items: [], next_cursor: null }]);
});

test('a phone is found with a plus as it is, and as its code', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ phone: '+5511987654321' });
  for (const list of ['/leads?', '/leads/search?q=maria&']) {
    for (const phone of ['+5511987654321', '%2B5511987654321']) {
      const { body } = await organization.get(`${list}phone=${phone}`);
      expect(body.items?.map((one: { id: string }) => one.id)).toEqual([id]);
    }
    for (const phone of ['5511987654321', '++5511987654321', '+', '%205511987654321x']) {
      const { body } = await organization.get(`${list}phone=${phone}`);
      expect(body.error?.details[0].path).toBe('phone');
    }
  }
});

test('an empty cursor is that of the first page', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const { body } = await organization.get('/leads?cursor=');
  expect(body).toMatchObject({ items: [{ id }], next_cursor: null });
  expect(outcome(await organization.get('/leads?cursor=x'))).toBe('invalid_cursor');
});

test('20 tags may be asked for at once, 21 not', async () => {
  const organization = await provision();
  const tags = Array.from({ length: 21 }, (_, i) => `${i}`);
  await organization.lead({ tags: tags.slice(0, 20) });
  const listed = (some: string[]) =>
    organization.get(`/leads?${some.map((tag) => `tag=${tag}`).join('&')}`);
  expect((await listed(tags.slice(0, 20))).body.items.length).toBe(1);
  expect((await listed(tags)).body.error.details).toMatchObject([{ path: 'tag' }]);
});

const refusal = (path: string, message: string) => ({
  status: 400,
  body: { error: { code: 'invalid_request', details: [{ path, message }] } },
});
const several = 'several are written as tag=a&tag=b';

test.each(['/leads?', '/leads/search?q=maria&'])(
  'a tag that looks like a list hears how a list is written, unless a lead has such a tag: %s',
  async (list) => {
    const organization = await provision();
    const one = randomUUID();
    const asked = (query: string) => organization.get(`${list}${query}`);
    const unknown = refusal('tag', `no lead has such a tag; ${several}`);
    for (const sign of [',', '%2C', '%3B', '%7C']) {
      expect(await asked(`tag=${one}${sign}b`)).toMatchObject(unknown);
    }
    const { id } = await organization.lead({ tags: [`${one},b`] });
    const found = await asked(`tag=${one},b`);
    expect([found.status, ids(found.body.items)]).toEqual([200, [id]]);
    const none = await asked(`tag=${one},b&stage=won`);
    expect([none.status, none.body.items]).toEqual([200, []]);
    expect(await asked(`tag=${one},b&tag=${one},c`)).toMatchObject(unknown);
    const plain = await asked(`tag=${one}`);
    expect([plain.status, plain.body.items]).toEqual([200, []]);
    await organization.delete(`/leads/${id}`);
    expect(await asked(`tag=${one},b`)).toMatchObject(unknown);
    expect(await asked(`tag=${'x,'.repeat(30)}`)).toMatchObject(
      refusal('tag.0', `must have at most 50 characters; ${several}`),
    );
  },
);

test('a tag in brackets hears how a list is written', async () => {
  const organization = await provision();
  for (const name of ['tag[]', 'tag[0]', 'tag%5B%5D', 'tag[a][b]', 'tag.0']) {
    const path = decodeURIComponent(name);
    const message = 'must be written as tag=a&tag=b';
    expect(await organization.get(`/leads?${name}=a`)).toMatchObject(refusal(path, message));
  }
  const lead = await organization.lead({ tags: ['a', 'b'] });
  const { body } = await organization.get('/leads?tag=a&tag=b');
  expect(body.items).toEqual([lead]);
});

const withThreeLeads = async () => {
  const organization = await provision();
  await createAll(organization, 3, { tags: ['hot', 'new'] });
  return organization;
};

test('a cursor goes on with another limit, in its own list only', async () => {
  const organization = await withThreeLeads();
  const first = await organization.get('/leads?limit=1&tag=hot&tag=new');
  const cursor = `cursor=${first.body.next_cursor}`;
  const next = await organization.get(`/leads?limit=2&tag=new&tag=hot&${cursor}`);
  expect(next.body.items.length).toBe(2);
  const other = await provision();
  for (const refused of [
    await organization.get(`/leads?tag=hot&${cursor}`),
    await organization.get(`/leads?${cursor}`),
    await other.get(`/leads?tag=hot&tag=new&${cursor}`),
  ]) {
    expect(refused.body.error?.code).toBe('invalid_cursor');
  }
});

/** Of three leads, what a cursor of the first gets whose bytes are changed. */
const edited = async (query: string, change: (bytes: Buffer) => void) => {
  const organization = await withThreeLeads();
  const { body } = await organization.get(`/leads?limit=1&${query}`);
  const bytes = Buffer.from(body.next_cursor, 'base64url');
  change(bytes);
  return organization.get(`/leads?${query}&cursor=${bytes.toString('base64url')}`);
};

test('a cursor of a lead that is nowhere goes on where it would be', async () => {
  const { body } = await edited('', (bytes) =>
    bytes.write(bytes.at(-1) === 48 ? '1' : '0', bytes.length - 1),
  );
  expect(body.items.length).toBeGreaterThan(1);
});

test('a cursor is of the range of time that is asked for', async () => {
  const from = 'created_from=2026-01-01T00:00:00Z';
  expect((await edited(from, () => {})).status).toBe(200);
  const { body } = await edited(from, (bytes) => bytes.write('00', 8));
  expect(body.error.code).toBe('invalid_cursor');
});

const withOneLead = async () => {
  const organization = await provision();
  const { created_at } = await organization.lead();
  const listed = async (query: string) =>
    (await organization.get(`/leads?${query}`)).body.items.length;
  return { organization, created_at, listed };
};

test('created_from and created_to mean what they say below a millisecond too', async () => {
  const { created_at, listed } = await withOneLead();
  const within = created_at.replace('Z', '0001Z');
  const exactly = created_at.replace('Z', '000000Z');
  expect(await listed(`created_from=${exactly}`)).toBe(1);
  expect(await listed(`created_from=${within}`)).toBe(0);
  expect(await listed(`created_to=${exactly}`)).toBe(0);
  expect(await listed(`created_to=${within}`)).toBe(1);
});

test('created_from and created_to may be before all times that an id can have, and need a time between them', async () => {
  const { organization, listed } = await withOneLead();
  const [earlier, later] = ['1950-01-01T00:00:00Z', '1960-01-01T00:00:00Z'];
  expect(await listed(`created_from=${earlier}`)).toBe(1);
  expect(await listed(`created_to=${later}`)).toBe(0);
  expect(await listed(`created_from=${earlier}&created_to=${later}`)).toBe(0);
  for (const to of [earlier, later]) {
    const { body } = await organization.get(`/leads?created_from=${later}&created_to=${to}`);
    expect(body.error.details[0].path).toBe('created_to');
  }
});

const stages = ['new', 'won'].map((name) => ({ name, outcome: 'open' }));
const pipelines = [
  { name: 'A', stages, unique_contact: ['email'] },
  { name: 'B', stages, unique_contact: [] },
];

const listed = async (organization: Organization, query: Record<string, string>, limit?: number) =>
  ids(await organization.readAll(`/leads?${new URLSearchParams(query)}`, limit));

test('leads are found by contacts in all pipelines, in any case of letters, newest first', async () => {
  const organization = await provision({ pipelines });
  const b = organization.pipelines[1]!.id;
  const contact = { email: 'Maria@example.com', phone: '+5511987654321' };
  const leads = [
    await organization.lead({ ...contact, pipeline_id: b }),
    await organization.lead(contact),
    await organization.lead({ ...contact, pipeline_id: b }),
    // More of one pipeline than a page of one reads.
    await organization.lead({ ...contact, pipeline_id: b }),
  ];
  await organization.lead({ email: 'maria@example.org' });
  const newestFirst = ids(leads).reverse();
  for (const query of [{ email: 'MARIA@EXAMPLE.COM' }, { phone: contact.phone }, contact]) {
    expect(await listed(organization, query)).toEqual(newestFirst);
  }
  // In pages, too, wherever the one of the unique pipeline is.
  for (const limit of [1, 2, 3]) {
    expect(await listed(organization, contact, limit)).toEqual(newestFirst);
  }
  const parameters = new URLSearchParams({ ...contact, limit: '4' });
  const { items, next_cursor } = (await organization.get(`/leads?${parameters}`)).body;
  expect([ids(items), next_cursor]).toEqual([newestFirst, null]);
});

test('leads are found by an email and the other filters', async () => {
  const organization = await provision({ pipelines });
  const [a, b] = organization.pipelines.map(({ id }) => id) as [string, string];
  const email = 'm@example.com';
  const owner_id = organization.users.agent;
  const one = await organization.lead({ email, tags: ['x'], owner_id, external_id: 'one' });
  const two = await organization.lead({ email, pipeline_id: b, tags: ['x', 'y'] });
  await organization.patch(`/leads/${two.id}`, { stage: 'won' });
  const expected: [Record<string, string>, string[]][] = [
    [{ pipeline_id: a }, [one.id]],
    [{ stage: 'won' }, [two.id]],
    [{ owner_id }, [one.id]],
    [{ tag: 'x' }, [two.id, one.id]],
    [{ tag: 'y' }, [two.id]],
    [{ external_id: 'one' }, [one.id]],
    [{ external_id: 'none' }, []],
    [{ created_from: one.created_at }, [two.id, one.id]],
    [{ created_to: one.created_at }, []],
  ];
  for (const [filter, found] of expected) {
    // A page can be short, but none is left out.
    const actual = await listed(organization, { email, ...filter }, 1);
    expect([filter, actual]).toEqual([filter, found]);
  }
});

test('a lead is found by its external id, which is exact and one lead’s', async () => {
  const organization = await provision();
  const external_id = ' Ação #1/2 ';
  const { id } = await organization.lead({ external_id });
  expect(await listed(organization, { external_id })).toEqual([id]);
  for (const other of ['Ação #1/2', ' ação #1/2 ', external_id.normalize('NFD')]) {
    expect(await listed(organization, { external_id: other })).toEqual([]);
  }
  const lead = { contact_name: 'Rui', pipeline_id: organization.pipelineId, external_id };
  const { status, body } = await organization.post('/leads', lead);
  expect(status).toBe(409);
  expect(body.error.details).toMatchObject([{ path: 'external_id', lead_id: id }]);
});
