import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Role } from '../../../lib/operations/permissions.ts';
import {
  authorizeMemberWrites,
  putWrites,
  removeWrites,
} from '../../../lib/organizations/member-writes.ts';
import { readStoredMember } from '../../../lib/organizations/members.ts';
import { openTable } from '../../../lib/table/client.ts';
import { formerMemberKey, organizationKey } from '../../../lib/table/keys.ts';
import '../support.ts';

const table = openTable();

const setting = async () => {
  const [organizationId, user_id] = [randomUUID(), randomUUID()];
  const counts = { members: 2, owners: 1 };
  await table.transact([{ Put: { Item: { ...organizationKey(organizationId), ...counts } } }]);
  const member = { user_id, role: 'agent', name: 'Ana' } as const;
  const read = () => readStoredMember(table, organizationId, user_id);
  const add = async (before = read()) =>
    table.transact(putWrites(organizationId, await before, member));
  const remove = async (before = read()) =>
    table.transact(removeWrites(organizationId, await before, user_id));
  return { organizationId, user_id, read, add, remove };
};

test('a member who was removed is not put back by what was decided before', async () => {
  const { organizationId, user_id, read, add, remove } = await setting();
  const refused = { code: 'write_conflict' };
  const never = await read();
  await add();
  await remove();
  // Who was removed is remembered for ever.
  const key = formerMemberKey(organizationId, user_id);
  expect(await table.get(key)).toEqual({ ...key, version: 2 });
  const removed = await read();
  await expect(add(Promise.resolve(never))).rejects.toMatchObject(refused);
  await add();
  await remove();
  await expect(add(Promise.resolve(removed))).rejects.toMatchObject(refused);
  expect((await read()).role).toBeUndefined();
  await add();
  expect(await read()).toEqual({ role: 'agent', name: 'Ana', version: 5 });
});

test('a member who has the role and the name already is not written', () => {
  const member = { user_id: 'u', role: 'agent', name: 'Ana' } as const;
  const before = { role: 'agent', name: 'Ana', version: 1 } as const;
  expect(putWrites('o', before, member)).toEqual([]);
  expect(putWrites('o', before, { ...member, name: null })).not.toEqual([]);
});

/** Whether someone in this role may give another one this role; or remove them, where it is undefined. */
const may = (role: Role, before: Role | undefined, after: Role | undefined, target = 'other') => {
  const actor = { organizationId: 'o', userId: 'u', role };
  try {
    authorizeMemberWrites(actor, target, before, after, []);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return false;
  }
};

test.each<[Role, Role | undefined, Role | undefined, boolean]>([
  ['owner', 'agent', 'owner', true],
  ['owner', 'owner', undefined, true],
  ['admin', 'agent', 'owner', false],
  ['admin', 'owner', 'agent', false],
  ['admin', 'owner', 'owner', false],
  ['admin', 'owner', undefined, false],
  ['admin', undefined, 'owner', false],
  ['admin', undefined, 'admin', true],
  ['admin', 'agent', 'admin', true],
  ['admin', 'agent', undefined, true],
])('an %s makes an %s an %s: %s', (role, before, after, isAllowed) => {
  expect(may(role, before, after)).toBe(isAllowed);
});

test('whoever changes themselves has the role that they were admitted with', () => {
  expect(may('owner', 'admin', undefined, 'u')).toBe(false);
  expect(may('owner', 'owner', undefined, 'u')).toBe(true);
});
