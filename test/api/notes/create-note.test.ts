import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

const write = (leadId: string, text: string) =>
  organization.post(`/leads/${leadId}/notes`, { text });

test('a note comes back as it was sent, with who wrote it, and leaves the lead as it is', async () => {
  const lead = await organization.lead();
  const { status, body } = await write(lead.id, ' One.\n');
  const user_id = organization.users.owner;
  const note = { id: expect.any(String), text: ' One.\n', user_id, created_at: expect.any(String) };
  expect([status, body]).toEqual([201, { ...note, updated_at: body.created_at }]);
  const after = await organization.get(`/leads/${lead.id}`);
  expect([after.body, after.headers.get('etag')]).toEqual([lead, '"1"']);
});

test('a lead that is deleted takes no new notes, nor does one that never was', async () => {
  const { id } = await organization.lead();
  await organization.delete(`/leads/${id}`);
  for (const lead of [id, randomUUID()]) expect(outcome(await write(lead, 'x'))).toBe('not_found');
});

test('notes that are written to one lead at once are all there', async () => {
  const { id } = await organization.lead();
  const made = await Promise.all(Array.from({ length: 10 }, (_, i) => write(id, `note ${i}`)));
  const written = made.filter(({ status }) => status === 201).map(({ body }) => body.id);
  expect(written.length).toBeGreaterThan(0);
  const { items } = (await organization.get(`/leads/${id}/notes`)).body;
  expect(items.map((one: { id: string }) => one.id)).toEqual(written.sort().reverse());
});
