import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
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
const refused = { code: 'write_conflict' };

describe('a member', () => {
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

  test('who was removed is not put back by what was decided before', async () => {
    const { read, add, remove } = await setting();
    const never = await read();
    await add();
    await remove();
    const removed = await read();
    await expect(add(Promise.resolve(never))).rejects.toMatchObject(refused);
    await add();
    await remove();
    await expect(add(Promise.resolve(removed))).rejects.toMatchObject(refused);
    expect((await read()).role).toBeUndefined();
    await add();
    expect(await read()).toEqual({ role: 'agent', name: 'Ana', version: 5 });
  });

  test('who was removed is remembered for ever', async () => {
    const { organizationId, user_id, add, remove } = await setting();
    await add();
    await remove();
    const key = formerMemberKey(organizationId, user_id);
    expect(await table.get(key)).toEqual({ ...key, version: 2 });
  });

  test('who has the role already is not written, and one whose role has changed may not change it', () => {
    const member = { user_id: 'u', role: 'agent', name: 'Ana' } as const;
    const before = { role: 'agent', name: 'Ana', version: 1 } as const;
    expect(putWrites('o', before, member)).toEqual([]);
    expect(putWrites('o', before, { ...member, name: null })).not.toEqual([]);
    const owner = { organizationId: 'o', userId: 'u', role: 'owner' } as const;
    expect(() => authorizeMemberWrites(owner, 'u', 'admin', undefined, [])).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
    expect(authorizeMemberWrites(owner, 'u', 'owner', undefined, [])).toEqual([]);
  });
});
