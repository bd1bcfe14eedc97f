import { expect, test } from 'vitest';
import { type Answer, outcome } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { owned, path, roleNow } from './members.ts';

test('an admin removes others, but no owner', async () => {
  const organization = await provision();
  const { agent, owner } = organization.users;
  const remove = async (user: string) =>
    outcome(await organization.delete(path(user), { role: 'admin' }));
  expect([await remove(agent), await remove(owner)]).toEqual([200, 'forbidden']);
  expect(await roleNow(organization, agent)).toBeUndefined();
  expect(await roleNow(organization, owner)).toBe('owner');
});

const leaving: [string, (who: Organization, target: string) => Promise<Answer>][] = [
  ['demote', (who, target) => who.put(path(target), { role: 'admin' })],
  ['remove', (who, target) => who.delete(path(target))],
];

test.each(leaving)(
  'who are owners may %s themselves, but for the last one',
  async (_name, leave) => {
    const [one, two] = (await owned(2)) as [Organization, Organization];
    expect((await leave(one, one.users.owner)).status).toBeLessThan(300);
    expect(outcome(await leave(two, two.users.owner))).toBe('last_owner');
    expect(await roleNow(two, two.users.owner)).toBe('owner');
    // A second owner frees the first, however the organization came to have it.
    await two.put(path(one.users.owner), { role: 'owner' });
    expect((await leave(two, two.users.owner)).status).toBeLessThan(300);
    expect(outcome(await leave(one, one.users.owner))).toBe('last_owner');
  },
);

test.each(leaving)('of two owners who %s each other at once, one stays', async (_name, change) => {
  for (let round = 0; round < 10; round++) {
    const [one, two] = (await owned(2)) as [Organization, Organization];
    const answers = await Promise.all([change(one, two.users.owner), change(two, one.users.owner)]);
    const done = answers.map(({ status }) => status < 300);
    expect(done.filter(Boolean).length).toBe(1);
    expect(outcome(answers[done.indexOf(false)]!)).toBe('forbidden');
    const winner = done[0] ? one : two;
    expect(await roleNow(winner, winner.users.owner)).toBe('owner');
  }
});
