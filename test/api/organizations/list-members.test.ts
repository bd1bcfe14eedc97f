import { expect, test } from 'vitest';
import { roles } from '../../../lib/operations/permissions.ts';
import { provision } from '../../support/organization.ts';

test('a list of members has everyone once, by user id, in pages of any size', async () => {
  const organization = await provision();
  const expected = roles
    .map((role) => ({ user_id: organization.users[role], role, name: null }))
    .sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
  for (const limit of [1, 2, roles.length - 1, roles.length, 200]) {
    expect([limit, await organization.readAll('/members', limit)]).toEqual([limit, expected]);
  }
  const whole = await organization.get(`/members?limit=${roles.length}`);
  expect(whole.body.next_cursor).toBeNull();
});
