import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

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

/** Creates leads with these fields, in one request. */
const createAll = async (organization: Organization, all: object[]): Promise<Lead[]> => {
  const { pipelineId: pipeline_id } = organization;
  const leads = all.map((fields) => ({ contact_name: 'Maria Silva', pipeline_id, ...fields }));
  const { body } = await organization.post('/leads/batch', { leads });
  return body.items.map(({ lead }: { lead: Lead }) => lead);
};

const newestFirst = (leads: readonly Lead[]) => leads.toSorted((a, b) => (a.id < b.id ? 1 : -1));

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
    const owners = [organization.users.agent, organization.users.admin, null];
    const all = organization.pipelines.flatMap(({ id: pipeline_id }) =>
      owners.flatMap((owner_id) =>
        [[], ['hot'], ['hot', 'é 2']].map((tags) => ({ pipeline_id, owner_id, tags })),
      ),
    );
    leads = newestFirst(await createAll(organization, all));
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

  // In `npm test`, some by chance: test/unit/leads/lists/index-ranges.test.ts has which list each reads.
  test.each(
    some(combinations, 8, 'filters').map(
      (combination) => [combination.map(([name]) => name).join(' '), combination] as const,
    ),
  )('list just what has all of: %s', async (_name, combination) => {
    const query = new URLSearchParams(
      combination.map(([name, value]): [string, string] => [name, value()]),
    );
    const expected = model(query);
    expect(expected.length).toBeGreaterThan(0);
    const pages = await readAll(organization, query.toString(), 5);
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
});

test('a page has 50 leads unless told, and 200 at most', async () => {
  const organization = await provision();
  await createAll(organization, Array(51).fill({}));
  for (const [limit, length] of [
    ['', 50],
    ['limit=1', 1],
    ['limit=200', 51],
  ] as const) {
    expect((await organization.get(`/leads?${limit}`)).body.items.length).toBe(length);
  }
});

test('a parameter that is not as it must be is refused by its name, and one that just is, taken', async () => {
  const organization = await provision();
  const wrong: Record<string, string[]> = {
    limit: ['0', '201', '-1', '1.5', 'ten', '', '1e1', '%2B1'],
    pipeline_id: ['sales'],
    owner_id: ['me'],
    stage: ['s'.repeat(51), ''],
    tag: ['t'.repeat(51)],
    created_from: ['yesterday', '2026-11-21', '2026-11-21T00:00:00', ''],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { body } = await organization.get(`/leads?${name}=${value}`);
      expect([name, value, body.error?.details?.[0].path.replace('.0', '')]).toEqual([
        name,
        value,
        name,
      ]);
    }
  }
  const right = {
    pipeline_id: randomUUID(),
    owner_id: randomUUID(),
    stage: 's'.repeat(50),
    tag: 't'.repeat(50),
    created_from: '2026-11-21T00:00:00+02:00',
  };
  const { status } = await organization.get(`/leads?${new URLSearchParams(right)}`);
  expect(status).toBe(200);
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
});

// Which leads of which list they leave out is tested in list-leads-uneven.test.ts.
describe('created_from and created_to', () => {
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
