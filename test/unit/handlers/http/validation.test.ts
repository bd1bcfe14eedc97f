import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { issueDetails } from '../../../../lib/schema/issues.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, type Request, run } from '../../support.ts';

const handler = serve(echo());
let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

const send = (change: Request) => run(handler, echoed(organization, change));
const details = async (change: Request) => {
  const { status, body } = await send(change);
  expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
  return body.error.details;
};

test('the call has what the request had', async () => {
  const before = Date.now();
  const key = randomUUID();
  const headers = { 'Idempotency-Key': key.toUpperCase(), 'If-Match': '"12"' };
  const { body } = await send({ headers, query: { limit: ['20'] } });
  expect(body).toEqual({
    organizationId: organization.id,
    userId: organization.users.owner,
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

test('the commonest problems are told in plain words', () => {
  const schema = z.strictObject({
    id: z.uuid(),
    at: z.iso.datetime({ offset: true }),
    name: z.string(),
    count: z.number(),
    kind: z.enum(['a', 'b']),
    own: z.string().check(z.regex(/^a/, 'must begin with a')),
    one: z.string().check(z.regex(/^b/)),
  });
  const given = { id: 'x', at: '2026-11-21T09:00:00 01:00', count: 'many', own: 'b', one: 'a' };
  const told = issueDetails(schema.safeParse(given).error!);
  expect(Object.fromEntries(told.map(({ path, message }) => [path, message]))).toEqual({
    id: 'must be a UUID',
    at: 'must be a date and time with Z or an offset, as 2026-11-21T09:00:00Z',
    name: 'is required',
    kind: 'is required',
    count: 'must be a number',
    own: 'must begin with a',
    one: 'must match /^b/',
  });
});

describe('what is told of what is wrong', () => {
  const paths = async (names: string[]) => {
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    return (await details({ body })).map(({ path }: { path: string }) => path);
  };

  test('ends after 20', async () => {
    const names = Array.from({ length: 21 }, (_, i) => `x${i}`);
    expect(await paths(names)).toEqual(names.slice(0, 20));
  });

  test('does not grow with the names that were sent', async () => {
    const shortened = `${'x'.repeat(15)}…`;
    // As JSON, with its quotes, 100 bytes.
    expect(await paths(['x'.repeat(98)])).toEqual(['x'.repeat(98)]);
    expect(await paths(['x'.repeat(99)])).toEqual([shortened]);
    expect(await paths(['x'.repeat(1000)])).toEqual([shortened]);
    expect(await paths(['é'.repeat(49)])).toEqual(['é'.repeat(49)]);
    expect(await paths(['é'.repeat(50)])).toEqual([`${'é'.repeat(15)}…`]);
    expect(await paths(['\u0001'.repeat(17)])).toEqual([`${'\u0001'.repeat(15)}…`]);
    expect(await paths([`${'x'.repeat(14)}${'🌟'.repeat(99)}`])).toEqual([
      `${'x'.repeat(14)}\ufffd…`,
    ]);
  });

  test('names the whole way to a field', async () => {
    const nested = z.strictObject({ a: z.array(z.strictObject({ b: z.string() })) });
    const deep = serve(echo({ request: { ...echo().request, body: nested } }));
    const { body } = await run(
      deep,
      echoed(organization, { body: '{"a":[{"b":1},{"b":"","c":1}]}' }),
    );
    expect(body.error.details).toEqual([
      { path: 'a.0.b', message: 'must be a text' },
      { path: 'a.1.c', message: 'is not known here' },
    ]);
  });
});

test('a key that is not valid is told what it has to be', () => {
  const key = z.string().check(z.regex(/^[a-z]+$/, 'must be letters in lower case'));
  const result = z.safeParse(z.record(key, z.number()), { A: 1, b: 'x' });
  expect(issueDetails(result.error!)).toEqual([
    { path: 'A', message: 'must be letters in lower case' },
    { path: 'b', message: 'must be a number' },
  ]);
});

test('a query parameter is sent once', async () => {
  expect(await details({ query: { limit: ['20', '20'] } })).toEqual([
    { path: 'limit', message: 'must be sent once' },
  ]);
  expect(await details({ query: { limit: [] } })).toEqual([
    { path: 'limit', message: 'must be sent once' },
  ]);
  expect((await send({ query: { limit: ['20'] } })).status).toBe(201);
});

test('parameters in brackets are an object, where nothing else is around them', async () => {
  const query = z.strictObject({ fields: z.optional(z.record(z.string(), z.array(z.string()))) });
  const filtered = serve(echo({ request: { ...echo().request, query } }));
  const ask = (parameters: Record<string, string[]>) =>
    run(filtered, echoed(organization, { query: parameters }));
  const taken = await ask({ 'fields[a]': ['1'], 'fields[]': ['2'] });
  expect(taken.body.query).toEqual({ fields: { a: ['1'], '': ['2'] } });
  for (const name of ['x fields[a]', 'fields[a]x', 'fields[a][b]', 'fields[a', '[a]', 'other[a]']) {
    const { status, body } = await ask({ [name]: ['1'] });
    const path = name === 'other[a]' ? 'other' : name;
    const message = 'is not a query parameter here: there are fields';
    expect([status, body.error?.details]).toEqual([400, [{ path, message }]]);
  }
  expect((await ask({ fields: ['1'], 'fields[a]': ['1'] })).status).toBe(400);
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
  const missing = await details({ path: null });
  expect(missing).toMatchObject([{ path: 'id' }]);
});

describe('Idempotency-Key', () => {
  const keyed = (value: string | string[]) => ({ headers: { 'Idempotency-Key': value } });

  test('is a UUID, sent once or not at all', async () => {
    const path = 'Idempotency-Key';
    const uuid = randomUUID();
    for (const value of ['', 'x', '""', `"${uuid}`, `${uuid}"`, `""${uuid}""`, `'${uuid}'`]) {
      expect(await details(keyed(value))).toEqual([{ path, message: 'must be a UUID' }]);
    }
    const twice = [randomUUID(), randomUUID()];
    expect(await details(keyed(twice))).toEqual([{ path, message: 'must be sent once' }]);
    expect((await send({})).body).not.toHaveProperty('idempotencyKey');
  });

  test('is not looked at where the operation takes none', async () => {
    const request = echoed(organization, keyed('x'));
    const { status, body } = await run(serve(echo({ idempotent: false })), request);
    expect([status, body.idempotencyKey]).toEqual([201, undefined]);
  });
});

describe('If-Match', () => {
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
    ['W/"1"', 'NaN'],
    ['W/"1",W/"2"', 'NaN,NaN'],
    ['"1", "2"', '1,2'],
    ['"1" ,W/"2",","', '1,NaN,NaN'],
    ['"1234567890123456"', 'NaN'],
  ])('%j means version %s', async (value, version) => {
    expect((await send(matching(value))).body.ifMatch).toBe(version);
  });

  test.each(['', '1', '"1', '1"', 'W/1', 'w/"1"', '"1" "2"', '"1",', '"1", 2', '" "', '*, "1"'])(
    '%j is no ETag',
    async (value) => {
      expect(await details(matching(value))).toEqual([
        { path: 'If-Match', message: 'must be an ETag, as "3"' },
      ]);
    },
  );

  test('is sent once, and not looked at where the operation takes none', async () => {
    const twice = matching(['"1"', '"1"']);
    expect(await details(twice)).toEqual([{ path: 'If-Match', message: 'must be sent once' }]);
    const request = echoed(organization, twice);
    const { status, body } = await run(serve(echo({ takesIfMatch: false })), request);
    expect([status, body.ifMatch]).toEqual([201, 'undefined']);
  });
});
