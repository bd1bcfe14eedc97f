import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

const write = (leadId: string, text: string, options = {}) =>
  organization.post(`/leads/${leadId}/notes`, { text }, options);

test('notes are written, changed and deleted, listed newest first, and leave the lead as it is', async () => {
  const lead = await organization.lead();
  const made = [];
  for (const text of ['one', 'two', 'three']) made.push((await write(lead.id, text)).body);
  const [one, two, three] = made;
  expect(one).toEqual({
    id: expect.any(String),
    text: 'one',
    user_id: organization.users.owner,
    created_at: expect.any(String),
    updated_at: one.created_at,
  });
  const path = `/leads/${lead.id}/notes`;
  const changed = await organization.patch(`${path}/${two.id}`, { text: 'two, really' });
  expect(changed.body).toEqual({ ...two, text: 'two, really', updated_at: expect.any(String) });
  expect((await organization.delete(`${path}/${one.id}`)).status).toBe(204);
  expect((await organization.delete(`${path}/${one.id}`)).status).toBe(404);
  expect((await organization.patch(`${path}/${one.id}`, { text: 'x' })).status).toBe(404);
  expect(await organization.readAll(path, 1)).toEqual([three, changed.body]);
  const after = await organization.get(`/leads/${lead.id}`);
  expect([after.body, after.headers.get('etag')]).toEqual([lead, '"1"']);
});

test('each change of a note is in the feed, in the order of its versions, and what changes nothing is not', async () => {
  const { id } = await organization.lead();
  const note = (await write(id, 'first')).body;
  const path = `/leads/${id}/notes/${note.id}`;
  for (const text of ['first', 'second', 'second']) await organization.patch(path, { text });
  const [{ created_at, updated_at }] = await organization.readAll(`/leads/${id}/notes`);
  await organization.delete(path, { role: 'admin' });
  const feed = await feedUntil(
    organization,
    (change) => change.type === 'note.deleted' && change.note_id === note.id,
  );
  const own = feed.filter((change) => 'note_id' in change && change.note_id === note.id);
  const { owner, admin } = organization.users;
  const of = { lead_id: id };
  expect(own).toMatchObject([
    { ...of, type: 'note.created', version: 1, user_id: owner, text: 'first', at: created_at },
    { ...of, type: 'note.updated', version: 2, user_id: owner, text: 'second', at: updated_at },
    { ...of, type: 'note.deleted', version: 3, user_id: admin, text: null },
  ]);
});

test('a note is changed and deleted by its writer and by admins, and by nobody else', async () => {
  const { id } = await organization.lead();
  const agent = { role: 'agent' as const };
  const byOwner = `/leads/${id}/notes/${(await write(id, 'by the owner')).body.id}`;
  const byAgent = `/leads/${id}/notes/${(await write(id, 'by an agent', agent)).body.id}`;
  expect((await organization.patch(byOwner, { text: 'x' }, agent)).status).toBe(403);
  expect((await organization.delete(byOwner, agent)).status).toBe(403);
  expect((await organization.patch(byAgent, { text: 'x' }, agent)).status).toBe(200);
  const byAdmin = await organization.patch(byAgent, { text: 'y' }, { role: 'admin' });
  expect(byAdmin.body.user_id).toBe(organization.users.agent);
  expect((await organization.delete(byAgent, agent)).status).toBe(204);
});

test('a note has 1 to 10,000 characters', async () => {
  const { id } = await organization.lead();
  const longest = '😀'.repeat(10_000);
  expect((await write(id, longest)).body.text).toBe(longest);
  for (const text of [`${longest}x`, '']) {
    const { status, body } = await write(id, text);
    expect([status, body.error.details[0].path]).toEqual([400, 'text']);
  }
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

test('a lead that is deleted keeps its notes and takes no new ones, and one that never was has none', async () => {
  const { id } = await organization.lead();
  const { body } = await write(id, 'before');
  await organization.delete(`/leads/${id}`);
  expect((await organization.get(`/leads/${id}/notes`)).body.items).toEqual([body]);
  for (const text of ['x', 'before']) {
    for (const options of [{}, { headers: { 'idempotency-key': randomUUID() } }]) {
      const patched = await organization.patch(`/leads/${id}/notes/${body.id}`, { text }, options);
      expect(patched.status).toBe(404);
    }
  }
  expect((await organization.get(`/leads/${randomUUID()}/notes`)).status).toBe(404);
  for (const lead of [id, randomUUID()]) expect((await write(lead, 'x')).status).toBe(404);
});

test('notes that are written to one lead at once are all there', async () => {
  const { id } = await organization.lead();
  const made = await Promise.all(Array.from({ length: 10 }, (_, i) => write(id, `note ${i}`)));
  const written = made.filter(({ status }) => status === 201).map(({ body }) => body.id);
  expect(written.length).toBeGreaterThan(0);
  const { items } = (await organization.get(`/leads/${id}/notes`)).body;
  expect(items.map((one: { id: string }) => one.id)).toEqual(written.sort().reverse());
});
