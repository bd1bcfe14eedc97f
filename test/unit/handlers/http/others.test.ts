import httpSecurityHeaders from '@middy/http-security-headers';
import { beforeAll, expect, test } from 'vitest';
import { operation as answerAgent, tools } from '../../../../functions/agents/answer-agent.ts';
import { operation as getMe } from '../../../../functions/organizations/get-me.ts';
import { operation as getOrganization } from '../../../../functions/organizations/get-organization.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import type { ForeignMiddleware, HttpHandler } from '../../../../lib/handlers/http/middleware.ts';
import { serve, serveCaller } from '../../../../lib/handlers/http/serve.ts';
import { serveAgent } from '../../../../lib/handlers/http/serve-agent.ts';
import { replyBeforeTimeoutMs } from '../../../../lib/table/retry.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, type Request, run } from '../../support.ts';

// Middlewares of others, which stand before all of ours.

let organization: Organization;
beforeAll(async () => {
  organization = await Organization.make();
});

const refusing = (error: unknown) =>
  echo({
    handle: () => {
      throw error;
    },
  });
const terms = { tools, schemas: {}, getOrganization };
const lasting = echo({ handle: () => new Promise(() => {}) });

const send = (handler: HttpHandler, change: Request = {}) =>
  run(handler, echoed(organization, change), replyBeforeTimeoutMs + 1000);

test.each([
  [201, echo(), {}],
  [400, echo(), { body: '{' }],
  [401, echo(), { headers: { Authorization: '' } }],
  [404, refusing(new ApiError('not_found')), {}],
  [500, refusing(new TypeError('a bug')), {}],
  [504, lasting, {}],
])(
  'a published middleware is added in one line, and called where the status is %i',
  async (status, operation, change) => {
    const answer = await send(serve(operation, httpSecurityHeaders()), change);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'Referrer-Policy': 'no-referrer',
      'X-Request-Id': answer.requestId,
    });
    expect(answer.log).toHaveLength(1);
    const usual = await send(serve(operation), change);
    expect(usual.status).toBe(status);
    expect(usual.headers).not.toHaveProperty('Referrer-Policy');
  },
);

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test.each<[string, HttpHandler, Request]>([
  ['where there is no organization', serveCaller(getMe, httpSecurityHeaders()), {}],
  ['for an agent', serveAgent(answerAgent, terms, httpSecurityHeaders()), { body: ping }],
])('a published middleware is called %s, too', async (_where, handler, request) => {
  for (const [status, headers] of [
    [200, organization.headers({ 'Content-Type': 'application/json' })],
    [401, {}],
  ] as const) {
    const answer = await run(handler, { ...request, headers });
    expect([answer.status, answer.headers['Referrer-Policy']]).toEqual([status, 'no-referrer']);
  }
});

/** Notes what it sees, under its name. */
const noting = (name: string, seen: string[]): ForeignMiddleware => ({
  before: () => void seen.push(`${name} before`),
  after: ({ response }) => void seen.push(`${name} after ${response.statusCode}`),
  onError: ({ response, error }) =>
    void seen.push(`${name} on ${error?.message}: ${response.statusCode}`),
});

test('several are called as middy calls them, with the response that the client gets', async () => {
  const seen: string[] = [];
  const others = [noting('a', seen), noting('b', seen)];
  await send(serve(echo(), ...others));
  expect(seen.splice(0)).toEqual(['a before', 'b before', 'b after 201', 'a after 201']);
  await send(serve(refusing(new TypeError('a bug')), ...others));
  expect(seen).toEqual(['a before', 'b before', 'b on a bug: 500', 'a on a bug: 500']);
});

test.each<[string, ForeignMiddleware, number]>([
  ['before', { before: () => Promise.reject(new TypeError('a bug')) }, 1],
  // The log has what was done, and then what became of it.
  ['after', { after: () => Promise.reject(new TypeError('a bug')) }, 2],
])(
  'one that fails %s the work is an error of ours, in the envelope and the log',
  async (_when, failing, lines) => {
    const { status, body, log, requestId } = await send(serve(echo(), failing));
    expect([status, body.error]).toMatchObject([500, { code: 'internal', request_id: requestId }]);
    expect(log).toHaveLength(lines);
    expect(log.at(-1)).toMatchObject({
      level: 'error',
      line: { operation: 'echo', status: 500, code: 'internal', cause: { message: 'a bug' } },
    });
  },
);
