import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../lib/errors.ts';
import type { ChainContext } from '../../lib/http/exchange.ts';
import { membership } from '../../lib/http/membership.ts';
import { serve } from '../../lib/http/serve.ts';
import { permissions, rolePermissions, roles } from '../../lib/permissions.ts';
import { openTable } from '../../lib/table/client.ts';
import type { Table } from '../../lib/table/table.ts';
import { sign } from '../support/tokens.ts';
import { echo, echoed } from './echo.ts';
import { type Answer, contextFor, Organization, type Request, run } from './support.ts';

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

  test('is never handled, though reading does not wait; and what reading throws is not told', async () => {
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
    const request = echoed(organization, { headers: { Authorization: stranger } });
    const unhandled = await unhandledDuring(async () => {
      expect(codeOf(await run(counting, request))).toBe('forbidden');
    });
    expect([reads, handled, unhandled]).toEqual([1, 0, []]);
    expect(codeOf(await run(counting, echoed(organization)))).toBe('not_found');
    expect([reads, handled]).toEqual([2, 0]);
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

test('a refusal that is known before anyone asks for it ends no process', async () => {
  const table = openTable();
  let reading: Promise<unknown> | undefined;
  const observed: Table<'GetItem'> = {
    get(key, options) {
      const item = table.get(key, options);
      reading = item;
      return item;
    },
  };
  const asking = middy()
    .use(membership(() => observed, 'leads:write'))
    .before(async () => {
      await reading;
      await turnOfEvents();
    })
    .handler(async (_event: unknown, context: unknown) => {
      return (context as ChainContext).exchange.membership;
    });
  const headers = new Map([['x-organization-id', [organization.id]]]);
  const ask = (userId: string) => {
    const exchange = { requestId: 'r', startedAt: 0, headers, userId };
    return asking({}, { ...contextFor(11_000), exchange } as never).catch(({ code }) => code);
  };
  const answers: unknown[] = [];
  const unhandled = await unhandledDuring(async () => {
    answers.push(await ask(randomUUID()), await ask(organization.users.owner));
  });
  expect([answers, unhandled]).toEqual([['forbidden', 'owner'], []]);
});
