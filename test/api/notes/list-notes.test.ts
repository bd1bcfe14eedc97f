import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { feedUntil } from '../../support/feed.ts';
import { provision } from '../../support/organization.ts';

test('notes are listed newest first, also those of a deleted lead, but not of one that never was', async () => {
  const organization = await provision();
  const path = `/leads/${(await organization.lead()).id}`;
  const notes: object[] = [];
  for (const text of ['one', 'two', 'three']) {
    const { body } = await organization.post(`${path}/notes`, { text });
    notes.unshift({ ...body, user_name: null });
  }
  expect(await organization.readAll(`${path}/notes`, 1)).toEqual(notes);
  await organization.delete(path);
  expect(await organization.readAll(`${path}/notes`)).toEqual(notes);
  expect(outcome(await organization.get(`/leads/${randomUUID()}/notes`))).toBe('not_found');
});

test('notes that take most room in an answer are listed and told whole, in pages that fit', {
  tags: ['long'],
}, async () => {
  const own = await provision();
  const { id } = await own.lead();
  // A page of 200 would have them all, and 7 bytes for each character.
  const text = `x${'\u0001'.repeat(9_999)}`;
  const ids: string[] = [];
  for (let i = 0; i < 92; i++) ids.push((await own.post(`/leads/${id}/notes`, { text })).body.id);
  const listed = await own.readAll(`/leads/${id}/notes`, 200);
  expect(listed.map((note) => [note.id, note.text])).toEqual(ids.reverse().map((id) => [id, text]));
  const feed = await feedUntil(own, (change) => 'note_id' in change && change.note_id === ids[0]);
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, i) => i + 1));
  expect(feed.filter((change) => change.type === 'note.created')).toHaveLength(92);
});
