import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { removeMember } from '../../../lib/organizations/members.ts';
import { openTable, TableClient } from '../../../lib/table/client.ts';
import { commitIn } from '../../support/origin.ts';
import { sign } from '../../support/tokens.ts';
import { echo, echoed } from '../echo.ts';
import { type Answer, Organization, type Request, run } from '../support.ts';

// That each operation asks for its permission, and what a stranger hears: test/api/requests/operations.test.ts.

const handler = serve(echo());
let organization: Organization;
let stranger: Request;

beforeAll(async () => {
  organization = await Organization.make();
  stranger = { headers: { Authorization: `Bearer ${await sign({ sub: randomUUID() })}` } };
});

const codeOf = ({ status, body }: Answer): string | number => body?.error?.code ?? status;
const send = (change: Request = {}, to = handler) => run(to, echoed(organization, change));

/** An operation that counts how often it reads, and how often it is handled. */
const counting = (change: Parameters<typeof echo>[0] = {}) => {
  const counts = { reads: 0, handled: 0 };
  const operation = echo({
    async read() {
      counts.reads++;
    },
    handle() {
      counts.handled++;
      return { body: {} };
    },
    ...change,
  });
  return { counts, handler: serve(operation) };
};

/** The agent's membership as the organization was made with it. */
const asMade = { role: 'agent', name: null, version: 1 } as const;

test('what was read, and the caller’s role, is handled; where nothing is read, there is no data', async () => {
  const handle = ({ role }: { role: string }, data: unknown) => ({ body: { role, data } });
  const reading = serve(echo({ read: async () => 'data', handle }));
  expect((await send({}, reading)).body).toEqual({ role: 'owner', data: 'data' });
  const { read: _, ...silent } = echo({ handle });
  expect((await send({}, serve(silent))).body).toEqual({ role: 'owner' });
});

const sentTo = (value: string | string[]) => send({ headers: { 'X-Organization-Id': value } });

test.each<[string, string | string[], string]>([
  ['absent', [], 'is required'],
  ['empty', '', 'must be a UUID'],
  ['no UUID', 'x', 'must be a UUID'],
  ['sent twice', [randomUUID(), randomUUID()], 'must be sent once'],
])('X-Organization-Id %s is refused', async (_what, value, message) => {
  const { status, body, log } = await sentTo(value);
  expect(status).toBe(400);
  expect(body.error.details).toEqual([{ path: 'X-Organization-Id', message }]);
  expect(log[0]?.line.user_id).toBe(organization.users.owner);
});

test('X-Organization-Id in upper case is the same organization', async () => {
  const { status, body, log } = await sentTo(organization.id.toUpperCase());
  expect([status, body.organizationId]).toEqual([201, organization.id]);
  expect(log[0]?.line.organization_id).toBe(organization.id);
});

test('whoever may not costs the read of a membership and nothing more, however often', async () => {
  const { counts, handler } = counting();
  for (let i = 0; i < 3; i++) {
    const { log } = await send(stranger, handler);
    expect(log[0]?.line).toMatchObject({ code: 'forbidden', capacity_units: 1 });
  }
  const headers = organization.headers({}, 'viewer');
  expect(codeOf(await send({ headers }, handler))).toBe('forbidden');
  expect(counts.reads).toBe(0);
  expect((await send({}, handler)).status).toBe(201);
  expect(counts.reads).toBe(1);
});

test('a member whom the environment has seen, and who is none any more, is refused', async () => {
  const { id, tokens, users } = await Organization.make();
  const { counts, handler } = counting({
    async read() {
      counts.reads++;
      throw new ApiError('not_found');
    },
  });
  const headers = { Authorization: `Bearer ${tokens.agent}`, 'X-Organization-Id': id };
  const ask = async () => codeOf(await send({ headers }, handler));
  expect(await ask()).toBe('not_found');
  await commitIn(openTable())(removeMember(id, users.agent, Date.now(), asMade));
  // The second time it is a stranger's. What fails unheard, as the first time's read, would fail the run.
  for (const _ of [1, 2]) {
    expect(await ask()).toBe('forbidden');
    expect(counts).toEqual({ reads: 2, handled: 0 });
  }
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
    if (all[0].pk.startsWith('MEMBERS#')) order.push('membership');
    return item;
  });
  try {
    for (const _ of [1, 2]) await send({}, noting);
  } finally {
    get.mockRestore();
  }
  expect(order).toEqual(['membership', 'read', 'handle', 'read', 'membership', 'handle']);
});

test('a membership that is asked for again is read anew, and refused once it is gone', async () => {
  const { id, tokens, users } = await Organization.make();
  let isMember = false;
  const asking = serve(
    echo({
      async handle({ assertAllowed }) {
        await assertAllowed();
        isMember = true;
        await commitIn(openTable())(removeMember(id, users.agent, Date.now(), asMade));
        await assertAllowed();
        return { body: {} };
      },
    }),
  );
  const headers = { Authorization: `Bearer ${tokens.agent}`, 'X-Organization-Id': id };
  expect(codeOf(await send({ headers }, asking))).toBe('forbidden');
  expect(isMember).toBe(true);
});
