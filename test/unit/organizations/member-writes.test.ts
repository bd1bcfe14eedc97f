import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CallerRole, Role } from '../../../lib/operations/permissions.ts';
import {
  authorizeMemberWrites,
  putMemberWrites,
  removeMemberWrites,
} from '../../../lib/organizations/member-writes.ts';
import { memberKind, readStoredMember } from '../../../lib/organizations/members.ts';
import { organizationKind } from '../../../lib/organizations/organization.ts';
import { openTable } from '../../../lib/table/client.ts';
import { putMemberItem, putOrganizationItem } from '../../support/items.ts';
import { change, commitIn } from '../../support/origin.ts';
import '../support.ts';

const table = openTable();
const commit = commitIn(table);
const now = Date.now();

const setting = async () => {
  const [organizationId, user_id] = [randomUUID(), randomUUID()];
  const counts = { members: 2, owners: 1 };
  await table.transact([putOrganizationItem(organizationId, counts)]);
  const member = { user_id, role: 'agent', name: 'Ana' } as const;
  const read = () => readStoredMember(table, organizationId, user_id);
  const add = async (before = read()) =>
    commit(putMemberWrites(organizationId, await before, member, now));
  const remove = async (before = read()) =>
    commit(removeMemberWrites(organizationId, await before, user_id, now));
  return { organizationId, user_id, read, add, remove };
};

test('a member who was removed is not put back by what was decided before', async () => {
  const { organizationId, user_id, read, add, remove } = await setting();
  const refused = { code: 'write_conflict' };
  const never = await read();
  await add();
  await remove();
  // Who was removed is remembered for ever.
  const key = memberKind.key({ organizationId, userId: user_id });
  expect(await table.get(key)).toEqual({ pk: key.pk, sk: key.sk, version: 2 });
  const removed = await read();
  await expect(add(Promise.resolve(never))).rejects.toMatchObject(refused);
  await add();
  await remove();
  await expect(add(Promise.resolve(removed))).rejects.toMatchObject(refused);
  expect((await read()).role).toBeUndefined();
  await add();
  expect(await read()).toEqual({ role: 'agent', name: 'Ana', version: 5 });
});

test('members and owners are counted as roles change, and the last owner stays one', async () => {
  const { organizationId, user_id, read, add, remove } = await setting();
  const counts = async () => {
    const { members, owners } = (await table.get(organizationKind.key({ organizationId })))!;
    return { members, owners };
  };
  const put = async (role: Role, name: string | null = null) =>
    commit(putMemberWrites(organizationId, await read(), { user_id, role, name }, now));
  await add();
  expect(await counts()).toEqual({ members: 3, owners: 1 });
  await put('viewer', 'Ana');
  expect([await read(), await counts()]).toMatchObject([
    { role: 'viewer', name: 'Ana', version: 2 },
    { members: 3, owners: 1 },
  ]);
  await put('owner');
  expect([(await read()).name, await counts()]).toEqual([null, { members: 3, owners: 2 }]);
  await put('owner', 'Bia');
  expect(await counts()).toEqual({ members: 3, owners: 2 });
  await remove();
  expect(await counts()).toEqual({ members: 2, owners: 1 });
  await put('owner');
  await change(table, organizationKind.key({ organizationId }), { set: { owners: 1 } });
  await expect(put('agent')).rejects.toMatchObject({ code: 'last_owner' });
  await expect(remove()).rejects.toMatchObject({ code: 'last_owner' });
  expect((await read()).role).toBe('owner');
});

test('of two changes of a member that were decided at once, one is refused', async () => {
  const { organizationId, user_id, read, add } = await setting();
  await add();
  const before = await read();
  const rename = (name: string) =>
    commit(putMemberWrites(organizationId, before, { user_id, role: 'agent', name }, now));
  await rename('Bia');
  await expect(rename('Eva')).rejects.toMatchObject({ code: 'write_conflict' });
  expect(await read()).toMatchObject({ name: 'Bia', version: 2 });
});

test('whoever changes another member must still have the role for it', async () => {
  const { organizationId, user_id, read } = await setting();
  const userId = randomUUID();
  await table.transact([putMemberItem(organizationId, userId, { role: 'admin' })]);
  const actor = { organizationId, userId, role: 'admin' } as const;
  const member = { user_id, role: 'agent', name: null } as const;
  const add = (as: typeof actor | { role: 'owner' }, target = user_id, isEmpty = false) => {
    const writes = putMemberWrites(
      organizationId,
      { role: undefined, name: null, version: 0 },
      member,
      now,
    );
    const all = { ...actor, ...as };
    const before = target === userId ? all.role : undefined;
    return authorizeMemberWrites(all, target, before, 'agent', isEmpty ? [] : writes);
  };
  const late = commit(add({ role: 'owner' }));
  await expect(late).rejects.toMatchObject({ code: 'forbidden' });
  expect((await read()).role).toBeUndefined();
  await commit(add(actor));
  expect((await read()).role).toBe('agent');
  // Whoever changes themselves has the condition in the change, and what changes nothing needs none.
  const checks = [add(actor), add(actor, userId)].map(
    (writes) => writes.filter((write) => 'ConditionCheck' in write).length,
  );
  expect([checks, add(actor, user_id, true)]).toEqual([[1, 0], []]);
  const [own] = add(actor, userId);
  expect(own).toHaveProperty('Put.ConditionExpression');
});

test('a member who has the role and the name already is not written', () => {
  const member = { user_id: 'u', role: 'agent', name: 'Ana' } as const;
  const before = { role: 'agent', name: 'Ana', version: 1 } as const;
  expect(putMemberWrites('o', before, member, now)).toEqual([]);
  expect(putMemberWrites('o', before, { ...member, name: null }, now)).not.toEqual([]);
  expect(putMemberWrites('o', before, { ...member, role: 'admin' }, now)).not.toEqual([]);
});

/** Whether someone in this role may give another one this role; or remove them, where it is undefined. */
const may = (
  role: CallerRole,
  before: Role | undefined,
  after: Role | undefined,
  target = 'other',
) => {
  const actor = { organizationId: 'o', userId: 'u', role };
  try {
    authorizeMemberWrites(actor, target, before, after, []);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return false;
  }
};

test.each<[CallerRole, Role | undefined, Role | undefined, boolean]>([
  ['platform', 'agent', 'owner', true],
  ['platform', 'owner', undefined, true],
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
])('whoever has the role %s makes an %s an %s: %s', (role, before, after, isAllowed) => {
  expect(may(role, before, after)).toBe(isAllowed);
});

test('whoever changes themselves has the role that they were admitted with', () => {
  expect(may('owner', 'admin', undefined, 'u')).toBe(false);
  expect(may('owner', 'owner', undefined, 'u')).toBe(true);
});
