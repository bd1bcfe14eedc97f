import { randomUUID } from 'node:crypto';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { userIndex } from '../../../lib/table/keys.ts';
import { call, outcome } from '../../support/api.ts';
import { putMemberItem } from '../../support/items.ts';
import { provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { sign } from '../../support/tokens.ts';
import { getBy, makeApiKey } from '../keys/api-keys.ts';

const TableName = inject('service').tableName;

// Pages and their cursors: test/unit/organizations/memberships.test.ts.

/** Someone who is a member of nothing yet. */
const newUser = async () => {
  const id = randomUUID();
  const authorization = `Bearer ${await sign({ sub: id })}`;
  const me = async (query = '', more: Record<string, string> = {}) =>
    (await call('GET', `/me${query}`, { headers: { authorization, ...more } })).body;
  return { id, me };
};

test('who calls is told their id, and their organizations, each with its name and the role there', async () => {
  const user = await newUser();
  expect(await user.me()).toEqual({ user_id: user.id, organizations: [] });

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
  // The id of an organization has no part in it.
  for (const id of [cedar.id, randomUUID(), 'none']) {
    const told = await user.me('', { 'x-organization-id': id });
    expect(told).toEqual({ user_id: user.id, organizations: both });
  }
});

test('who calls is told of no organization that is gone', async () => {
  const user = await newUser();
  const { Item } = putMemberItem(randomUUID(), user.id).Put;
  await table.send(new PutCommand({ TableName, Item }));
  const cedar = await provision({ name: 'Cedar' });
  await cedar.put(`/members/${user.id}`, { role: 'agent' });
  expect((await user.me()).organizations).toMatchObject([{ name: 'Cedar' }]);
});

test('the index of users holds memberships and nothing else, whatever else is stored', async () => {
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
  expect(found.filter((keys) => !/^MEMBERS#[\w-]+ [\w-]+$/.test(keys))).toEqual([]);
  for (const user of Object.values(organization.users)) {
    expect(found).toContain(`MEMBERS#${organization.id} ${user}`);
  }
});

test('an API key is told its id, name, role and permissions, and its organization', async () => {
  const organization = await provision({ name: 'Cedro' });
  const { id, key } = await makeApiKey(organization, { name: 'Robot', role: 'admin' });
  const today = () => new Date().toISOString().slice(0, 10);
  const before = today();
  const { body } = await getBy(key, organization, '/me');
  const { permissions } = body.api_key;
  expect(body).toEqual({
    user_id: id,
    api_key: { id, name: 'Robot', role: 'admin', permissions },
    organizations: [{ id: organization.id, name: 'Cedro', role: 'admin' }],
  });
  expect(permissions).toContain('keys:read');
  expect(permissions).not.toContain('keys:write');
  const { last_used_on } = (await organization.get(`/keys/${id}`)).body;
  expect([before, today()]).toContain(last_used_on);
  expect(outcome(await getBy(key, organization, '/me?cursor=x'))).toBe('invalid_cursor');
});

test('an API key need not name its organization, and may name no other', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  const { key } = await makeApiKey(organization);
  const without = await call('GET', '/me', { headers: { authorization: `Bearer ${key}` } });
  expect(without.body).toEqual((await getBy(key, organization, '/me')).body);
  expect(without.body.organizations).toMatchObject([{ id: organization.id }]);
  expect(outcome(await getBy(key, other, '/me'))).toBe('unauthenticated');
});
