import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  membersOnly,
  type Role,
  rolePermissions,
  roles,
} from '../../../lib/operations/permissions.ts';
import { usesUp, withNewKey } from '../../support/again.ts';
import { type Answer, call, routed, routes } from '../../support/api.ts';
import { openingWallet } from '../../support/billing.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sample } from '../../support/samples.ts';
import { some } from '../../support/some.ts';
import { makeApiKey } from '../keys/api-keys.ts';

// What every operation owes its callers, by its definition and its sample event alone. What the chain does for all is
// tested on a few: tokens in test/unit/tokens/, bodies and headers in test/api/input/.

test('operation ids and routes are unique', () => {
  const ids = routes.map(({ id }) => id);
  const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(addresses).size).toBe(addresses.length);
});

let other: Organization;
beforeAll(async () => {
  other = await provision();
});

describe.each(routed)('$method $path', (operation) => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await provision(openingWallet(40, 1000));
  });

  interface Change {
    /** A header left undefined is not sent. */
    headers?: Record<string, string | undefined>;
    query?: string;
    body?: string;
  }

  let unused: Promise<APIGatewayProxyEvent> | undefined;

  /** The last sample, until a request has used it up. */
  const usable = (): Promise<APIGatewayProxyEvent> => {
    unused ??= sample(operation.id, organization);
    return unused;
  };

  const send = async ({ headers = {}, query, body }: Change = {}): Promise<Answer> => {
    const event = await usable();
    const all = { ...withNewKey(event.headers), ...headers };
    const parameters =
      query ?? `${new URLSearchParams((event.queryStringParameters as never) ?? {})}`;
    const answer = await call(operation.method, `${event.path}?${parameters}`, {
      headers: Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]),
      ...(event.body && { body: body ?? event.body }),
    });
    if (usesUp(operation, answer)) unused = undefined;
    return answer;
  };

  const expectRefusal = (answer: Answer, code: string, path?: string) => {
    expect([answer.body.error.code, answer.text]).toEqual([code, answer.text]);
    const paths = answer.body.error.details?.map((detail: { path: string }) => detail.path);
    if (path !== undefined) expect(paths).toEqual([path]);
  };

  test(`${operation.id} takes no request without a token`, async () => {
    expectRefusal(await send({ headers: { Authorization: undefined } }), 'unauthenticated');
  });

  test(`${operation.id} acts in the active organization only, and tells a stranger nothing of it`, async () => {
    const without = await send({ headers: { 'X-Organization-Id': undefined } });
    expectRefusal(without, 'invalid_request', 'X-Organization-Id');
    const Authorization = `Bearer ${organization.tokens.owner}`;
    const sendTo = async (id: string, wrong: Change = {}) => {
      const answer = await send({ headers: { Authorization, 'X-Organization-Id': id }, ...wrong });
      expectRefusal(answer, 'forbidden');
      const { request_id: _, ...error } = answer.body.error;
      return [answer.status, error];
    };
    const told = await sendTo(other.id);
    expect(told).toEqual(await sendTo(randomUUID()));
    expect(told).toEqual(await sendTo(other.id, { query: 'undeclared=1', body: '{' }));
  });

  test(`${operation.id} needs no organization with an API key, and takes no other one`, async () => {
    const Authorization = `Bearer ${(await makeApiKey(organization, { role: 'admin' })).key}`;
    const elsewhere = { Authorization, 'X-Organization-Id': other.id };
    expectRefusal(await send({ headers: elsewhere }), 'unauthenticated');
    const answer = await send({ headers: { Authorization, 'X-Organization-Id': undefined } });
    const { permission } = operation;
    const isForKeys = rolePermissions.admin.has(permission) && !membersOnly.has(permission);
    if (!isForKeys) expectRefusal(answer, 'forbidden');
    else expect(answer.status).toBe(operation.response.status);
  });

  /** The sample's note is the owner's. */
  const isOwn = ['updateNote', 'deleteNote'].includes(operation.id);
  const isAllowed = (role: Role) =>
    rolePermissions[role].has(operation.permission) &&
    !(isOwn && !rolePermissions[role].has('members:write'));

  test(`${operation.id} is for roles with ${operation.permission} only`, async () => {
    const ask = (role: Role) =>
      send({ headers: { Authorization: `Bearer ${organization.tokens[role]}` } });
    for (const role of roles.filter((one) => !isAllowed(one))) {
      expectRefusal(await ask(role), 'forbidden');
    }
    // The owner's request is the sample of many other tests.
    const others = roles.filter((one) => one !== 'owner' && isAllowed(one));
    for (const role of some(others, 1, operation.id)) {
      expect([role, (await ask(role)).status]).toEqual([role, operation.response.status]);
    }
  });

  test(`${operation.id} refuses an undeclared query parameter`, async () => {
    const { queryStringParameters } = await usable();
    const query = `${new URLSearchParams({ ...queryStringParameters, undeclared: '1' } as never)}`;
    expectRefusal(await send({ query }), 'invalid_request', 'undeclared');
  });

  if (!operation.request.body) return;

  test(`${operation.id} refuses an undeclared field`, async () => {
    const { body } = await usable();
    const unknown = JSON.stringify({ ...JSON.parse(body ?? ''), undeclared: 1 });
    expectRefusal(await send({ body: unknown }), 'invalid_request', 'undeclared');
  });
});
