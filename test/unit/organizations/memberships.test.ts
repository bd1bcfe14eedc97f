import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readMemberships } from '../../../lib/organizations/memberships.ts';
import { memberKey, organizationKey } from '../../../lib/table/keys.ts';

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
