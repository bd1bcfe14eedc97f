import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import type { Item } from '../../../lib/table/table.ts';
import { makeApiKey } from '../../api/keys/api-keys.ts';
import { putEvent, spend } from '../../support/billing.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { sign } from '../../support/tokens.ts';
import { Admin, expectFailure } from './admin.ts';

const admin = new Admin();

/** An organization with a member of this name, who writes a lead and its note, and spends a star. */
const settingOf = async (name: string) => {
  const organization = await provision({ wallet: { pack_stars: 9 } });
  const user = randomUUID();
  const path = `/members/${user}`;
  await organization.put(path, { role: 'admin', name });
  const headers = { authorization: `Bearer ${await sign({ sub: user })}` };
  const { id } = await organization.lead({}, { headers });
  await organization.post(`/leads/${id}/notes`, { text: 'Called.' }, { headers });
  const event = randomUUID();
  const spent = await organization.put(`/billing/spends/${event}`, { stars: 1 }, { headers });
  expect(spent.status).toBe(201);
  const lists = [`/leads/${id}/history`, `/leads/${id}/notes`, '/billing/history?type=stars.spent'];
  /** What each list and the spend call the user, as this role sees it. */
  const names = async (role: 'owner' | 'billing' = 'owner') => {
    const bodies = await Promise.all(
      [...lists, `/billing/spends/${event}`].map(
        async (one) => (await organization.get(one, { role })).body,
      ),
    );
    return bodies.map((body) => {
      const [one] = body.items ?? [body];
      return one?.user_id === user ? one.user_name : undefined;
    });
  };
  return { organization, user, path, names };
};

test('histories, notes, the wallet’s history and spends tell the name, also of who left', async () => {
  const { organization, path, names } = await settingOf('Ana Souza');
  expect(await names()).toEqual(Array(4).fill('Ana Souza'));
  await organization.put(path, { role: 'agent', name: 'Ana Lima' });
  expect(await names()).toEqual(Array(4).fill('Ana Lima'));
  await organization.delete(path);
  expect(await names()).toEqual(Array(4).fill('Ana Lima'));
  // A role that reads stars and no members hears the id alone.
  expect((await names('billing')).slice(2)).toEqual([null, null]);
});

test('an API key is told by its name, a platform key as platform, and who has no name by none', async () => {
  const organization = await provision({ wallet: { pack_stars: 9 } });
  const { id, key } = await makeApiKey(organization, { name: 'Website form', role: 'meter' });
  const headers = { authorization: `Bearer ${key}` };
  const path = () => `/billing/spends/${randomUUID()}`;
  await organization.put(path(), { stars: 1 }, { headers });
  await organization.delete(`/keys/${id}`);
  await spend(organization, 1);
  await putEvent(organization, { type: 'pack.purchased', stars: 1 });
  const { items } = (await organization.get('/billing/history')).body;
  expect(items.map((one: Item) => one.user_name)).toEqual([
    'platform',
    null,
    'Website form',
    'platform',
  ]);
  expect(items.map((one: Item) => one.user_id)).toEqual([
    'platform',
    organization.users.owner,
    id,
    'platform',
  ]);
});

/** How many items of an organization have a text. */
const itemsWith = async (text: string): Promise<number> => {
  let found = 0;
  let last: Item | undefined;
  do {
    const scan = { TableName: inject('service').tableName, ExclusiveStartKey: last };
    const { Items = [], LastEvaluatedKey } = await table.send(new ScanCommand(scan));
    found += Items.filter((item) =>
      JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? `${value}` : value)).includes(
        text,
      ),
    ).length;
    last = LastEvaluatedKey;
  } while (last);
  return found;
};

test('member erase-name leaves no name of someone who left, and refuses who is a member', async () => {
  const name = `Ana ${randomUUID()}`;
  const { organization, user, path, names } = await settingOf(name);
  const erase = ['member', 'erase-name', organization.id, user, '--yes'];
  expectFailure(await admin.run(...erase), /is a member .* remove the member first/);
  expect(await names()).toEqual(Array(4).fill(name));
  await organization.delete(path);
  expect(await itemsWith(name)).toBe(1);
  expect(await admin.json(...erase)).toEqual({ user_id: user, name_erased: true });
  expect([await itemsWith(name), await names()]).toEqual([0, Array(4).fill(null)]);
});

test('who removes a member hears which API keys and webhooks they made, as the lists tell at any time', async () => {
  const { organization, user, path } = await settingOf('Ana');
  const headers = { authorization: `Bearer ${await sign({ sub: user })}` };
  const make = async (one: Organization, options = {}) => ({
    keys: [
      (await one.post('/keys', { name: 'A', role: 'agent' }, options)).body.id,
      (await one.post('/keys', { name: 'B', role: 'agent' }, options)).body.id,
    ],
    webhook: (await one.post('/webhooks', { url: 'http://localhost:9/' }, options)).body.id,
  });
  const [own, others] = [await make(organization, { headers }), await make(organization)];
  await organization.delete(`/keys/${own.keys[1]}`);
  const { status, body } = await organization.delete(path);
  expect([status, body]).toEqual([200, { api_keys: [own.keys[0]], webhooks: [own.webhook] }]);
  const idsOf = async (list: string, by: string) =>
    (await organization.readAll(`${list}?created_by=${by}`, 1)).map(({ id }) => id);
  expect(await idsOf('/keys', user.toUpperCase())).toEqual([own.keys[1], own.keys[0]]);
  expect(await idsOf('/keys', organization.users.owner)).toEqual(others.keys.toReversed());
  expect(await idsOf('/keys', randomUUID())).toEqual([]);
  const webhooksOf = async (by: string) =>
    (await organization.get(`/webhooks?created_by=${by}`)).body.items.map(
      ({ id }: { id: string }) => id,
    );
  expect(await webhooksOf(user)).toEqual([own.webhook]);
  expect(await webhooksOf(randomUUID())).toEqual([]);
});
