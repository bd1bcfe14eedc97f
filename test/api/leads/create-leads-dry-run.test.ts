import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria',
  pipeline_id: organization.pipelineId,
  ...fields,
});

const send = (organization: Organization, body: object, key: string = randomUUID()) =>
  organization.post('/leads/batch', body, { headers: { 'idempotency-key': key } });

type Item = {
  status: number;
  lead?: { id: string };
  outcome?: string;
  error?: { code: string; details: { path: string; lead_id?: string }[] };
};
const outcomes = (items: Item[]) =>
  items.map(({ status, outcome, error }) => error?.code ?? outcome ?? status);

test('a dry run says what would become of each new lead, and stores none', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const there = await organization.lead({ email: 'taken@example.com', external_id: 'there' });
  const leads = [
    lead(organization, { email: 'new@example.com', external_id: 'new' }),
    lead(organization, { email: 'TAKEN@example.com' }),
    lead(organization, { external_id: 'there' }),
    lead(organization, { email: 'new@example.com' }),
    { contact_name: 5 },
    lead(other),
  ];
  const key = randomUUID();
  const { status, body } = await send(organization, { dry_run: true, leads }, key);
  expect(status).toBe(200);
  const duplicate = 'duplicate_lead';
  const refused = ['invalid_request', 'invalid_request'];
  // Each is looked at as if there were no others.
  expect(outcomes(body.items)).toEqual([201, duplicate, duplicate, 201, ...refused]);
  expect(body.items[1].error.details).toMatchObject([{ path: 'email', lead_id: there.id }]);
  expect(body.items[2].error.details).toMatchObject([{ path: 'external_id', lead_id: there.id }]);
  expect(body.items[0].lead).toMatchObject({ email: 'new@example.com', stage: 'new' });
  expect((await organization.get(`/leads/${body.items[0].lead.id}`)).status).toBe(404);
  expect(await organization.readAll('/leads')).toEqual([there]);

  // The key is of the dry run from now on, whose repeat looks anew.
  const repeat = await send(organization, { dry_run: true, leads }, key);
  expect(outcomes(repeat.body.items)).toEqual(outcomes(body.items));
  expect(repeat.headers.get('idempotency-replayed')).toBeNull();
  const reused = await send(organization, { leads }, key);
  expect(reused.body.error.code).toBe('idempotency_key_reused');
  const real = await send(organization, { leads });
  expect(outcomes(real.body.items)).toEqual([201, duplicate, duplicate, duplicate, ...refused]);
  expect(await organization.readAll('/leads')).toHaveLength(2);
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
  const upserts = { match: 'external_id', leads };
  const dry = await send(organization, { ...upserts, dry_run: true });
  expect(outcomes(dry.body.items)).toEqual(['updated', 'unchanged', 'created', 'duplicate_lead']);
  expect(dry.body.items[0].lead).toMatchObject({ id: there.id, contact_name: 'Rui' });
  expect(dry.body.items[3].error.details).toMatchObject([{ path: 'email', lead_id: taken.id }]);
  expect((await organization.readAll('/leads')).length).toBe(2);
  expect((await organization.get(`/leads/${there.id}`)).body).toEqual(there);
  expect((await send(organization, upserts)).body.items[0].lead.contact_name).toBe('Rui');
});
