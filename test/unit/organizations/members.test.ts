import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  memberKind,
  membersOf,
  putMember,
  readMember,
  readRole,
  readStoredMember,
  removeMember,
} from '../../../lib/organizations/members.ts';
import { openTable } from '../../../lib/table/client.ts';
import { readPage } from '../../../lib/table/pages.ts';
import { commitIn } from '../../support/origin.ts';
import '../support.ts';

const table = openTable();
const commit = commitIn(table);
const now = Date.now();
const ana = { user_id: randomUUID(), role: 'agent', name: 'Ana' } as const;
const asMade = { role: 'agent', name: 'Ana', version: 1 } as const;
const unnamed = { user_id: randomUUID(), role: 'owner', name: null } as const;

const withMembers = async (...members: (typeof ana | typeof unnamed)[]) => {
  const id = randomUUID();
  await commit(members.flatMap((one) => putMember(id, one, now)));
  return id;
};

test('a member is read with role and name, and whoever is none as nobody', async () => {
  const id = await withMembers(ana, unnamed);
  expect(await readMember(table, id, ana.user_id)).toEqual(ana);
  expect(await readMember(table, id, unnamed.user_id)).toEqual(unnamed);
  expect(await readRole(table, id, ana.user_id)).toBe('agent');
  for (const [organizationId, userId] of [
    [id, randomUUID()],
    [randomUUID(), ana.user_id],
  ] as const) {
    expect(await readMember(table, organizationId, userId)).toBeUndefined();
    expect(await readRole(table, organizationId, userId)).toBeUndefined();
    expect(await readStoredMember(table, organizationId, userId)).toEqual({
      role: undefined,
      name: null,
      version: 0,
    });
  }
  // An absent name is no attribute.
  expect(
    await table.get(memberKind.key({ organizationId: id, userId: unnamed.user_id })),
  ).not.toHaveProperty('name');
});

test('a member is made once', async () => {
  const id = await withMembers(ana);
  const again = commit(putMember(id, { ...ana, role: 'owner' }, now));
  await expect(again).rejects.toMatchObject({ code: 'write_conflict' });
  expect(await readMember(table, id, ana.user_id)).toEqual(ana);
});

test('a member who was removed is none, and another removal of the same version is refused', async () => {
  const id = await withMembers(ana);
  const remove = () => commit(removeMember(id, ana.user_id, now, asMade));
  await remove();
  await expect(remove()).rejects.toMatchObject({ code: 'write_conflict' });
  expect(await readMember(table, id, ana.user_id)).toBeUndefined();
  expect(await readRole(table, id, ana.user_id)).toBeUndefined();
  expect(await readStoredMember(table, id, ana.user_id)).toEqual({
    role: undefined,
    name: null,
    version: 2,
  });
});

test('the members of an organization are listed, and nothing else of it', async () => {
  const id = await withMembers(ana, unnamed);
  // Wherever one who was removed is among them.
  const formers = Array.from({ length: 4 }, () => randomUUID());
  await commit(formers.flatMap((user_id) => putMember(id, { ...ana, user_id }, now)));
  await commit(formers.flatMap((former) => removeMember(id, former, now, asMade)));
  const list = { identity: [id, 'listMembers'] as const, ...membersOf(id) };
  const first = await readPage(table, list, { limit: 1 });
  const second = await readPage(table, list, { limit: 1, cursor: first.next_cursor! });
  expect(second.next_cursor).toBeNull();
  const byId = [ana, unnamed].toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1));
  expect([...first.items, ...second.items]).toEqual(byId);
});
