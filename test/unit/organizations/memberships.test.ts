import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readMemberships, readOrganizationOf } from '../../../lib/organizations/memberships.ts';
import { openTable } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { fakeQueries, fakeReads } from '../../support/fake-table.ts';
import { putMemberItem, putOrganizationItem } from '../../support/items.ts';
import '../support.ts';

const table = openTable();

test('an organization is told with the role of now, and no more once the user is out, though the index lags', async () => {
  const userId = randomUUID();
  const [changed, left] = [randomUUID(), randomUUID()];
  const indexed = fakeQueries<'Query by_user'>(() => ({
    items: [changed, left].map((organizationId) => ({
      ...places.member.key({ organizationId, userId }),
      role: 'owner',
    })),
    examined: 2,
    last: undefined,
  }));
  const now = [
    putMemberItem(changed, userId, { role: 'viewer' }),
    putOrganizationItem(changed, { name: 'Cedro' }),
    putMemberItem(left, userId, { role: undefined, version: 2 }),
    putOrganizationItem(left, { name: 'Ipê' }),
  ].map((write): Item => ({ ...write.Put.Item }));
  const stored = fakeReads(({ pk, sk }) => now.find((item) => item.pk === pk && item.sk === sk));
  expect(await readMemberships({ ...indexed, ...stored }, userId, undefined)).toEqual({
    organizations: [{ id: changed, name: 'Cedro', role: 'viewer' }],
  });
});

/** A user in so many organizations, which have the same name in turns; answers their ids. */
const memberOf = async (userId: string, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const writes = ids.flatMap((id, i) => [
    putMemberItem(id, userId, { role: i % 2 ? 'agent' : 'viewer' }),
    putOrganizationItem(id, { name: `Company ${i % 3}` }),
  ]);
  for (let i = 0; i < writes.length; i += 100) await table.transact(writes.slice(i, i + 100));
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
    last: { ...places.member.key({ organizationId: id, userId }), role: 'viewer' },
  });
  const early = {
    query,
    get: table.get.bind(table),
    getAll: table.getAll.bind(table),
    getAllEventually: table.getAllEventually.bind(table),
  };
  expect((await readMemberships(early, userId, undefined)).next_cursor).toBeTypeOf('string');
});

test('an API key is asked about in its organization, if it names one that is there', async () => {
  const id = randomUUID();
  await table.transact([putOrganizationItem(id, { name: 'Cedro' })]);
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
