import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await provision();
});

/** A note of a new lead, and its path. */
const written = async (text: string, options = {}) => {
  const lead = `/leads/${(await organization.lead()).id}`;
  const { body } = await organization.post(`${lead}/notes`, { text }, options);
  return { lead, note: body, path: `${lead}/notes/${body.id}` };
};

test('each change of a note is in the feed, in the order of its versions, and what changes nothing is not', async () => {
  const { lead, note, path } = await written('first');
  for (const text of ['first', 'second', 'second']) {
    const { body } = await organization.patch(path, { text });
    expect(body).toEqual({ ...note, text, updated_at: body.updated_at });
  }
  const [{ created_at, updated_at }] = await organization.readAll(`${lead}/notes`);
  await organization.delete(path, { role: 'admin' });
  const feed = await feedUntil(
    organization,
    (change) => change.type === 'note.deleted' && change.note_id === note.id,
  );
  const own = feed.filter((change) => 'note_id' in change && change.note_id === note.id);
  const { owner, admin } = organization.users;
  const of = { lead_id: lead.split('/').at(-1) };
  expect(own).toMatchObject([
    { ...of, type: 'note.created', version: 1, user_id: owner, text: 'first', at: created_at },
    { ...of, type: 'note.updated', version: 2, user_id: owner, text: 'second', at: updated_at },
    { ...of, type: 'note.deleted', version: 3, user_id: admin, text: null },
  ]);
});

test('a note is changed by its writer and by admins, and stays its writer’s', async () => {
  const agent = { role: 'agent' as const };
  const [byOwner, byAgent] = [await written('by the owner'), await written('by an agent', agent)];
  const patch = async (path: string, options: object) =>
    outcome(await organization.patch(path, { text: 'x' }, options));
  expect(await patch(byOwner.path, agent)).toBe('forbidden');
  expect(await patch(byAgent.path, agent)).toBe(200);
  const byAdmin = await organization.patch(byAgent.path, { text: 'y' }, { role: 'admin' });
  expect(byAdmin.body.user_id).toBe(organization.users.agent);
});

test('a note that is gone, or whose lead is, is not changed, also to what it is', async () => {
  const { lead, path } = await written('before');
  const gone = await written('before');
  await organization.delete(gone.path);
  await organization.delete(lead);
  for (const one of [path, gone.path, `${gone.lead}/notes/${randomUUID()}`]) {
    for (const text of ['x', 'before']) {
      for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
        expect(outcome(await organization.patch(one, { text }, { headers }))).toBe('not_found');
      }
    }
  }
});
