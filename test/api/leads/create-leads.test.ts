import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

// What comes between the leads of a batch is tested in test/unit/leads/batches/batch.test.ts.

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria',
  pipeline_id: organization.pipelineId,
  ...fields,
});

const send = (organization: Organization, body: object, key: string = randomUUID()) =>
  organization.post('/leads/batch', body, { headers: { 'idempotency-key': key } });

interface Item {
  status: number;
  outcome?: string;
  error?: { code: string };
}
const outcomes = ({ body }: { body: { items: Item[] } }) =>
  body.items.map(({ status, outcome, error }) => error?.code ?? outcome ?? status);

const duplicate = 'duplicate_lead';
const invalid = 'invalid_request';

test('each lead of a batch has an outcome of its own, in the order of the request', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await organization.lead({ email: 'taken@example.com' });
  const leads = [
    lead(organization, { email: 'a@example.com', tags: ['batch'] }),
    lead(organization, { email: 'taken@example.com' }),
    lead(organization, { email: 'A@EXAMPLE.com' }),
    { contact_name: 5 },
    lead(other),
    lead(organization, { owner_id: randomUUID() }),
    lead(organization, { owner_id: organization.users.agent }),
    null,
  ];
  const answer = await send(organization, { leads });
  expect(answer.status).toBe(200);
  const refused = [duplicate, duplicate, invalid, invalid, invalid];
  expect(outcomes(answer)).toEqual([201, ...refused, 201, invalid]);
  const { items } = answer.body;
  expect(items[2].error.details[0].lead_id).toBe(items[0].lead.id);
  expect(items[3].error.details).toMatchObject([{ path: 'contact_name' }, { path: 'pipeline_id' }]);
  const all = await organization.readAll('/leads');
  expect(all).toEqual(expect.arrayContaining([items[0].lead, items[6].lead]));
  expect(all).toHaveLength(3);
});

test('100 leads are taken at once, 101 and none are not; a repeat makes nothing', async () => {
  const organization = await provision();
  const all = Array.from({ length: 101 }, (_, i) => lead(organization, { value_cents: i }));
  const [key, leads] = [randomUUID(), all.slice(0, 100)];
  const first = await send(organization, { leads }, key);
  expect(new Set(outcomes(first))).toEqual(new Set([201]));
  await organization.delete(`/leads/${first.body.items[0].lead.id}`);
  const repeat = await send(organization, { leads }, key);
  expect([repeat.text, repeat.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  expect(await organization.readAll('/leads')).toHaveLength(99);
  for (const leads of [all, []]) {
    const { error } = (await send(organization, { leads })).body;
    expect(error.details).toMatchObject([{ path: 'leads' }]);
  }
});

test('with match, each lead of a batch is an upsert, and those of one lead are in the order of the request', async () => {
  const organization = await provision();
  const there = await organization.lead({ external_id: 'there', email: 'there@example.com' });
  const leads = [
    lead(organization, { external_id: 'there', value_cents: 1 }),
    lead(organization, { external_id: 'new', value_cents: 1 }),
    { external_id: 'new', value_cents: 2, company_name: 'Cedro' },
    lead(organization, { external_id: 'new', value_cents: 2 }),
    lead(organization, { external_id: 'third', email: 'there@example.com' }),
    { external_id: 'fourth' },
    lead(organization, {}),
    lead(organization, { external_id: 5 }),
  ];
  const answer = await send(organization, { match: 'external_id', leads });
  const done = ['updated', 'created', 'updated', 'unchanged'];
  expect(outcomes(answer)).toEqual([...done, duplicate, invalid, invalid, invalid]);
  const { items } = answer.body;
  expect(items.map(({ status }: Item) => status).slice(0, 4)).toEqual([200, 201, 200, 200]);
  expect(items[3].lead).toMatchObject({ value_cents: 2, company_name: 'Cedro' });
  expect(items[4].error.details).toMatchObject([{ path: 'email', lead_id: there.id }]);
  expect(await organization.readAll('/leads')).toEqual([items[3].lead, items[0].lead]);
});

test('move goes with match, and moves the leads that are found', async () => {
  const organization = await provision();
  const stages = [{ name: 'first', outcome: 'open' }];
  const { body: other } = await organization.post('/pipelines', { name: 'Partners', stages });
  await organization.lead({ external_id: 'x' });
  const leads = [{ external_id: 'x', pipeline_id: other.id }];
  const match = 'external_id';
  expect(outcomes(await send(organization, { leads, match, move: false }))).toEqual(['unchanged']);
  const { body } = await send(organization, { leads, match, move: true });
  expect(body.items).toMatchObject([
    { outcome: 'updated', lead: { pipeline_id: other.id, stage: 'first' } },
  ]);
  const { error } = (await send(organization, { leads, move: true })).body;
  expect(error.details).toMatchObject([{ path: 'move' }]);
});

test('a dry run says what would become of each new lead, as if there were no others, and stores none', async () => {
  const organization = await provision();
  const there = await organization.lead({ email: 'taken@example.com', external_id: 'there' });
  const leads = [
    lead(organization, { email: 'new@example.com', external_id: 'new' }),
    lead(organization, { email: 'TAKEN@example.com' }),
    lead(organization, { external_id: 'there' }),
    lead(organization, { email: 'new@example.com' }),
    { contact_name: 5 },
  ];
  const key = randomUUID();
  const answer = await send(organization, { dry_run: true, leads }, key);
  const expected = [201, duplicate, duplicate, 201, invalid];
  expect(outcomes(answer)).toEqual(expected);
  const { items } = answer.body;
  expect(items[1].error.details).toMatchObject([{ path: 'email', lead_id: there.id }]);
  expect(items[2].error.details).toMatchObject([{ path: 'external_id', lead_id: there.id }]);
  expect(items[0].lead).toMatchObject({ email: 'new@example.com', stage: 'new' });
  expect(await organization.readAll('/leads')).toEqual([there]);

  // The key is of the dry run from now on, whose repeat looks anew.
  const repeat = await send(organization, { dry_run: true, leads }, key);
  expect(outcomes(repeat)).toEqual(expected);
  expect(repeat.headers.get('idempotency-replayed')).toBeNull();
  const reused = await send(organization, { leads }, key);
  expect(reused.body.error.code).toBe('idempotency_key_reused');
  const real = await send(organization, { leads });
  expect(outcomes(real)).toEqual([201, duplicate, duplicate, duplicate, invalid]);
});

test('a dry run says what would become of each upsert, and changes nothing', async () => {
  const organization = await provision();
  const there = await organization.lead({ external_id: 'there' });
  const taken = await organization.lead({ email: 'taken@example.com' });
  const leads = [
    lead(organization, { external_id: 'there', contact_name: 'Rui' }),
    lead(organization, { external_id: 'there', contact_name: there.contact_name }),
    lead(organization, { external_id: 'new' }),
    lead(organization, { external_id: 'there', email: 'taken@example.com' }),
  ];
  const dry = await send(organization, { match: 'external_id', dry_run: true, leads });
  expect(outcomes(dry)).toEqual(['updated', 'unchanged', 'created', duplicate]);
  const { items } = dry.body;
  expect(items[0].lead).toMatchObject({ id: there.id, contact_name: 'Rui' });
  expect(items[3].error.details).toMatchObject([{ path: 'email', lead_id: taken.id }]);
  expect(await organization.readAll('/leads')).toEqual([taken, there]);
});
