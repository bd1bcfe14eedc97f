import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria',
  pipeline_id: organization.pipelineId,
  ...fields,
});

const send = (organization: Organization, leads: unknown[], key?: string) =>
  organization.post(
    '/leads/batch',
    { leads },
    key ? { headers: { 'idempotency-key': key } } : undefined,
  );

const outcomes = ({ body }: { body: { items: { status: number; error?: { code: string } }[] } }) =>
  body.items.map(({ status, error }) => error?.code ?? status);

test('each lead has an outcome of its own, in the order of the request', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await organization.lead({ email: 'taken@example.com' });
  const answer = await send(organization, [
    lead(organization, { email: 'a@example.com', tags: ['batch'] }),
    lead(organization, { email: 'taken@example.com' }),
    lead(organization, { email: 'A@EXAMPLE.com' }),
    { contact_name: 5 },
    lead(other),
    lead(organization, { owner_id: randomUUID() }),
    lead(organization, { owner_id: organization.users.agent }),
    null,
  ]);
  expect(answer.status).toBe(200);
  expect(outcomes(answer)).toEqual([
    201,
    'duplicate_lead',
    'duplicate_lead',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    201,
    'invalid_request',
  ]);
  const [first, , second, invalid] = answer.body.items;
  expect(second.error.details[0].lead_id).toBe(first.lead.id);
  expect(invalid.error.details.map(({ path }: { path: string }) => path)).toEqual([
    'contact_name',
    'pipeline_id',
  ]);
  const created = answer.body.items.flatMap((item: { lead?: object }) => item.lead ?? []);
  expect(await organization.readAll('/leads')).toEqual(expect.arrayContaining(created));
  expect(await organization.readAll('/leads')).toHaveLength(3);
});

test('100 leads are taken at once, 101 and none are not', async () => {
  const organization = await provision();
  const leads = Array.from({ length: 101 }, (_, i) => lead(organization, { value_cents: i }));
  const answer = await send(organization, leads.slice(0, 100), randomUUID());
  expect(new Set(outcomes(answer))).toEqual(new Set([201]));
  expect(await organization.readAll('/leads')).toHaveLength(100);
  for (const many of [leads, []]) {
    expect((await send(organization, many)).body.error.details).toMatchObject([{ path: 'leads' }]);
  }
});

test('a repeat gets the same answer and makes nothing', async () => {
  const organization = await provision();
  const key = randomUUID();
  const leads = [
    lead(organization, { email: 'a@example.com' }),
    lead(organization, { phone: '1' }),
  ];
  const first = await send(organization, leads, key);
  await organization.delete(`/leads/${first.body.items[0].lead.id}`);
  const repeat = await send(organization, leads, key);
  expect(repeat.body).toEqual(first.body);
  expect(repeat.headers.get('idempotency-replayed')).toBe('true');
  expect(await organization.readAll('/leads')).toEqual([]);
  const other = await send(organization, leads.slice(0, 1), key);
  expect(other.body.error.code).toBe('idempotency_key_reused');
});

test('6 at once with one key make each lead once and answer the same', async () => {
  const organization = await provision();
  const key = randomUUID();
  const leads = ['a', 'b', 'a'].map((name) => lead(organization, { email: `${name}@example.com` }));
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => send(organization, leads, key)),
  );
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
  expect(outcomes(answers[0] as never)).toEqual([201, 201, 'duplicate_lead']);
  expect(await organization.readAll('/leads')).toHaveLength(2);
});

test('with match, each lead is an upsert, and those of one lead are in the order of the request', async () => {
  const organization = await provision();
  const there = await organization.lead({ external_id: 'there', email: 'there@example.com' });
  const upserts = [
    lead(organization, { external_id: 'there', value_cents: 1 }),
    lead(organization, { external_id: 'new', value_cents: 1 }),
    { external_id: 'new', value_cents: 2, company_name: 'Cedro' },
    lead(organization, { external_id: 'new', value_cents: 2 }),
    lead(organization, { external_id: 'third', email: 'there@example.com' }),
    { external_id: 'fourth' },
    lead(organization, {}),
    lead(organization, { external_id: 5 }),
  ];
  const body = { match: 'external_id', leads: upserts };
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const answer = await organization.post('/leads/batch', body, options);
  const invalid = 'invalid_request';
  expect(outcomes(answer)).toEqual([
    200,
    201,
    200,
    200,
    'duplicate_lead',
    invalid,
    invalid,
    invalid,
  ]);
  const items = answer.body.items;
  expect(items.slice(0, 4).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'updated',
    'created',
    'updated',
    'unchanged',
  ]);
  expect(items[3].lead).toMatchObject({ value_cents: 2, company_name: 'Cedro' });
  expect(items[4].error.details).toMatchObject([{ path: 'email', lead_id: there.id }]);
  expect(await organization.readAll('/leads')).toEqual([items[3].lead, items[0].lead]);
  expect((await organization.post('/leads/batch', body, options)).text).toBe(answer.text);
});

test('move goes with match, and moves the leads that are found', async () => {
  const organization = await provision();
  const stages = [{ name: 'first', outcome: 'open' }];
  const { body: other } = await organization.post('/pipelines', { name: 'Partners', stages });
  const { id } = await organization.lead({ external_id: 'x' });
  const leads = [{ external_id: 'x', pipeline_id: other.id }];
  const moved = (more: object) => organization.post('/leads/batch', { leads, ...more });
  const stayed = await moved({ match: 'external_id', move: false });
  expect(stayed.body.items).toMatchObject([{ outcome: 'unchanged' }]);
  const went = await moved({ match: 'external_id', move: true });
  expect(went.body.items).toMatchObject([
    { outcome: 'updated', lead: { id, pipeline_id: other.id, stage: 'first' } },
  ]);
  expect((await moved({ move: true })).body.error.details).toMatchObject([{ path: 'move' }]);
});
