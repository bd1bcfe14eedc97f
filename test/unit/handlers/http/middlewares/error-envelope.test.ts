import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { errorBody } from '../../../../../lib/errors/error-body.ts';
import {
  ApiError,
  type ErrorCode,
  errorCodes,
  errorKinds,
} from '../../../../../lib/errors/errors.ts';
import { serve } from '../../../../../lib/handlers/http/serve.ts';
import { echo, echoed } from '../../../echo.ts';
import { Organization, run } from '../../../support.ts';

let organization: Organization;

// One request in twenty is counted, which costs a unit: the first nineteen are not.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.999));
afterEach(() => vi.mocked(Math.random).mockRestore());

beforeAll(async () => {
  organization = await Organization.make();
});

/** Those of every response in an organization, but for its type and its request. */
const usualHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
  'RateLimit-Policy': '"organization";q=5000;w=2',
  RateLimit: expect.stringMatching(/^"organization";r=\d+;t=\d$/),
};

const answerOf = (handle: ReturnType<typeof echo>['handle']) =>
  run(serve(echo({ handle })), echoed(organization));

const failing = (error: unknown) =>
  answerOf(() => {
    throw error;
  });

test('a reply has the status that the operation declares, and the headers of every response', async () => {
  const answer = await answerOf(() => ({ body: { a: 'ã' } }));
  expect(answer).toMatchObject({ status: 201, text: '{"a":"ã"}' });
  expect(answer.headers).toEqual({
    'Content-Type': 'application/json',
    'X-Request-Id': answer.requestId,
    ...usualHeaders,
  });
});

test('a reply may have another status, more headers, and no body, which has no type', async () => {
  const more = await answerOf(() => ({ status: 202, headers: { ETag: '"1"' }, body: null }));
  expect(more).toMatchObject({ status: 202, text: 'null', headers: { ETag: '"1"' } });
  const none = await answerOf(() => ({ status: 204, body: undefined }));
  expect(none).toMatchObject({ status: 204, text: '' });
  expect(none.headers).toEqual({ 'X-Request-Id': none.requestId, ...usualHeaders });
});

test('a reply is one line of the log, with ids and numbers', async () => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 30));
  const { log, requestId } = await answerOf(async () => {
    await wait();
    return { body: {} };
  });
  const line = {
    operation: 'echo',
    status: 201,
    request_id: requestId,
    organization_id: organization.id,
    user_id: organization.users.owner,
    duration_ms: expect.any(Number),
    // Membership, consistent, 1; the counter of requests, 0.5; what echo reads, 0.5.
    capacity_units: 3,
    code: undefined,
  };
  expect(log).toEqual([{ level: 'info', line }]);
  const duration = Number(log[0]?.line.duration_ms);
  expect(duration).toBeGreaterThanOrEqual(29);
  expect(duration).toBeLessThan(30_000);
});

test('a reply counts the capacity of its own request only', async () => {
  const handler = serve(echo());
  const units = async () => (await run(handler, echoed(organization))).log[0]?.line.capacity_units;
  expect([await units(), await units()]).toEqual([3, 2]);
});

// Written out: none of these may change. A code that is new has the status of its definition.
const statuses = new Map<string, number>([
  ...errorCodes.map((code): [string, number] => [code, errorKinds[code].status]),
  ...Object.entries({
    400: 'invalid_request invalid_cursor',
    401: 'unauthenticated',
    403: 'forbidden',
    404: 'not_found',
    409: 'duplicate_lead idempotency_key_reused write_conflict stage_in_use last_owner limit_reached',
    412: 'precondition_failed',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    429: 'rate_limited',
    500: 'internal',
    503: 'unavailable',
    504: 'timeout',
  }).flatMap(([status, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(status)]),
  ),
]);

test.each([...statuses])('the error %s is %i, in the envelope', async (code, status) => {
  const answer = await failing(new ApiError(code as ErrorCode));
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    error: { code, message: expect.stringMatching(/^\w.+\.$/), request_id: answer.requestId },
  });
  expect(z.safeParse(errorBody, answer.body).error).toBeUndefined();
  expect(answer.headers).toEqual({
    'Content-Type': 'application/json',
    'X-Request-Id': answer.requestId,
    ...usualHeaders,
    ...((status === 429 || status === 503) && { 'Retry-After': '1' }),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
  });
  expect(answer.log).toMatchObject([
    { level: status < 500 ? 'info' : 'error', line: { operation: 'echo', status, code } },
  ]);
});

test('an error of the service’s own names its cause in the log, and tells the client nothing of it', async () => {
  const answer = await failing(new TypeError('a secret'));
  expect([answer.status, answer.body.error.code]).toEqual([500, 'internal']);
  expect(answer.text).not.toContain('secret');
  expect(answer.log[0]?.line.cause).toEqual({
    name: 'TypeError',
    message: 'a secret',
    stack: expect.stringContaining('error-envelope.test.ts'),
  });
  for (const thrown of ['text', { statusCode: 418 }]) {
    const { status, log } = await failing(thrown);
    expect([status, log[0]?.line.cause]).toEqual([500, undefined]);
  }
});

test('an error of the client’s has no cause in the log, and says which fields are wrong', async () => {
  const details = [{ path: 'email', message: 'is odd' }];
  const cause = new Error('why');
  const { body, log } = await failing(new ApiError('invalid_request', { details, cause }));
  expect(body.error.details).toEqual(details);
  expect(log[0]?.line).not.toHaveProperty('cause');
});
