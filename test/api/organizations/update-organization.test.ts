import { expect, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { readFeed } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';
import { itemsOf } from '../../support/table.ts';

const listed = async (id: string) =>
  (await itemsOf(places.listedOrganization.partition({}))).filter(({ sk }) =>
    String(sk).endsWith(`#${id}`),
  );

test('another name is told wherever the organization is, and in the feed', async () => {
  const own = await provision({ name: 'Cedro' });
  const { status, body } = await own.patch('/organization', { name: 'Ipê & Filhos' });
  expect([status, body.name, body.currency, body.role]).toEqual([
    200,
    'Ipê & Filhos',
    'USD',
    'owner',
  ]);
  expect((await own.get('/organization', { role: 'viewer' })).body.name).toBe('Ipê & Filhos');
  const me = await own.get('/me', { role: 'agent' });
  expect(me.body.organizations.map((one: { name: string }) => one.name)).toEqual(['Ipê & Filhos']);
  expect(await listed(own.id)).toMatchObject([{ sk: `ipe & filhos#${own.id}` }]);
  // The same name again is no change.
  expect((await own.patch('/organization', { name: 'Ipê & Filhos' })).status).toBe(200);
  expect((await own.patch('/organization', { name: 'Jacarandá' })).status).toBe(200);
  const ofOrganization = (type: string) => type.startsWith('organization.');
  const told = await eventually(
    async () => (await readFeed(own)).filter(({ type }) => ofOrganization(type)),
    ({ length }) => length >= 3,
  );
  expect(told.map((one) => [one.type, 'changed' in one && one.changed, one.user_id])).toEqual([
    ['organization.created', ['name', 'currency'], 'platform'],
    ['organization.updated', ['name'], own.users.owner],
    ['organization.updated', ['name'], own.users.owner],
  ]);
});

test('of names that are given at once, the last one is listed, alone', async () => {
  const own = await provision({ name: 'Cedro' });
  const names = Array.from({ length: 5 }, (_, i) => `Cedro ${i}`);
  const answers = await Promise.all(names.map((name) => own.patch('/organization', { name })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { name } = (await own.get('/organization')).body;
  expect(names).toContain(name);
  expect(await listed(own.id)).toMatchObject([{ name }]);
});

test('the currency is another one only while no lead has a value', async () => {
  const own = await provision({ currency: 'USD' });
  const change = async (currency: string) => {
    const { status, body } = await own.patch('/organization', { currency });
    return body.error?.code ?? [status, body.currency];
  };
  expect(await change('BRL')).toEqual([200, 'BRL']);
  const { id } = await own.lead({ value_cents: 0 });
  await own.lead();
  expect(await change('JPY')).toEqual([200, 'JPY']);
  await own.patch(`/leads/${id}`, { value_cents: 1 });
  expect(await change('USD')).toBe('currency_in_use');
  // The one that it has is no change, and another name may come beside it.
  expect(await change('JPY')).toEqual([200, 'JPY']);
  expect((await own.patch('/organization', { name: 'Yen', currency: 'JPY' })).status).toBe(200);
  const both = await own.patch('/organization', { name: 'Real', currency: 'BRL' });
  expect(both.body.error.code).toBe('currency_in_use');
  expect((await own.get('/organization')).body).toMatchObject({ name: 'Yen', currency: 'JPY' });
  await own.patch(`/leads/${id}`, { value_cents: null });
  expect(await change('USD')).toEqual([200, 'USD']);
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: null }, 'name'],
  [{ currency: 'XXX1' }, 'currency'],
  [{ currency: 'brl' }, 'currency'],
  [{ suspended: true }, 'suspended'],
])('%j is refused', async (body, path) => {
  const own = await provision();
  const answer = await own.patch('/organization', body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
});

test('a name of 200 characters is listed, whatever letters it has', async () => {
  const own = await provision();
  for (const name of ['𝕏'.repeat(100), 'ﷺ'.repeat(200), '#'.repeat(200), '漢'.repeat(200)]) {
    expect((await own.patch('/organization', { name })).body.name).toBe(name);
    expect(await listed(own.id)).toMatchObject([{ name }]);
  }
});
