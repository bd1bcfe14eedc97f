import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, type Request, run } from '../../support.ts';

const handler = serve(echo());
let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

const send = (change: Request, to = handler) => run(to, echoed(organization, change));
const details = async (change: Request, of = handler) => {
  const { status, body } = await send(change, of);
  expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
  return body.error.details;
};

test('the call has what the request had', async () => {
  const before = Date.now();
  const headers = { 'Idempotency-Key': randomUUID(), 'If-Match': '"12"' };
  const { body, headers: reply } = await send({ headers, query: { limit: ['20'] } });
  expect(body).toEqual({
    organizationId: organization.id,
    userId: organization.users.owner,
    origin: { by: organization.users.owner, requestId: reply['X-Request-Id'] },
    role: 'owner',
    ifMatch: '12',
    path: { id: 'a' },
    query: { limit: '20' },
    body: { value: 1 },
    now: expect.any(Number),
  });
  expect(body.now).toBeGreaterThanOrEqual(before);
});

test('all that is wrong is told at once', async () => {
  const found = await details({
    path: { id: 'a', other: 'b' },
    query: { limit: ['1'], x: ['1'] },
    body: '{"color":"red"}',
  });
  expect(found).toEqual([
    { path: 'other', message: 'is not known here' },
    { path: 'limit', message: 'is short' },
    { path: 'x', message: 'is not a query parameter here: there are limit' },
    { path: 'color', message: 'is not known here' },
  ]);
});

test.each([
  // As JSON, with its quotes, 100 bytes.
  ['x'.repeat(98), 'x'.repeat(98)],
  ['x'.repeat(99), `${'x'.repeat(15)}…`],
  ['é'.repeat(49), 'é'.repeat(49)],
  ['é'.repeat(50), `${'é'.repeat(15)}…`],
  ['\u0001'.repeat(17), `${'\u0001'.repeat(15)}…`],
  [`${'x'.repeat(14)}${'🌟'.repeat(99)}`, `${'x'.repeat(14)}\ufffd…`],
])(
  'what is told of what is wrong does not grow with the name that was sent: %s',
  async (name, path) => {
    expect(await details({ body: JSON.stringify({ [name]: 1 }) })).toMatchObject([{ path }]);
  },
);

test('what is told of what is wrong names the whole way to a field', async () => {
  const nested = z.strictObject({ a: z.array(z.strictObject({ b: z.string() })) });
  const deep = serve(echo({ request: { ...echo().request, body: nested } }));
  expect(await details({ body: '{"a":[{"b":1},{"b":"","c":1}]}' }, deep)).toEqual([
    { path: 'a.0.b', message: 'must be a text' },
    { path: 'a.1.c', message: 'is not known here' },
  ]);
});

test('a query parameter is sent once', async () => {
  const refused = [{ path: 'limit', message: 'must be sent once' }];
  for (const limit of [['20', '20'], []])
    expect(await details({ query: { limit } })).toEqual(refused);
  expect((await send({ query: { limit: ['20'] } })).status).toBe(201);
});

test('what an operation does not declare is refused, and absent otherwise', async () => {
  const bare = serve(echo({ request: {} }));
  const request = { ...echoed(organization), path: null };
  expect((await run(bare, request)).body).toMatchObject({ path: {}, query: {} });
  const wrong: [Request, string][] = [
    [{ path: { id: 'a' } }, 'is not known here'],
    [{ query: { limit: ['20'] } }, 'is not a query parameter here: there are none'],
  ];
  for (const [change, message] of wrong) {
    const { status, body } = await run(bare, { ...request, ...change });
    expect([status, body.error.details]).toMatchObject([400, [{ message }]]);
  }
  expect(await details({ path: null })).toMatchObject([{ path: 'id' }]);
});

test('an Idempotency-Key is a UUID, sent once or not at all', async () => {
  const path = 'Idempotency-Key';
  const keyed = (value: string | string[]) => ({ headers: { [path]: value } });
  const uuid = randomUUID();
  const quoted = `"${uuid}"`;
  const wrong = [`"${uuid}`, `${uuid}"`, `"${quoted}"`, `'${uuid}'`, `x${quoted}`, `${quoted}x`];
  for (const value of ['', 'x', '""', ...wrong]) {
    expect(await details(keyed(value))).toEqual([{ path, message: 'must be a UUID' }]);
  }
  const twice = await details(keyed([uuid, randomUUID()]));
  expect(twice).toEqual([{ path, message: 'must be sent once' }]);
  expect((await send({})).body).not.toHaveProperty('idempotencyKey');
  // It is not looked at where the operation takes none.
  const { status, body } = await send(keyed('x'), serve(echo({ idempotent: false })));
  expect([status, body.idempotencyKey]).toEqual([201, undefined]);
});

const matching = (value: string | string[]) => ({ headers: { 'If-Match': value } });

test.each([
  ['"1"', '1'],
  ['"123456789012345"', '123456789012345'],
  ['*', 'undefined'],
  [[], 'undefined'],
  ['""', 'NaN'],
  ['"0"', 'NaN'],
  ['"01"', 'NaN'],
  ['"a"', 'NaN'],
  ['W/"1",W/"2"', 'NaN,NaN'],
  ['"1", "2"', '1,2'],
  ['"1" ,W/"2",","', '1,NaN,NaN'],
  ['"1234567890123456"', 'NaN'],
])('If-Match: %j means version %s', async (value, version) => {
  expect((await send(matching(value))).body.ifMatch).toBe(version);
});

test.each(['', '1', '"1', '1"', 'W/1', 'w/"1"', '"1" "2"', '"1",', '"1", 2', '" "', '*, "1"'])(
  'If-Match: %j is no ETag',
  async (value) => {
    expect(await details(matching(value))).toEqual([
      { path: 'If-Match', message: 'must be an ETag, as "3"' },
    ]);
  },
);

test('If-Match is sent once, and not looked at where the operation takes none', async () => {
  const twice = matching(['"1"', '"1"']);
  expect(await details(twice)).toEqual([{ path: 'If-Match', message: 'must be sent once' }]);
  const { status, body } = await send(twice, serve(echo({ takesIfMatch: false })));
  expect([status, body.ifMatch]).toEqual([201, 'undefined']);
});
