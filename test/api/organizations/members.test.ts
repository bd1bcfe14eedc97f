import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, test } from 'vitest';
import { type Role, roles } from '../../../lib/operations/permissions.ts';
import { organizationKey } from '../../../lib/table/keys.ts';
import type { Answer } from '../../support/api.ts';
import { Organization, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';
import { sign } from '../../support/tokens.ts';

const path = (user: string) => `/members/${user}`;

/** The same organization, with someone else for a role. */
const as = async (organization: Organization, role: Role, user: string): Promise<Organization> =>
  new Organization({
    id: organization.id,
    pipelines: organization.pipelines,
    users: { ...organization.users, [role]: user },
    tokens: { ...organization.tokens, [role]: await sign({ sub: user }) },
  });

const roleNow = async (organization: Organization, user: string): Promise<Role | undefined> => {
  const { body } = await organization.get('/members?limit=200');
  return body.items.find((one: { user_id: string }) => one.user_id === user)?.role;
};

const outcome = ({ status, body }: Answer) => body?.error?.code ?? status;

const owned = async (count: number): Promise<Organization[]> => {
  const users = Array.from({ length: count }, () => randomUUID());
  const organization = await provision({
    members: users.map((user_id) => ({ user_id, role: 'owner' })),
  });
  return Promise.all(users.map((user) => as(organization, 'owner', user)));
};

describe('a list of members', () => {
  test('has everyone once, by user id, in pages of any size', async () => {
    const organization = await provision();
    const expected = roles
      .map((role) => ({ user_id: organization.users[role], role, name: null }))
      .sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
    for (const limit of [1, 2, roles.length - 1, roles.length, 200]) {
      const seen: unknown[] = [];
      let pages = 0;
      for (let cursor: string | null = ''; cursor !== null; pages++) {
        const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { body } = await organization.get(`/members?${query}`);
        seen.push(...body.items);
        cursor = body.next_cursor;
      }
      expect([seen, pages]).toEqual([expected, Math.ceil(roles.length / limit)]);
    }
  });

  test('takes a cursor of its own only', async () => {
    const [organization, other] = await Promise.all([provision(), provision()]);
    const { next_cursor } = (await organization.get('/members?limit=1')).body;
    expect((await organization.get(`/members?cursor=${next_cursor}`)).body.items.length).toBe(
      roles.length - 1,
    );
    await organization.lead();
    await organization.lead();
    const ofLeads = (await organization.get('/leads?limit=1')).body.next_cursor;
    for (const [who, cursor] of [
      [organization, 'abc'],
      [organization, ofLeads],
      [other, next_cursor],
    ] as const) {
      expect(outcome(await who.get(`/members?cursor=${cursor}`))).toBe('invalid_cursor');
    }
  });

  test.each([
    ['1', 200],
    ['200', 200],
    ['0', 'invalid_request'],
    ['201', 'invalid_request'],
  ])('with the limit %s gives %s', async (limit, expected) => {
    const organization = await provision();
    expect(outcome(await organization.get(`/members?limit=${limit}`))).toBe(expected);
  });
});

describe('a member', () => {
  test('is in at once when added, has another role at once, and is out at once', async () => {
    const organization = await provision();
    const user = randomUUID();
    const newcomer = await as(organization, 'agent', user);
    const read = async () => (await newcomer.get('/leads', { role: 'agent' })).status;
    const write = async () => {
      const body = { contact_name: 'x', pipeline_id: organization.pipelineId };
      return (await newcomer.post('/leads', body, { role: 'agent' })).status;
    };

    expect([await read(), await write()]).toEqual([403, 403]);
    expect(outcome(await organization.get(path(user)))).toBe('not_found');
    const added = await organization.put(path(user), { role: 'agent' });
    expect([added.status, added.body]).toEqual([200, { user_id: user, role: 'agent', name: null }]);
    expect((await organization.get(path(user))).body).toEqual(added.body);
    expect([await read(), await write()]).toEqual([200, 201]);
    await organization.put(path(user), { role: 'viewer' });
    expect((await organization.get(path(user))).body.role).toBe('viewer');
    expect([await read(), await write()]).toEqual([200, 403]);
    const removed = await organization.delete(path(user));
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect([await read(), await write()]).toEqual([403, 403]);
    expect(outcome(await organization.get(path(user)))).toBe('not_found');
    expect(outcome(await organization.delete(path(user)))).toBe('not_found');
  });

  test('is the same in any case of letters, and put twice is put once', async () => {
    const organization = await provision();
    const user = randomUUID();
    for (const id of [user.toUpperCase(), user]) {
      const { body } = await organization.put(path(id), { role: 'agent' });
      expect(body).toEqual({ user_id: user, role: 'agent', name: null });
    }
    expect((await organization.get('/members')).body.items.length).toBe(roles.length + 1);
    const read = await organization.get(path(user.toUpperCase()));
    expect(read.body).toEqual({ user_id: user, role: 'agent', name: null });
    expect((await organization.delete(path(user.toUpperCase()))).status).toBe(204);
  });

  test('of another organization can neither be seen nor removed', async () => {
    const [organization, other] = await Promise.all([provision(), provision()]);
    expect(await roleNow(organization, other.users.agent)).toBeUndefined();
    expect(outcome(await organization.get(path(other.users.agent)))).toBe('not_found');
    expect((await other.get(path(other.users.agent))).body.role).toBe('agent');
    expect(outcome(await organization.delete(path(other.users.agent)))).toBe('not_found');
    expect(await roleNow(other, other.users.agent)).toBe('agent');
  });

  test.each<[string, object, string]>([
    ['me', { role: 'agent' }, 'user_id'],
    [randomUUID(), { role: 'king' }, 'role'],
    [randomUUID(), {}, 'role'],
    [randomUUID(), { role: null }, 'role'],
  ])('%s as %j is refused', async (user, body, field) => {
    const organization = await provision();
    const answer = await organization.put(path(user), body);
    expect(answer.body.error.details).toMatchObject([{ path: field }]);
    const removal = await organization.delete(path(user));
    expect(outcome(removal)).toBe(field === 'user_id' ? 'invalid_request' : 'not_found');
  });
});

describe('only an owner decides who is an owner', () => {
  test.each<[Role, string, Role, string | number]>([
    ['owner', 'agent', 'owner', 200],
    ['admin', 'agent', 'owner', 'forbidden'],
    ['admin', 'admin', 'owner', 'forbidden'],
    ['admin', 'owner', 'agent', 'forbidden'],
    ['admin', 'owner', 'owner', 'forbidden'],
    ['admin', 'nobody', 'owner', 'forbidden'],
    ['admin', 'nobody', 'admin', 200],
    ['admin', 'agent', 'admin', 200],
    ['admin', 'admin', 'viewer', 200],
    ['agent', 'agent', 'admin', 'forbidden'],
  ])('%s makes %s an %s: %s', async (role, target, wanted, expected) => {
    const organization = await provision();
    const user = organization.users[target as Role] ?? randomUUID();
    const before = await roleNow(organization, user);
    expect(outcome(await organization.put(path(user), { role: wanted }, { role }))).toBe(expected);
    expect(await roleNow(organization, user)).toBe(expected === 200 ? wanted : before);
  });

  test.each<[Role, Role, string | number]>([
    ['owner', 'admin', 204],
    ['admin', 'owner', 'forbidden'],
    ['admin', 'agent', 204],
    ['admin', 'admin', 204],
    ['viewer', 'viewer', 'forbidden'],
  ])('%s removes %s: %s', async (role, target, expected) => {
    const organization = await provision();
    const user = organization.users[target];
    expect(outcome(await organization.delete(path(user), { role }))).toBe(expected);
    expect(await roleNow(organization, user)).toBe(expected === 204 ? undefined : target);
  });
});

describe('an organization keeps an owner', () => {
  test('the last one can’t leave or step down; one of two can', async () => {
    for (const leave of [
      (who: Organization) => who.delete(path(who.users.owner)),
      (who: Organization) => who.put(path(who.users.owner), { role: 'viewer' }),
    ]) {
      const [one, two] = (await owned(2)) as [Organization, Organization];
      expect((await leave(one)).status).toBeLessThan(300);
      expect(outcome(await leave(two))).toBe('last_owner');
      expect(await roleNow(two, two.users.owner)).toBe('owner');
      // A second owner frees the first, however the organization came to have it.
      await two.put(path(one.users.owner), { role: 'owner' });
      expect((await leave(two)).status).toBeLessThan(300);
      expect(outcome(await leave(one))).toBe('last_owner');
    }
  });

  const leaving: [string, (who: Organization, target: string) => Promise<Answer>][] = [
    ['demote', (who, target) => who.put(path(target), { role: 'admin' })],
    ['remove', (who, target) => who.delete(path(target))],
  ];

  test.each(leaving)('of two who %s each other at once, one stays', async (_name, change) => {
    for (let round = 0; round < 10; round++) {
      const [one, two] = (await owned(2)) as [Organization, Organization];
      const answers = await Promise.all([
        change(one, two.users.owner),
        change(two, one.users.owner),
      ]);
      const done = answers.map(({ status }) => status < 300);
      expect(done.filter(Boolean).length).toBe(1);
      expect(outcome(answers[done.indexOf(false)]!)).toBe('forbidden');
      const winner = done[0] ? one : two;
      expect(await roleNow(winner, winner.users.owner)).toBe('owner');
    }
  });

  test.each(leaving)('of two who %s themselves at once, one stays', async (_name, change) => {
    for (let round = 0; round < 10; round++) {
      const owners = await owned(2);
      const answers = await Promise.all(owners.map((who) => change(who, who.users.owner)));
      const refused = answers.map(outcome).filter((one) => typeof one === 'string');
      expect(refused).toEqual(['last_owner']);
    }
  });

  test('an owner who is removed at the same time removes nobody after', async () => {
    for (let round = 0; round < 10; round++) {
      const [one, two, three] = (await owned(3)) as [Organization, Organization, Organization];
      const answers = await Promise.all([
        one.delete(path(two.users.owner)),
        two.delete(path(one.users.owner)),
      ]);
      expect(answers.map(outcome).sort()).toEqual([204, 'forbidden']);
      expect((await three.get('/members')).body.items.length).toBe(2);
    }
  });
});

describe('races', () => {
  test('one user put in many roles at once is one member, with the role of one of them', async () => {
    const organization = await provision();
    const user = randomUUID();
    const wanted = roles;
    const answers = await Promise.all(wanted.map((role) => organization.put(path(user), { role })));
    for (const answer of answers) expect([200, 'write_conflict']).toContain(outcome(answer));
    expect(wanted).toContain(await roleNow(organization, user));
    expect((await organization.get('/members')).body.items.length).toBe(roles.length + 1);
    // Were the count of owners off by one, this would be refused or the next would not.
    await organization.put(path(user), { role: 'owner' });
    expect((await organization.delete(path(user))).status).toBe(204);
    expect(outcome(await organization.delete(path(organization.users.owner)))).toBe('last_owner');
  });

  test('of 20 who remove one member, one does', async () => {
    const organization = await provision();
    const user = organization.users.agent;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => organization.delete(path(user))),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => one === 204).length).toBe(1);
    const others = outcomes.filter((one) => one !== 204);
    for (const one of others) expect(['not_found', 'write_conflict']).toContain(one);
  });

  test('an organization has 1,000 members and no more, however many come at once', async () => {
    const organization = await provision();
    const add = () => organization.put(path(randomUUID()), { role: 'viewer' });
    // As if more had been added until three can be; those of the roles are counted.
    await table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key: organizationKey(organization.id),
        UpdateExpression: 'ADD members :more',
        ConditionExpression: 'members = :counted',
        ExpressionAttributeValues: { ':more': 997 - roles.length, ':counted': roles.length },
      }),
    );
    const outcomes = (await Promise.all(Array.from({ length: 8 }, add))).map(outcome);
    expect(outcomes.filter((one) => one === 200).length).toBe(3);
    expect(outcomes.filter((one) => one === 'limit_reached').length).toBe(5);
    // Whoever is in may still change, and leaves room for one.
    const { agent, viewer } = organization.users;
    expect((await organization.put(path(agent), { role: 'owner' })).status).toBe(200);
    expect((await organization.delete(path(viewer))).status).toBe(204);
    expect(outcome(await add())).toBe(200);
    expect(outcome(await add())).toBe('limit_reached');
  });
});
