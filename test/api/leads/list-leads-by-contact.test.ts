import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const stages = [
  { name: 'new', outcome: 'open' },
  { name: 'won', outcome: 'won' },
];
const pipelines = [
  { name: 'A', stages, unique_contact: ['email'] },
  { name: 'B', stages, unique_contact: [] },
];

const ids = (leads: { id: string }[]) => leads.map(({ id }) => id);

const listed = async (organization: Organization, query: Record<string, string>, limit?: number) =>
  ids(await organization.readAll(`/leads?${new URLSearchParams(query)}`, limit));

test('leads are found by their contacts in all pipelines, in any case of letters, newest first', async () => {
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
  expect(await listed(organization, { email: 'someone@example.com' })).toEqual([]);
});

test('the other filters hold too', async () => {
  const organization = await provision({ pipelines });
  const [a, b] = organization.pipelines.map(({ id }) => id) as [string, string];
  const email = 'm@example.com';
  const owner_id = organization.users.agent;
  const one = await organization.lead({ email, tags: ['x'], owner_id, external_id: 'one' });
  const two = await organization.lead({ email, pipeline_id: b, tags: ['x', 'y'] });
  await organization.patch(`/leads/${two.id}`, { stage: 'won' });
  const expected: [Record<string, string>, string[]][] = [
    [{ pipeline_id: a }, [one.id]],
    [{ pipeline_id: b }, [two.id]],
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
    expect([filter, await listed(organization, { email, ...filter }, 1)]).toEqual([filter, found]);
  }
});

test('an external id is exact, is one lead’s, and is free once that has another or is deleted', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ external_id: ' Ação #1/2 ' });
  expect(await listed(organization, { external_id: ' Ação #1/2 ' })).toEqual([id]);
  for (const other of ['Ação #1/2', ' ação #1/2 ', ' Ação #1/2 '.normalize('NFD')]) {
    expect(await listed(organization, { external_id: other })).toEqual([]);
  }
  const body = { contact_name: 'Rui', pipeline_id: organization.pipelineId };
  const taken = await organization.post('/leads', { ...body, external_id: ' Ação #1/2 ' });
  expect([taken.status, taken.body.error.details]).toMatchObject([
    409,
    [{ path: 'external_id', lead_id: id }],
  ]);
  await organization.patch(`/leads/${id}`, { external_id: 'b' });
  expect(await listed(organization, { external_id: ' Ação #1/2 ' })).toEqual([]);
  const second = await organization.lead({ external_id: ' Ação #1/2 ' });
  await organization.delete(`/leads/${second.id}`);
  expect(await listed(organization, { external_id: ' Ação #1/2 ' })).toEqual([]);
  await organization.patch(`/leads/${id}`, { external_id: null });
  await organization.lead({ external_id: 'b' });
  await expectFindable(organization);
});

test('what is no email and no phone is refused as a filter', async () => {
  const organization = await provision();
  for (const field of ['email', 'phone']) {
    const { body } = await organization.get(`/leads?${field}=x`);
    expect(body.error.details).toMatchObject([{ path: field }]);
  }
});

test('whoever sends a phone with a plus as it is hears how an address has it', async () => {
  const organization = await provision();
  for (const list of ['/leads?', '/leads/search?q=maria&']) {
    const { body } = await organization.get(`${list}phone=+5511987654321`);
    expect(body.error.details).toMatchObject([
      { path: 'phone', message: expect.stringContaining('%2B5511987654321') },
    ]);
    expect((await organization.get(`${list}phone=%2B5511987654321`)).status).toBe(200);
  }
});
