import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { putFields } from '../../lib/fields/definition.ts';
import { deleteNote, type Note, putNote } from '../../lib/leads/notes/note.ts';
import { changedBy, putWrites, removeWrites } from '../../lib/organizations/member-change.ts';
import { readStoredMember } from '../../lib/organizations/members.ts';
import { openTable } from '../../lib/table/client.ts';
import { fieldsKey, formerMemberKey, leadKey, organizationKey } from '../../lib/table/keys.ts';
import './support.ts';

// Every write stands on what it was decided on: one that arrives late is refused.

const table = openTable();
const refused = { code: 'write_conflict' };

describe('a note', () => {
  const made = async () => {
    const place = {
      organizationId: randomUUID(),
      userId: randomUUID(),
      path: { lead_id: randomUUID() },
      now: Date.now(),
    };
    const key = leadKey(place.organizationId, place.path.lead_id);
    await table.transact([{ Put: { Item: { ...key } } }]);
    const at = new Date(place.now).toISOString();
    const note: Note = {
      id: randomUUID(),
      text: 'first',
      user_id: place.userId,
      created_at: at,
      updated_at: at,
    };
    await table.transact(putNote(place, undefined, note));
    return { place, key, note };
  };

  test('that was changed or deleted meanwhile is neither changed nor deleted', async () => {
    const { place, note } = await made();
    const [first, second] = [1, 2].map((version) => ({ note, version }));
    await expect(table.transact(putNote(place, undefined, note))).rejects.toMatchObject(refused);
    await table.transact(putNote(place, first, { ...note, text: 'second' }));
    const late = [putNote(place, first, { ...note, text: 'late' }), deleteNote(place, first!)];
    for (const one of late) await expect(table.transact(one)).rejects.toMatchObject(refused);
    await table.transact(deleteNote(place, second!));
    for (const one of late) await expect(table.transact(one)).rejects.toMatchObject(refused);
    const after = table.transact(putNote(place, second, note));
    await expect(after).rejects.toMatchObject(refused);
  });

  test('of a lead that is gone is neither written nor deleted: erasing the lead was to find all', async () => {
    const { place, key, note } = await made();
    await table.transact([{ Delete: { Key: key } }]);
    const gone = { code: 'not_found' };
    const another = { ...note, id: randomUUID() };
    await expect(table.transact(putNote(place, undefined, another))).rejects.toMatchObject(gone);
    const deletion = table.transact(deleteNote(place, { note, version: 1 }));
    await expect(deletion).rejects.toMatchObject(gone);
  });
});

test('custom fields that others have changed meanwhile are not replaced, the first ones neither', async () => {
  const organizationId = randomUUID();
  const put = (before: Parameters<typeof putFields>[1]) =>
    table.transact([putFields(organizationId, before, [])]);
  await put(undefined);
  await expect(put(undefined)).rejects.toMatchObject(refused);
  const before = await table.get(fieldsKey(organizationId));
  await put(before);
  await expect(put(before)).rejects.toMatchObject(refused);
});

describe('a member', () => {
  const setting = async () => {
    const [organizationId, user_id] = [randomUUID(), randomUUID()];
    const counts = { members: 2, owners: 1 };
    await table.transact([{ Put: { Item: { ...organizationKey(organizationId), ...counts } } }]);
    const read = () => readStoredMember(table, organizationId, user_id);
    const add = async (before = read()) =>
      table.transact(putWrites(organizationId, await before, { user_id, role: 'agent' }));
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
    expect(await read()).toEqual({ role: 'agent', version: 5 });
  });

  test('who was removed is remembered for a day', async () => {
    const { organizationId, user_id, add, remove } = await setting();
    await add();
    await remove();
    const former = await table.get(formerMemberKey(organizationId, user_id));
    const left = Number(former?.expires_at) - Date.now() / 1000;
    expect(Math.abs(left - 24 * 60 * 60)).toBeLessThan(60);
  });

  test('who has the role already is not written, and one whose role has changed may not change it', () => {
    const member = { user_id: 'u', role: 'agent' } as const;
    expect(putWrites('o', { role: 'agent', version: 1 }, member)).toEqual([]);
    const owner = { organizationId: 'o', userId: 'u', role: 'owner' } as const;
    expect(() => changedBy(owner, 'u', 'admin', undefined, [])).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
    expect(changedBy(owner, 'u', 'owner', undefined, [])).toEqual([]);
  });
});
