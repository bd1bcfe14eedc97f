import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { memberKey, organizationKey, userIndex } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { sign } from '../../support/tokens.ts';

const TableName = inject('service').tableName;

/** Someone who is a member of nothing yet. */
const newUser = async () => {
  const id = randomUUID();
  const headers = { authorization: `Bearer ${await sign({ sub: id })}` };
  const me = (query = '', more: Record<string, string> = {}) =>
    call('GET', `/me${query}`, { headers: { ...headers, ...more } });
  return { id, headers, me };
};

/** Puts memberships of organizations with these names into the table, past the service. */
const storedOf = async (userId: string, names: readonly string[]) => {
  const ids = names.map(() => randomUUID());
  const items = names.flatMap((name, i) => [
    { ...organizationKey(ids[i]!), name },
    { ...memberKey(ids[i]!, userId), role: 'viewer', version: 1 },
  ]);
  for (let i = 0; i < items.length; i += 25) {
    const RequestItems = {
      [TableName]: items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } })),
    };
    await table.send(new BatchWriteCommand({ RequestItems }));
  }
  return ids;
};

test('tells who calls and in what organizations, each with its name and the role there', async () => {
  const user = await newUser();
  expect((await user.me()).body).toEqual({ user_id: user.id, organizations: [] });

  const [cedar, aurora] = await Promise.all([
    provision({ name: 'Cedar' }),
    provision({ name: 'Aurora' }),
    provision({ name: 'Of others' }),
  ]);
  await cedar.put(`/members/${user.id}`, { role: 'support' });
  await aurora.put(`/members/${user.id}`, { role: 'admin' });
  const both = [
    { id: aurora.id, name: 'Aurora', role: 'admin' },
    { id: cedar.id, name: 'Cedar', role: 'support' },
  ];
  expect((await user.me()).body).toEqual({ user_id: user.id, organizations: both });
});

test('a changed role is told at once, and a removed member is not told of the organization', async () => {
  const user = await newUser();
  const organization = await provision({ name: 'Cedar' });
  const path = `/members/${user.id}`;
  const roles = async () =>
    (await user.me()).body.organizations.map(({ role }: { role: string }) => role);
  await organization.put(path, { role: 'agent' });
  expect(await roles()).toEqual(['agent']);
  await organization.put(path, { role: 'owner' });
  expect(await roles()).toEqual(['owner']);
  await organization.delete(path);
  expect(await roles()).toEqual([]);
  await organization.put(path, { role: 'viewer' });
  expect(await roles()).toEqual(['viewer']);
});

test('needs a token and nothing else: an organization’s id has no part in it', async () => {
  const user = await newUser();
  const [own, other] = await Promise.all([provision(), provision()]);
  await own.put(`/members/${user.id}`, { role: 'viewer' });
  const expected = (await user.me()).body;
  expect(expected.organizations.length).toBe(1);
  for (const id of [own.id, other.id, randomUUID(), 'none']) {
    expect((await user.me('', { 'x-organization-id': id })).body).toEqual(expected);
  }
  const without = await call('GET', '/me', { headers: { 'x-organization-id': own.id } });
  expect(without.body.error.code).toBe('unauthenticated');
  const ended = await sign({ sub: user.id, exp: Math.floor(Date.now() / 1000) - 60 });
  const late = await call('GET', '/me', { headers: { authorization: `Bearer ${ended}` } });
  expect(late.body.error.code).toBe('unauthenticated');
});

test('memberships are told 100 to a page', async () => {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  const names = Array.from({ length: 101 }, (_, i) => `Number ${String(i).padStart(3, '0')}`);
  const ids = await storedOf(user.id, names);
  const first = (await user.me()).body;
  const second = (await user.me(`?cursor=${first.next_cursor}`)).body;
  expect([first.organizations.length, second.organizations.length]).toEqual([100, 1]);
  expect(second.next_cursor).toBeUndefined();
  const told = [...first.organizations, ...second.organizations];
  expect(told.map(({ id }) => id).sort()).toEqual(ids.sort());
  const namesOfFirst = first.organizations.map(({ name }: { name: string }) => name);
  expect(namesOfFirst).toEqual([...namesOfFirst].sort());

  // Just as many as fit.
  await storedOf(other.id, names.slice(1));
  const whole = (await other.me()).body;
  expect([whole.organizations.length, whole.next_cursor]).toEqual([100, undefined]);
});

test('refuses a cursor of someone else, and what it does not know', async () => {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  await storedOf(
    user.id,
    Array.from({ length: 101 }, () => 'One'),
  );
  const { next_cursor } = (await user.me()).body;
  expect((await user.me(`?cursor=${next_cursor}`)).status).toBe(200);
  expect((await other.me(`?cursor=${next_cursor}`)).body.error.code).toBe('invalid_cursor');
  expect((await user.me('?cursor=x')).body.error.code).toBe('invalid_cursor');
  const twice = await user.me(`?cursor=${next_cursor}&cursor=${next_cursor}`);
  expect(twice.body.error.details).toEqual([{ path: 'cursor', message: 'must be sent once' }]);
  const unknown = await user.me('?limit=1');
  expect(unknown.body.error).toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'limit' }],
  });
});

test('an organization that is gone is passed over', async () => {
  const user = await newUser();
  const Item = { ...memberKey(randomUUID(), user.id), role: 'agent' };
  await table.send(new PutCommand({ TableName, Item }));
  await storedOf(user.id, ['Cedar']);
  const { organizations } = (await user.me()).body;
  expect(organizations.map(({ name }: { name: string }) => name)).toEqual(['Cedar']);
});

test('the index holds memberships and nothing else, whatever else is stored', async () => {
  const organization = await provision();
  await organization.lead({ tags: ['a'], email: `${randomUUID()}@example.com` });
  const found: string[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await table.send(
      new ScanCommand({ TableName, IndexName: userIndex.name, ExclusiveStartKey }),
    );
    for (const { pk, sk } of page.Items ?? []) found.push(`${pk} ${sk}`);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  expect(found.filter((keys) => !/^ORG#[\w-]+ MEMBER#[\w-]+$/.test(keys))).toEqual([]);
  for (const user of Object.values(organization.users)) {
    expect(found).toContain(`ORG#${organization.id} MEMBER#${user}`);
  }
});
