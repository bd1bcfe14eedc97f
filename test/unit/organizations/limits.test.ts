import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  countApiKeys,
  countMembers,
  countPipeline,
  countWebhooks,
  hasWebhooks,
  limitsOf,
} from '../../../lib/organizations/limits.ts';
import { type Counts, organizationKind } from '../../../lib/organizations/organization.ts';
import { openTable } from '../../../lib/table/client.ts';
import { putOrganizationItem } from '../../support/items.ts';
import '../support.ts';

const table = openTable();

/** An organization that has so many of each. */
const having = async (counts: Partial<Counts>): Promise<string> => {
  const id = randomUUID();
  await table.transact([putOrganizationItem(id, counts)]);
  return id;
};
const countsOf = (id: string) => table.get(organizationKind.key({ organizationId: id }));
const refused = (code: string) => ({ code });

test.each<[keyof Counts, number, (id: string) => Parameters<typeof table.transact>[0]]>([
  ['pipelines', 50, (id) => [countPipeline(id)]],
  ['webhooks', 10, (id) => [countWebhooks(id, 1)]],
  ['api_keys', 100, (id) => [countApiKeys(id, 1)]],
  ['members', 1000, (id) => countMembers(id, 1, 0)],
])('of %s an organization has %i, and not one more', async (name, most, count) => {
  const id = await having({ [name]: most - 1 });
  await table.transact(count(id));
  await expect(table.transact(count(id))).rejects.toMatchObject(refused('limit_reached'));
  expect((await countsOf(id))?.[name]).toBe(most);
});

test.each([
  ['webhooks', countWebhooks],
  ['api_keys', countApiKeys],
] as const)('the first of %s is counted, and one that goes makes room', async (name, count) => {
  const id = await having({});
  await table.transact([count(id, 1)]);
  await table.transact([count(id, 1)]);
  await table.transact([count(id, -1)]);
  expect((await countsOf(id))?.[name]).toBe(1);
});

test('nothing is counted of an organization that is not there', async () => {
  const id = randomUUID();
  for (const count of [countWebhooks(id, 1), countApiKeys(id, 1), countPipeline(id)]) {
    await expect(table.transact([count])).rejects.toMatchObject(refused('limit_reached'));
  }
  expect(await countsOf(id)).toBeUndefined();
});

test('an organization keeps an owner', async () => {
  const id = await having({ members: 3, owners: 2 });
  await table.transact(countMembers(id, -1, -1));
  for (const members of [-1, 0] as const) {
    const taken = table.transact(countMembers(id, members, -1));
    await expect(taken).rejects.toMatchObject(refused('last_owner'));
  }
  expect(await countsOf(id)).toMatchObject({ members: 2, owners: 1 });
});

test('members of a full organization may become owners, and leave', async () => {
  const id = await having({ members: 1000, owners: 1 });
  await table.transact(countMembers(id, 0, 1));
  await table.transact(countMembers(id, -1, 0));
  expect(await countsOf(id)).toMatchObject({ members: 999, owners: 2 });
  await table.transact(countMembers(id, 1, 1));
  expect(await countsOf(id)).toMatchObject({ members: 1000, owners: 3 });
});

test('members whose roles are as before need no count', () => {
  expect(countMembers('o', 0, 0)).toEqual([]);
});

test('an organization has webhooks from its first one on, until the last is gone', async () => {
  const id = await having({});
  expect([await hasWebhooks(table, id), await hasWebhooks(table, randomUUID())]).toEqual([
    false,
    false,
  ]);
  await table.transact([countWebhooks(id, 1)]);
  expect(await hasWebhooks(table, id)).toBe(true);
  await table.transact([countWebhooks(id, -1)]);
  expect(await hasWebhooks(table, id)).toBe(false);
});

test('what is used of each limit is told', () => {
  const counts = { pipelines: 2, members: 3, owners: 1, webhooks: 4, api_keys: 5 };
  expect(limitsOf(counts)).toEqual({
    pipelines: { used: 2, most: 50 },
    members: { used: 3, most: 1000 },
    webhooks: { used: 4, most: 10 },
    keys: { used: 5, most: 100 },
  });
});
