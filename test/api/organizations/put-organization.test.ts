import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Organization, provision, putOrganization } from '../../support/organization.ts';
import { sign } from '../../support/tokens.ts';

const input = (fields: object = {}) => ({
  name: 'Cedro',
  members: [{ user_id: randomUUID(), role: 'owner' }],
  ...fields,
});

test('an organization has its members, a pipeline and a wallet at once', async () => {
  const organization = await provision();
  expect(organization.pipelines).toMatchObject([{ name: 'Sales', default_stage: 'new' }]);
  expect((await organization.get('/leads')).body.items).toEqual([]);
  expect((await organization.get('/billing/balance')).body.total_stars).toBe(0);
});

test('an organization that is put again is answered as before with 200, and does not change', async () => {
  const [id, one] = [randomUUID(), input({ wallet: { pack_stars: 5 } })];
  const first = await putOrganization(id.toUpperCase(), one);
  expect([first.status, first.body.id, first.body.name]).toEqual([201, id, 'Cedro']);
  const repeat = await putOrganization(id, one);
  expect([repeat.status, repeat.body]).toEqual([200, first.body]);
});

test('an organization is answered as before also once the period is over with which it began', async () => {
  const end = Date.now() + 1000;
  const subscription = {
    ...{ tier: 'pro', status: 'active', monthly_grant_stars: 9, monthly_stars: 9 },
    current_period_end: new Date(end).toISOString(),
  };
  const [id, one] = [randomUUID(), input({ wallet: { subscription } })];
  const first = await putOrganization(id, one);
  expect(first.status).toBe(201);
  const repeat = await eventually(
    async () => ({ isLate: Date.now() > end, ...(await putOrganization(id, one)) }),
    ({ isLate }) => isLate,
  );
  expect([repeat.status, repeat.body]).toEqual([200, first.body]);
  const other = await putOrganization(id, { ...one, name: 'Jatobá' });
  expect(other.body.error.code).toBe('organization_id_reused');
  const { body } = await putOrganization(randomUUID(), one);
  const path = 'wallet.subscription.current_period_end';
  expect(body.error.details).toEqual([{ path, message: 'must be in the future' }]);
});

test('the currency of an organization is USD unless told, a real one, and part of what was asked for', async () => {
  const [id, one] = [randomUUID(), input()];
  expect((await putOrganization(id, one)).body.currency).toBe('USD');
  expect((await putOrganization(id, { ...one, currency: 'USD' })).status).toBe(200);
  const other = await putOrganization(id, { ...one, currency: 'JPY' });
  expect(other.body.error.code).toBe('organization_id_reused');
  for (const currency of ['usd', 'XYZ', '']) {
    const { body } = await putOrganization(randomUUID(), input({ currency }));
    expect(body.error.details).toMatchObject([{ path: 'currency' }]);
  }
});

test('20 requests at once with one id make one organization and equal answers', async () => {
  const [id, one] = [randomUUID(), input()];
  const all = await Promise.all(Array.from({ length: 20 }, () => putOrganization(id, one)));
  expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  expect(all.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
});

test('an id that another organization has is refused, and that one keeps it', async () => {
  const organization = await provision();
  const intruder = randomUUID();
  const { status, body } = await putOrganization(
    organization.id,
    input({ members: [{ user_id: intruder, role: 'owner' }] }),
  );
  expect([status, body.error.code]).toEqual([409, 'organization_id_reused']);
  const tokens = { ...organization.tokens, owner: await sign({ sub: intruder }) };
  const asIntruder = new Organization({ ...organization, id: organization.id, tokens });
  expect((await asIntruder.get('/leads')).status).toBe(403);
  expect((await organization.get('/leads')).status).toBe(200);
});

const owner = { user_id: randomUUID(), role: 'owner' };
const other = { user_id: randomUUID(), role: 'king' };
const stages = [{ name: 'new', outcome: 'open' }];
const pipelines = (fields: object) => ({ pipelines: [{ name: 'P', stages, ...fields }] });

test.each<[string, object, string]>([
  ['no owner', { members: [{ ...owner, role: 'admin' }] }, 'members'],
  ['a member twice', { members: [owner, { ...owner, role: 'agent' }] }, 'members'],
  ['an unknown role', { members: [owner, other] }, 'role'],
  ['a pipeline without stages', pipelines({ stages: [] }), 'stages'],
  ['a stage twice', pipelines({ stages: [...stages, ...stages] }), 'stages'],
  ['a default stage that is none', pipelines({ default_stage: 'x' }), 'default_stage'],
  ['negative stars', { wallet: { pack_stars: -1 } }, 'pack_stars'],
  ['an id that is no UUID', { id: 'cedro' }, 'organization_id'],
])(
  'an organization with %s is refused',
  async (_name, { id = randomUUID(), ...fields }: { id?: string }, path) => {
    const { status, body } = await putOrganization(id, input(fields));
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details[0].path).toContain(path);
  },
);
