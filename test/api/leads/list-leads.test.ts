import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { type Organization, provision } from '../../support/organization.ts';

const readAll = async (organization: Organization, query: string, limit = 3) => {
  const pages: Lead[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await organization.get(
      `/leads?limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`,
    );
    pages.push(body.items);
    cursor = body.next_cursor;
  }
  return pages;
};

describe('filters', () => {
  let organization: Organization;
  let leads: Lead[];

  // Two pipelines that share a stage name; owners, tags and none of either, in every combination.
  beforeAll(async () => {
    const stages = [{ name: 'new', outcome: 'open' }];
    organization = await provision({
      pipelines: [
        { name: 'A', stages },
        { name: 'B', stages },
        { name: 'C', stages: [{ name: 'other', outcome: 'open' }] },
      ],
    });
    leads = [];
    for (const { id: pipeline_id } of organization.pipelines) {
      for (const owner_id of [organization.users.agent, organization.users.admin, null]) {
        for (const tags of [[], ['hot'], ['hot', 'é 2']]) {
          leads.push(await organization.lead({ pipeline_id, owner_id, tags }));
        }
      }
    }
    leads.reverse();
  });

  const model = (query: URLSearchParams) =>
    leads.filter(
      (lead) =>
        (!query.has('pipeline_id') || lead.pipeline_id === query.get('pipeline_id')) &&
        (!query.has('stage') || lead.stage === query.get('stage')) &&
        (!query.has('owner_id') || lead.owner_id === query.get('owner_id')) &&
        query.getAll('tag').every((tag) => lead.tags.includes(tag)),
    );

  const parameters: [string, () => string][] = [
    ['pipeline_id', () => organization.pipelines[1]!.id],
    ['stage', () => 'new'],
    ['owner_id', () => organization.users.agent],
    ['tag', () => 'hot'],
    ['tag', () => 'é 2'],
  ];
  const combinations = Array.from({ length: 2 ** parameters.length }, (_, bits) =>
    parameters.filter((_parameter, i) => bits & (1 << i)),
  );

  test.each(
    combinations.map(
      (combination) => [combination.map(([name]) => name).join(' '), combination] as const,
    ),
  )('list just what has all of: %s', async (_name, combination) => {
    const query = new URLSearchParams(
      combination.map(([name, value]): [string, string] => [name, value()]),
    );
    const expected = model(query);
    expect(expected.length).toBeGreaterThan(0);
    const pages = await readAll(organization, query.toString());
    expect(pages.flat()).toEqual(expected);
  });

  test('what nothing has gives an empty list', async () => {
    for (const query of [
      `pipeline_id=${randomUUID()}`,
      'stage=nowhere',
      `owner_id=${randomUUID()}`,
      'tag=cold',
      `stage=other&pipeline_id=${organization.pipelines[0]!.id}`,
    ]) {
      expect((await organization.get(`/leads?${query}`)).body).toEqual({
        items: [],
        next_cursor: null,
      });
    }
  });

  test('the last page of a list that fills its pages exactly has no cursor', async () => {
    const pages = await readAll(organization, 'tag=hot', 9);
    expect(pages.map(({ length }) => length)).toEqual([9, 9]);
  });

  test('a lead of another organization is in no list', async () => {
    const other = await provision();
    await other.lead({ tags: ['hot'], owner_id: other.users.agent });
    const borrowed = `pipeline_id=${other.pipelineId}&owner_id=${other.users.agent}`;
    for (const query of ['', 'tag=hot', borrowed, `pipeline_id=${other.pipelineId}`]) {
      const ids = (await readAll(organization, query, 200)).flat().map(({ id }) => id);
      expect(ids.filter((id) => !leads.some((lead) => lead.id === id))).toEqual([]);
    }
  });
});

describe('limit', () => {
  test('is 50 unless told, and 200 at most', async () => {
    const organization = await provision();
    await Promise.all(Array.from({ length: 51 }, () => organization.lead()));
    expect((await organization.get('/leads')).body.items.length).toBe(50);
    expect((await organization.get('/leads?limit=1')).body.items.length).toBe(1);
    expect((await organization.get('/leads?limit=200')).body.items.length).toBe(51);
  });

  test.each(['0', '201', '-1', '1.5', 'ten', '', '1e1', '+1'])('%j is refused', async (limit) => {
    const organization = await provision();
    const { body } = await organization.get(`/leads?limit=${encodeURIComponent(limit)}`);
    expect(body.error.details).toMatchObject([{ path: 'limit' }]);
  });
});

test.each(['limit=1&limit=2', 'stage=a&stage=b', 'cursor=a&cursor=b'])(
  'a parameter that is not repeatable is refused twice: %s',
  async (query) => {
    const organization = await provision();
    const { body } = await organization.get(`/leads?${query}`);
    expect(body.error.details).toMatchObject([{ path: query.split('=')[0] }]);
  },
);

test.each([
  ['pipeline_id', 'sales', 'a'],
  ['owner_id', 'me', 'a'],
  ['stage', 's'.repeat(51), 's'.repeat(50)],
  ['stage', '', 's'],
  ['tag', 't'.repeat(51), 't'.repeat(50)],
])('%s refuses %j', async (name, bad, good) => {
  const organization = await provision();
  const { body } = await organization.get(`/leads?${name}=${bad}`);
  expect(body.error.details[0].path).toMatch(new RegExp(`^${name}(\\.0)?$`));
  const control = name.endsWith('_id') ? randomUUID() : good;
  expect((await organization.get(`/leads?${name}=${control}`)).status).toBe(200);
});

test('20 tags may be asked for at once, 21 not', async () => {
  const organization = await provision();
  const tags = Array.from({ length: 21 }, (_, i) => `tag=${i}`);
  await organization.lead({ tags: tags.slice(0, 20).map((tag) => tag.slice(4)) });
  const good = await organization.get(`/leads?${tags.slice(0, 20).join('&')}`);
  expect(good.body.items.length).toBe(1);
  const bad = await organization.get(`/leads?${tags.join('&')}`);
  expect(bad.body.error.details).toMatchObject([{ path: 'tag' }]);
});

describe('a cursor', () => {
  let organization: Organization;
  let cursor: string;

  beforeAll(async () => {
    organization = await provision();
    for (let i = 0; i < 3; i++) await organization.lead({ tags: ['hot', 'new'] });
    cursor = (await organization.get('/leads?limit=1')).body.next_cursor;
  });

  const refused = async (query: string, who = organization) =>
    expect((await who.get(`/leads?${query}`)).body.error?.code).toBe('invalid_cursor');

  test('goes on with another limit', async () => {
    const { body } = await organization.get(`/leads?limit=2&cursor=${cursor}`);
    expect([body.items.length, body.next_cursor]).toEqual([2, null]);
  });

  test('belongs to its filters, in any order', async () => {
    const first = await organization.get('/leads?limit=1&tag=hot&tag=new');
    const next = first.body.next_cursor;
    expect(
      (await organization.get(`/leads?tag=new&tag=hot&cursor=${next}`)).body.items.length,
    ).toBe(2);
    await refused(`tag=hot&cursor=${next}`);
    await refused(`cursor=${next}`);
    await refused(`stage=new&cursor=${cursor}`);
  });

  test('belongs to its organization', async () => {
    await refused(`cursor=${cursor}`, await provision());
  });

  test('of a lead that is nowhere goes on where it would be', async () => {
    const bytes = Buffer.from(cursor, 'base64url');
    bytes.write(bytes.at(-1) === 48 ? '1' : '0', bytes.length - 1);
    const edited = bytes.toString('base64url');
    expect((await organization.get(`/leads?cursor=${edited}`)).body.items.length).toBeGreaterThan(
      1,
    );
  });

  test('that is anything else is refused', async () => {
    await refused('cursor=');
    await refused('cursor=abc');
    await refused(`cursor=${cursor}A`);
    await refused(`cursor=${cursor.slice(0, -4)}`);
    await refused(`cursor=${encodeURIComponent(`${cursor}=`)}`);
    await refused(`cursor=${Buffer.alloc(44).toString('base64url')}`);
  });
});

describe('created_from and created_to', () => {
  test('list what was created from the one moment on and before the other', async () => {
    const organization = await provision();
    const leads: Lead[] = [];
    for (let i = 0; i < 4; i++) leads.push(await organization.lead({ tags: ['t'] }));
    const [, second, , fourth] = leads.map(({ created_at }) => created_at);
    const expected = leads
      .filter(({ created_at }) => created_at >= second! && created_at < fourth!)
      .map(({ id }) => id)
      .reverse();
    for (const filter of ['', 'stage=new&', 'tag=t&', `pipeline_id=${organization.pipelineId}&`]) {
      const query = `${filter}created_from=${second}&created_to=${fourth}`;
      const pages = await readAll(organization, query, 1);
      expect(pages.flat().map(({ id }) => id)).toEqual(expected);
      expect(
        (await organization.get(`/leads?${filter}created_from=${fourth}`)).body.items[0].id,
      ).toBe(leads[3]?.id);
      const before = await organization.get(`/leads?${filter}created_to=${leads[0]?.created_at}`);
      expect(before.body.items).toEqual([]);
    }
  });

  test('mean what they say below a millisecond too', async () => {
    const organization = await provision();
    const { created_at } = await organization.lead();
    const listed = async (query: string) =>
      (await organization.get(`/leads?${query}`)).body.items.length;
    const within = created_at.replace('Z', '0001Z');
    const exactly = created_at.replace('Z', '000000Z');
    expect(await listed(`created_from=${exactly}`)).toBe(1);
    expect(await listed(`created_from=${within}`)).toBe(0);
    expect(await listed(`created_to=${exactly}`)).toBe(0);
    expect(await listed(`created_to=${within}`)).toBe(1);
  });

  test.each(['yesterday', '2026-11-21', '2026-11-21T00:00:00', ''])('refuse %j', async (value) => {
    const organization = await provision();
    const { body } = await organization.get(`/leads?created_from=${value}`);
    expect(body.error.details).toMatchObject([{ path: 'created_from' }]);
    const offset = encodeURIComponent('2026-11-21T00:00:00+02:00');
    expect((await organization.get(`/leads?created_from=${offset}`)).status).toBe(200);
  });

  test('may be before all times that an id can have', async () => {
    const organization = await provision();
    await organization.lead();
    const listed = async (query: string) =>
      (await organization.get(`/leads?${query}`)).body.items.length;
    const [earlier, later] = ['1950-01-01T00:00:00Z', '1960-01-01T00:00:00Z'];
    expect(await listed(`created_from=${earlier}`)).toBe(1);
    expect(await listed(`created_to=${later}`)).toBe(0);
    expect(await listed(`created_from=${earlier}&created_to=${later}`)).toBe(0);
    const swapped = await organization.get(`/leads?created_from=${later}&created_to=${earlier}`);
    expect(swapped.body.error.details[0].path).toBe('created_to');
  });

  test('refuse a range that is none, and a cursor that is not in it', async () => {
    const organization = await provision();
    for (let i = 0; i < 3; i++) await organization.lead();
    const range = 'created_from=2026-01-01T00:00:00Z&created_to=2026-01-01T00:00:00Z';
    expect((await organization.get(`/leads?${range}`)).body.error.details[0].path).toBe(
      'created_to',
    );
    const from = 'limit=1&created_from=2026-01-01T00:00:00Z';
    const { body } = await organization.get(`/leads?${from}`);
    expect((await organization.get(`/leads?${from}&cursor=${body.next_cursor}`)).status).toBe(200);
    const bytes = Buffer.from(body.next_cursor, 'base64url');
    bytes.write('00', 8);
    const edited = await organization.get(`/leads?${from}&cursor=${bytes.toString('base64url')}`);
    expect(edited.body.error.code).toBe('invalid_cursor');
  });
});
