import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../../../../lib/errors/errors.ts';
import { serve } from '../../../../../lib/handlers/http/serve.ts';
import { permissions, rolePermissions, roles } from '../../../../../lib/operations/permissions.ts';
import { removeMember } from '../../../../../lib/organizations/members.ts';
import { openTable, TableClient } from '../../../../../lib/table/client.ts';
import { sign } from '../../../../support/tokens.ts';
import { echo, echoed } from '../../../echo.ts';
import { type Answer, Organization, type Request, run } from '../../../support.ts';

const handler = serve(echo());
let organization: Organization;
let stranger: string;

beforeAll(async () => {
  organization = await Organization.make();
  stranger = `Bearer ${await sign({ sub: randomUUID() })}`;
});

const codeOf = ({ body }: Answer): string | undefined => body?.error?.code;

const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));

/** Rejections that nobody handles, which end a process: vitest's own listeners stand back meanwhile. */
const unhandledDuring = async (work: () => Promise<unknown>): Promise<unknown[]> => {
  const listeners = process.listeners('unhandledRejection');
  const unhandled: unknown[] = [];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason) => unhandled.push(reason));
  try {
    await work();
    // They are told after the turn in which the promise was rejected.
    await turnOfEvents();
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
  return unhandled;
};

test('an operation that reads nothing is admitted, and gets no data', async () => {
  const reading = serve(echo({ handle: (_call, data) => ({ body: { has: data !== undefined } }) }));
  const silent = echo({ handle: (_call, data) => ({ body: { has: data !== undefined } }) });
  delete silent.read;
  expect((await run(reading, echoed(organization))).body).toEqual({ has: true });
  const { status, body } = await run(serve(silent), echoed(organization));
  expect([status, body]).toEqual([201, { has: false }]);
});

describe('X-Organization-Id', () => {
  test.each<[string, string | string[], string]>([
    ['absent', [], 'is required'],
    ['empty', '', 'must be a UUID'],
    ['no UUID', 'x', 'must be a UUID'],
    ['sent twice', [randomUUID(), randomUUID()], 'must be sent once'],
  ])('%s is refused', async (_what, value, message) => {
    const headers = { 'X-Organization-Id': value };
    const answer = await run(handler, echoed(organization, { headers }));
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toEqual([{ path: 'X-Organization-Id', message }]);
    expect(answer.log[0]?.line.user_id).toBe(organization.users.owner);
  });

  test('in upper case is the same organization', async () => {
    const headers = { 'X-Organization-Id': organization.id.toUpperCase() };
    const { status, body, log } = await run(handler, echoed(organization, { headers }));
    expect([status, body.organizationId]).toEqual([201, organization.id]);
    expect(log[0]?.line.organization_id).toBe(organization.id);
  });
});

describe('whoever may not', () => {
  test.each(permissions)('only roles with %s pass, with their role', async (permission) => {
    const guarded = serve(echo({ permission }));
    for (const role of roles) {
      const request = echoed(organization);
      request.headers = { ...request.headers, ...organization.headers({}, role) };
      const answer = await run(guarded, request);
      const passes = rolePermissions[role].has(permission);
      expect([role, answer.status]).toEqual([role, passes ? 201 : 403]);
      expect(answer.body.role ?? answer.body.error.code).toBe(passes ? role : 'forbidden');
    }
  });

  test('a stranger and an unknown organization look the same', async () => {
    const ofStranger = { headers: { Authorization: stranger } };
    const elsewhere = { headers: { 'X-Organization-Id': randomUUID() } };
    for (const change of [ofStranger, elsewhere]) {
      const answer = await run(handler, echoed(organization, change));
      expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
      expect(answer.body.error.details).toBeUndefined();
    }
  });

  test.each<[string, Request, string]>([
    [
      'a body of another type',
      { headers: { 'Content-Type': 'text/plain' } },
      'unsupported_media_type',
    ],
    ['a body that is no JSON', { body: '{' }, 'invalid_request'],
    ['an unknown query', { query: { x: ['1'] } }, 'invalid_request'],
    ['a header twice', { headers: { 'Idempotency-Key': ['a', 'b'] } }, 'invalid_request'],
  ])('hears forbidden, not of %s', async (_what, change, code) => {
    const answer = await run(handler, echoed(organization, change));
    expect(codeOf(answer)).toBe(code);
    const headers = { ...change.headers, Authorization: stranger };
    expect(codeOf(await run(handler, echoed(organization, { ...change, headers })))).toBe(
      'forbidden',
    );
  });

  test('costs the read of a membership and nothing more, however often', async () => {
    let reads = 0;
    const counting = serve(
      echo({
        async read() {
          reads++;
        },
      }),
    );
    for (let i = 0; i < 3; i++) {
      const { log } = await run(
        counting,
        echoed(organization, { headers: { Authorization: stranger } }),
      );
      expect(log[0]?.line).toMatchObject({ code: 'forbidden', capacity_units: 1 });
    }
    const role = organization.headers({}, 'viewer');
    expect(codeOf(await run(counting, echoed(organization, { headers: role })))).toBe('forbidden');
    expect(reads).toBe(0);
    expect((await run(counting, echoed(organization))).status).toBe(201);
    expect(reads).toBe(1);
  });

  test('is refused too where the environment has seen a member, who is none any more', async () => {
    const { id, tokens, users } = await Organization.make();
    let [reads, handled] = [0, 0];
    const counting = serve(
      echo({
        async read() {
          reads++;
          throw new ApiError('not_found');
        },
        handle: () => {
          handled++;
          return { body: {} };
        },
      }),
    );
    const headers = { Authorization: `Bearer ${tokens.agent}`, 'X-Organization-Id': id };
    const ask = () => run(counting, echoed(organization, { headers }));
    expect(codeOf(await ask())).toBe('not_found');
    await openTable().transact(removeMember(id, users.agent, { version: 1 }));
    const unhandled = await unhandledDuring(async () => {
      expect(codeOf(await ask())).toBe('forbidden');
    });
    expect([reads, handled, unhandled]).toEqual([2, 0, []]);
    // From then on it is a stranger's.
    expect(codeOf(await ask())).toBe('forbidden');
    expect([reads, handled]).toEqual([2, 0]);
  });

  test('is told no later of an organization that is there, since nothing else is waited for', async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = serve(echo({ read: () => slow }));
    const request = echoed(organization, { headers: { Authorization: stranger } });
    expect(codeOf(await run(waiting, request))).toBe('forbidden');
    release();
  });
});

test('a member whom the environment has seen is read while the membership is', async () => {
  const order: string[] = [];
  const noting = serve(
    echo({
      async read() {
        order.push('read');
      },
      handle: () => {
        order.push('handle');
        return { body: {} };
      },
    }),
  );
  const original = TableClient.prototype.get;
  const get = vi.spyOn(TableClient.prototype, 'get').mockImplementation(async function (
    this: TableClient,
    ...all
  ) {
    const item = await original.apply(this, all);
    if (all[0].sk.startsWith('MEMBER#')) order.push('membership');
    return item;
  });
  try {
    await run(noting, echoed(organization));
    await run(noting, echoed(organization));
  } finally {
    get.mockRestore();
  }
  expect(order).toEqual(['membership', 'read', 'handle', 'read', 'membership', 'handle']);
});

describe('a membership that is asked for again', () => {
  test('is read anew, and refused once it is gone', async () => {
    const { id, tokens, users } = await Organization.make();
    let isMember = false;
    const asking = serve(
      echo({
        async handle({ assertAllowed }) {
          await assertAllowed();
          isMember = true;
          await openTable().transact(removeMember(id, users.agent, { version: 1 }));
          await assertAllowed();
          return { body: {} };
        },
      }),
    );
    const headers = { Authorization: `Bearer ${tokens.agent}`, 'X-Organization-Id': id };
    expect(codeOf(await run(asking, echoed(organization, { headers })))).toBe('forbidden');
    expect(isMember).toBe(true);
  });
});

test('what was read, and the caller’s role, is handled', async () => {
  const reading = serve(
    echo({
      read: async () => 'data',
      handle: ({ role }, data) => ({ body: { role, data } }),
    }),
  );
  const { body } = await run(reading, echoed(organization));
  expect(body).toEqual({ role: 'owner', data: 'data' });
});
