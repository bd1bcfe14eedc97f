import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { rolePermissions, roles } from '../../../lib/operations/permissions.ts';
import { usesUp, withNewKey } from '../../support/again.ts';
import { type Answer, call, routed, routes } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sample } from '../../support/samples.ts';
import { now, sign } from '../../support/tokens.ts';

// What every operation owes its callers, by its definition and its sample event alone.

const anotherKey = generateKeyPair('RS256', { extractable: true }).then(({ privateKey }) =>
  exportJWK(privateKey),
);

test('operation ids and routes are unique', () => {
  const ids = routes.map(({ id }) => id);
  const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(addresses).size).toBe(addresses.length);
});

describe.each(routed)('$id', (operation) => {
  let organization: Organization;
  let other: Organization;

  beforeAll(async () => {
    [organization, other] = await Promise.all([provision(), provision()]);
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

  const token = async (claims: object, ...rest: [header?: object, key?: unknown]) => ({
    Authorization: `Bearer ${await sign({ sub: organization.users.owner, ...claims }, ...rest)}`,
  });

  test('its sample is a request of it, as API Gateway hands one over', async () => {
    const event = await sample(operation.id, organization);
    expect([event.httpMethod, event.resource]).toEqual([operation.method, operation.path]);
    const path = event.resource.replace(
      /\{(\w+)\}/g,
      (_, name) => `${event.pathParameters?.[name]}`,
    );
    expect(event.path).toBe(path);
    const { resourcePath, httpMethod } = event.requestContext;
    expect([httpMethod, resourcePath]).toEqual([event.httpMethod, event.resource]);
  });

  test('its sample is answered', async () => {
    expect((await send()).status).toBe(operation.response.status);
  });

  describe('takes only a valid token of its issuer', () => {
    test('a freshly signed one is taken', async () => {
      expect((await send({ headers: await token({}) })).status).toBe(operation.response.status);
    });

    test.each([
      ['none', async () => ({ Authorization: undefined })],
      ['not a bearer token', async () => ({ Authorization: 'Basic b3duZXI6c2VjcmV0' })],
      ['malformed', async () => ({ Authorization: 'Bearer not.a.token' })],
      ['expired', () => token({ exp: now() - 10 })],
      ['of another issuer', () => token({ iss: 'https://issuer.example' })],
      ['for another audience', () => token({ aud: 'another' })],
      ['without expiry', () => token({ exp: undefined })],
      ['without subject', () => token({ sub: undefined })],
      ['of the future', () => token({ iat: now() + 3600 })],
      ['with an unknown key id', () => token({}, { kid: 'unknown' })],
      ['signed with another key', async () => token({}, {}, await anotherKey)],
    ])('%s', async (_name, headers) => {
      expectRefusal(await send({ headers: await headers() }), 'unauthenticated');
    });
  });

  describe('acts in the active organization only', () => {
    test('no organization', async () => {
      const answer = await send({ headers: { 'X-Organization-Id': undefined } });
      expectRefusal(answer, 'invalid_request', 'X-Organization-Id');
    });

    test('a malformed organization', async () => {
      const answer = await send({ headers: { 'X-Organization-Id': 'acme' } });
      expectRefusal(answer, 'invalid_request', 'X-Organization-Id');
    });

    test('an organization of others, and one that does not exist, look the same', async () => {
      const foreign = await send({ headers: { 'X-Organization-Id': other.id } });
      const unknown = await send({ headers: { 'X-Organization-Id': randomUUID() } });
      for (const answer of [foreign, unknown]) expectRefusal(answer, 'forbidden');
      expect(foreign.body.error.message).toBe(unknown.body.error.message);
    });

    test('someone who is a member of none', async () => {
      expectRefusal(await send({ headers: await token({ sub: randomUUID() }) }), 'forbidden');
    });

    test('a stranger is not told what else is wrong', async () => {
      const headers = { 'X-Organization-Id': other.id };
      expectRefusal(await send({ headers, query: 'undeclared=1', body: '{' }), 'forbidden');
    });
  });

  test.each(roles)(`${operation.permission} as %s`, async (role) => {
    const answer = await send({
      headers: { Authorization: `Bearer ${organization.tokens[role]}` },
    });
    // The sample's note is the owner's.
    const othersNote = role === 'agent' && ['updateNote', 'deleteNote'].includes(operation.id);
    if (rolePermissions[role].has(operation.permission) && !othersNote) {
      expect(answer.status).toBe(operation.response.status);
    } else {
      expectRefusal(answer, 'forbidden');
    }
  });

  test('refuses an undeclared query parameter', async () => {
    const { queryStringParameters } = await usable();
    const query = `${new URLSearchParams({ ...queryStringParameters, undeclared: '1' } as never)}`;
    expectRefusal(await send({ query }), 'invalid_request', 'undeclared');
  });

  if (!operation.request.body) return;

  test('refuses a body that is not a JSON object of its own', async () => {
    expectRefusal(await send({ body: '{"contact_name":' }), 'invalid_request');
    expectRefusal(await send({ body: '[]' }), 'invalid_request');
    expectRefusal(
      await send({ headers: { 'Content-Type': 'text/plain' } }),
      'unsupported_media_type',
    );
    const { body } = await usable();
    const unknown = JSON.stringify({ ...JSON.parse(body ?? ''), undeclared: 1 });
    expectRefusal(await send({ body: unknown }), 'invalid_request', 'undeclared');
  });
});
