import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readMemberships, readOrganizationOf } from '../../../lib/organizations/memberships.ts';
import { openTable } from '../../../lib/table/client.ts';
import { memberKey, organizationKey } from '../../../lib/table/keys.ts';
import '../support.ts';

const table = openTable();

test('an organization is told with the role of now, and no more once the user is out, though the index lags', async () => {
  const userId = randomUUID();
  const [changed, left] = [randomUUID(), randomUUID()];
  const query = async () => ({
    items: [changed, left].map((id) => ({ ...memberKey(id, userId), role: 'owner' })),
    examined: 2,
    last: undefined,
  });
  const now = new Map<string, object>([
    [`${memberKey(changed, userId).pk} MEMBER#${userId}`, { role: 'viewer' }],
    [`${organizationKey(changed).pk} ORGANIZATION`, { name: 'Cedro' }],
    [`${organizationKey(left).pk} ORGANIZATION`, { name: 'Ipê' }],
  ]);
  const get = async (key: { pk: string; sk: string } | undefined) =>
    now.get(`${key?.pk} ${key?.sk}`) as Record<string, unknown> | undefined;
  const getAll = (keys: readonly Parameters<typeof get>[0][]) => Promise.all(keys.map(get));
  expect(await readMemberships({ query, get, getAll }, userId, undefined)).toEqual({
    organizations: [{ id: changed, name: 'Cedro', role: 'viewer' }],
  });
});

/** A user in so many organizations, which have the same name in turns; answers their ids. */
const memberOf = async (userId: string, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const items = ids.flatMap((id, i) => [
    { ...memberKey(id, userId), role: i % 2 ? 'agent' : 'viewer' },
    { ...organizationKey(id), name: `Company ${i % 3}` },
  ]);
  for (let i = 0; i < items.length; i += 100) {
    await table.transact(items.slice(i, i + 100).map((Item) => ({ Put: { Item } })));
  }
  return ids;
};

test('a page has 100 organizations by name, and says where the next one begins', async () => {
  const [userId, other] = [randomUUID(), randomUUID()];
  const ids = await memberOf(userId, 101);
  await memberOf(other, 2);
  const first = await readMemberships(table, userId, undefined);
  expect(first.organizations).toHaveLength(100);
  const sorted = first.organizations.toSorted((a, b) =>
    `${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1,
  );
  expect(first.organizations).toEqual(sorted);
  const second = await readMemberships(table, userId, first.next_cursor);
  expect(second.next_cursor).toBeUndefined();
  const all = [...first.organizations, ...second.organizations].map(({ id }) => id);
  expect(all.toSorted()).toEqual(ids.toSorted());
  // Nobody else’s cursor is taken.
  await expect(readMemberships(table, other, first.next_cursor)).rejects.toMatchObject({
    code: 'invalid_cursor',
  });
});

test('100 organizations are one page, the last', async () => {
  const userId = randomUUID();
  await memberOf(userId, 100);
  const { organizations, next_cursor } = await readMemberships(table, userId, undefined);
  expect([organizations.length, next_cursor]).toEqual([100, undefined]);
});

test('where the index ends a page early, there is more', async () => {
  const userId = randomUUID();
  const [id = ''] = await memberOf(userId, 1);
  const query: typeof table.query = async (input) => ({
    ...(await table.query(input)),
    last: { ...memberKey(id, userId), role: 'viewer' },
  });
  const early = { query, getAll: table.getAll.bind(table), get: table.get.bind(table) };
  expect((await readMemberships(early, userId, undefined)).next_cursor).toBeTypeOf('string');
});

test('an API key is asked about in its organization, if it names one that is there', async () => {
  const id = randomUUID();
  await table.transact([{ Put: { Item: { ...organizationKey(id), name: 'Cedro' } } }]);
  const of = (organizationId: string | undefined) =>
    readOrganizationOf(table, {
      id: 'k',
      name: 'K',
      role: 'agent',
      permissions: [],
      organizationId,
    });
  expect(await of(id)).toEqual([{ id, name: 'Cedro', role: 'agent' }]);
  expect(await of(undefined)).toEqual([]);
  expect(await of(randomUUID())).toEqual([]);
});
