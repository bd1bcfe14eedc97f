import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { deleteNote, type Note, putNote } from '../../../../lib/leads/notes/note.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { places } from '../../../../lib/table/keys.ts';
import { commitIn, itemsPut, someOrigin } from '../../../support/origin.ts';
import '../../support.ts';

const table = openTable();
const commit = commitIn(table);
const refused = { code: 'write_conflict' };

const made = async () => {
  const place = {
    organizationId: randomUUID(),
    path: { lead_id: randomUUID() },
    now: Date.now(),
  };
  const key = places.lead.key({
    organizationId: place.organizationId,
    leadId: place.path.lead_id,
  });
  await table.transact([{ Put: { Item: { ...key } } }]);
  const at = new Date(place.now).toISOString();
  const note: Note = {
    id: randomUUID(),
    text: 'first',
    user_id: someOrigin.by,
    created_at: at,
    updated_at: at,
  };
  await commit(putNote(place, undefined, note));
  return { place, key, note };
};

test('a note that was changed or deleted meanwhile is neither changed nor deleted', async () => {
  const { place, note } = await made();
  const [first, second] = [1, 2].map((version) => ({ note, version }));
  await expect(commit(putNote(place, undefined, note))).rejects.toMatchObject(refused);
  await commit(putNote(place, first, { ...note, text: 'second' }));
  const late = [putNote(place, first, { ...note, text: 'late' }), deleteNote(place, first!)];
  for (const one of late) await expect(commit(one)).rejects.toMatchObject(refused);
  await commit(deleteNote(place, second!));
  for (const one of late) await expect(commit(one)).rejects.toMatchObject(refused);
  const after = commit(putNote(place, second, note));
  await expect(after).rejects.toMatchObject(refused);
});

test('a note of a lead that is gone is neither written nor deleted: erasing the lead was to find all', async () => {
  const { place, key, note } = await made();
  await table.transact([{ Delete: { Key: key } }]);
  const gone = { code: 'not_found' };
  const another = { ...note, id: randomUUID() };
  await expect(commit(putNote(place, undefined, another))).rejects.toMatchObject(gone);
  const deletion = commit(deleteNote(place, { note, version: 1 }));
  await expect(deletion).rejects.toMatchObject(gone);
});

test('a deletion has no earlier time than the change before, though clocks differ', async () => {
  const { place, note } = await made();
  const deletedAt = (now: number) =>
    itemsPut(deleteNote({ ...place, now }, { note, version: 1 })).flatMap(({ at }) => at ?? []);
  const later = place.now + 5000;
  expect([place.now - 5000, later].map(deletedAt)).toEqual([
    [note.updated_at],
    [new Date(later).toISOString()],
  ]);
});
