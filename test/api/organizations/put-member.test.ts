import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Role, roles } from '../../../lib/operations/permissions.ts';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { as, path, roleNow } from './members.ts';

// Who may make whom what: test/unit/organizations/member-writes.test.ts.

test('a member is in at once when added, has another role at once, and is out at once', async () => {
  const organization = await provision();
  const user = randomUUID();
  const newcomer = await as(organization, 'agent', user);
  const mayDo = async () => {
    const body = { contact_name: 'x', pipeline_id: organization.pipelineId };
    const read = await newcomer.get('/leads', { role: 'agent' });
    return [read.status, (await newcomer.post('/leads', body, { role: 'agent' })).status];
  };

  expect(await mayDo()).toEqual([403, 403]);
  const added = await organization.put(path(user), { role: 'agent' });
  expect([added.status, added.body]).toEqual([200, { user_id: user, role: 'agent', name: null }]);
  expect(await mayDo()).toEqual([200, 201]);
  await organization.put(path(user), { role: 'viewer' });
  expect(await mayDo()).toEqual([200, 403]);
  const removed = await organization.delete(path(user));
  expect([removed.status, removed.body]).toEqual([200, { api_keys: [], webhooks: [] }]);
  expect(await mayDo()).toEqual([403, 403]);
});

test('a member is the same in any case of letters, and put twice is put once', async () => {
  const organization = await provision();
  const user = randomUUID();
  const member = { user_id: user, role: 'agent', name: null };
  for (const id of [user.toUpperCase(), user]) {
    expect((await organization.put(path(id), { role: 'agent' })).body).toEqual(member);
  }
  expect((await organization.get('/members')).body.items.length).toBe(roles.length + 1);
  expect((await organization.delete(path(user.toUpperCase()))).status).toBe(200);
});

test('an admin makes nobody an owner, whom an owner makes one', async () => {
  const organization = await provision();
  const promote = async (role: Role) =>
    outcome(await organization.put(path(organization.users.agent), { role: 'owner' }, { role }));
  expect([await promote('admin'), await promote('owner')]).toEqual(['forbidden', 200]);
});

test('one user put in many roles at once is one member, with the role of one of them', async () => {
  const organization = await provision();
  const user = randomUUID();
  const answers = await Promise.all(roles.map((role) => organization.put(path(user), { role })));
  for (const answer of answers) expect([200, 'write_conflict']).toContain(outcome(answer));
  expect(roles).toContain(await roleNow(organization, user));
  expect((await organization.get('/members')).body.items.length).toBe(roles.length + 1);
  // Were the count of owners off by one, this would be refused or the next would not.
  await organization.put(path(user), { role: 'owner' });
  expect((await organization.delete(path(user))).status).toBe(200);
  expect(outcome(await organization.delete(path(organization.users.owner)))).toBe('last_owner');
});
