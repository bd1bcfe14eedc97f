import { connect } from 'node:net';
import { join } from 'node:path';
import { type Assembly, readAssembly } from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  eventually,
  expectEnvelope,
  ownDirectory,
  type Reply,
  type Runner,
  send,
  sendRaw,
  startRunner,
} from './support.ts';

const megabytes = 1024 * 1024;

const directory = ownDirectory();
let assembly: Assembly;
let runner: Runner;

beforeAll(async () => {
  assembly = await readAssembly(inject('appDirectory'), 'MyApp');
  runner = await startRunner(assembly, 1, join(directory, 'functions.log'));
});

afterAll(() => runner?.close());

const behave = (how: string, body?: Buffer): Promise<Reply> =>
  send(`${runner.baseUrl}/patient?${new URLSearchParams({ how })}`, { ...(body && { body }) });

const echo = (init: Parameters<typeof send>[1], query = '') =>
  send(`${runner.baseUrl}/echo/a%20b/to/c${query}`, init);

test('the event is that of a REST API’s proxy integration, with every header and parameter', async () => {
  const headers = {
    'X-Twice': ['first', 'second'],
    'Content-Type': 'text/plain',
    'User-Agent': 'ua',
  };
  const reply = await echo({ headers, body: 'olá ✓' }, '?tag=a&tag=b%20c&one=1');
  const { event, awsRequestId } = reply.json();
  expect(event).toEqual({
    resource: '/echo/{first}/to/{second}',
    path: '/echo/a%20b/to/c',
    httpMethod: 'POST',
    headers: expect.objectContaining({ 'X-Twice': 'second', 'Content-Type': 'text/plain' }),
    multiValueHeaders: expect.objectContaining({
      'X-Twice': ['first', 'second'],
      'Content-Type': ['text/plain'],
    }),
    queryStringParameters: { tag: 'b c', one: '1' },
    multiValueQueryStringParameters: { tag: ['a', 'b c'], one: ['1'] },
    pathParameters: { first: 'a%20b', second: 'c' },
    stageVariables: null,
    requestContext: expect.objectContaining({
      requestId: awsRequestId,
      stage: 'v1',
      path: '/v1/echo/a%20b/to/c',
      resourcePath: '/echo/{first}/to/{second}',
      httpMethod: 'POST',
      protocol: 'HTTP/1.1',
      identity: { sourceIp: '127.0.0.1', userAgent: 'ua' },
    }),
    body: 'olá ✓',
    isBase64Encoded: false,
  });
  expect(Object.keys(event.headers)).toEqual(Object.keys(event.multiValueHeaders));
});

// As AWS does it, by what LocalStack has recorded there: test_lambda_aws_proxy_integration in its snapshots.
test.each([
  ['test%2Balias@gmail.com', 'test%2Balias@gmail.com'],
  ['test+alias@gmail.com', 'test+alias@gmail.com'],
  ['a%2fb%2E%2e', 'a%2fb%2E%2e'],
  ['..', '..'],
  ['%C3%A9', '%C3%A9'],
])('the event has what is in the path as it was sent: %s', async (sent, given) => {
  const port = Number(new URL(runner.baseUrl).port);
  const head = 'Host: localhost\r\nConnection: close';
  const raw = `POST /v1/echo/${sent}/to/c/ HTTP/1.1\r\n${head}\r\n\r\n`;
  const { event } = (await sendRaw(port, raw)).json();
  expect(event.pathParameters).toEqual({ first: given, second: 'c' });
  expect(event.path).toBe(`/echo/${sent}/to/c/`);
  expect(event.requestContext.path).toBe(`/v1/echo/${sent}/to/c/`);
});

test.each([
  ['email=test%2Balias@gmail.com', { email: ['test+alias@gmail.com'] }],
  ['plus=test+alias@gmail.com', { plus: ['test alias@gmail.com'] }],
  ['at=2023-06-12T18:05:10.123456+00:00', { at: ['2023-06-12T18:05:10.123456 00:00'] }],
  ['url=https://www.google.com/?q=1', { url: ['https://www.google.com/?q=1'] }],
  ['p=10&c=a&p=20&c=b', { p: ['10', '20'], c: ['a', 'b'] }],
  ['a=1;b=2', { a: ['1'], b: ['2'] }],
  ['a=1%3Bb%26c=2', { a: ['1;b&c=2'] }],
  ['a&b=&&=c', { a: [''], b: [''], '': ['c'] }],
  ['fields[a]=1', { 'fields[a]': ['1'] }],
  ['n=%C3%A9%00%F0%9F%98%80', { n: ['é\0😀'] }],
  ['%C3%A9=a%3Db', { é: ['a=b'] }],
  ['__proto__=1', JSON.parse('{"__proto__":["1"]}')],
  ['&', null],
])('the event has the query decoded once: %s', async (query, given) => {
  const { event } = (await echo({}, `?${query}`)).json();
  expect(event.multiValueQueryStringParameters).toEqual(given);
  const last = Object.entries<string[]>(given ?? {}).map(([name, list]) => [name, list.at(-1)]);
  expect(event.queryStringParameters).toEqual(given && Object.fromEntries(last));
});

test.each([
  ['null for a body that was not sent', undefined, { body: null, isBase64Encoded: false }],
  [
    'a body that is not UTF-8 in base64',
    Buffer.from([0x7b, 0xff]),
    { body: 'e/8=', isBase64Encoded: true },
  ],
])('the event has %s', async (_what, body, expected) => {
  expect((await echo({ ...(body && { body }) })).json().event).toMatchObject(expected);
});

test.each(['', 'json', 'text/plain; charset="', 'application/xml'])(
  'the event comes with any content type, as %j',
  async (type) => {
    const { event } = (await echo({ headers: { 'Content-Type': type }, body: 'x' })).json();
    expect([event.headers['Content-Type'], event.body]).toEqual([type, 'x']);
  },
);

// As "Amazon API Gateway important notes" has it of Lambda integrations.
const kept = ['Content-MD5', 'Max-Forwards', 'Proxy-Authenticate', 'Server', 'TE', 'Trailer'];

test('headers that API Gateway does not pass on are not in the event; all others are', async () => {
  const dropped = [...kept, 'Upgrade', 'WWW-Authenticate', 'Connection', 'Content-Length'];
  const passed = ['Accept', 'Age', 'Authorization', 'Date', 'Host', 'Pragma', 'Range', 'Referer'];
  const more = ['User-Agent', 'Via', 'Warn', 'Content-Encoding', 'Idempotency-Key', 'X-Own'];
  const headers = [...dropped, ...passed, ...more].map((name) => `${name}: x\r\n`).join('');
  const sent = headers
    .replace('Host: x', 'Host: localhost')
    .replace('Connection: x', 'connection: close')
    .replace('Content-Length: x', 'Content-Length: 0');
  const raw = `POST /v1/echo/a/to/b HTTP/1.1\r\n${sent}\r\n`;
  const { event } = (await sendRaw(runner.port, raw)).json();
  expect(Object.keys(event.headers).sort()).toEqual([...passed, ...more].sort());
  expect(event.multiValueHeaders['X-Own']).toEqual(['x']);
});

test('a signature for AWS is not in the event, and another authorization is', async () => {
  const authorizationOf = async (value: string) => {
    const headers = { Authorization: value };
    const reply = await send(`${runner.baseUrl}/echo/a/to/b`, { headers });
    return reply.json().event.headers.Authorization;
  };
  expect(await authorizationOf('AWS4-HMAC-SHA256 Credential=x')).toBeUndefined();
  expect(await authorizationOf('Bearer AWS4-x')).toBe('Bearer AWS4-x');
});

test('headers that API Gateway does not pass on reach the client under another name, or not at all; what has no content type is JSON', async () => {
  const answer = (headers: object) =>
    behave('answers the headers of its body', Buffer.from(JSON.stringify(headers)));
  const names = [
    ...['Authorization', 'connection', 'Content-Length', 'Content-MD5', 'Date', 'Max-Forwards'],
    ...['Server', 'User-Agent', 'WWW-Authenticate'],
  ];
  const dropped = ['Expect', 'Host', 'Proxy-Authenticate', 'TE', 'Trailer', 'Transfer-Encoding'];
  const all = [...names, ...dropped, 'Upgrade', 'Via', 'Age', 'ETag', 'Retry-After'];
  const { status, headers } = await answer(Object.fromEntries(all.map((name) => [name, '7'])));
  const renamed = names.map((name) => [`x-amzn-remapped-${name.toLowerCase()}`, '7']);
  const { date, connection, 'keep-alive': _, ...others } = headers;
  expect([status, date, connection]).toEqual([200, expect.stringMatching(/GMT$/), 'keep-alive']);
  expect(others).toEqual({
    ...Object.fromEntries(renamed),
    ...{ age: '7', etag: '7', 'retry-after': '7' },
    ...{ 'content-type': 'application/json', 'content-length': '0' },
  });
  const typed = await answer({ 'content-type': 'image/gif' });
  expect(typed.headers['content-type']).toBe('image/gif');
});

test.each([
  ['an unknown route', 'POST', '/v1/unknown'],
  ['another method', 'GET', '/v1/patient'],
  ['a method that no route has', 'PROPFIND', '/v1/patient'],
  ['an address outside of the stage', 'POST', '/behave'],
  ['the stage alone', 'POST', '/v1'],
  ['nothing', 'POST', '/'],
])('%s is not found', async (_what, method, path) => {
  expectEnvelope(await send(`http://localhost:${runner.port}${path}`, { method }), 'not_found');
  expect((await behave('answers')).status).toBe(200);
});

const most = 6_291_556;
const sendEcho = (body: Buffer) => send(`${runner.baseUrl}/echo/a/to/b`, { body });
/** Bytes of an event beside its body, for a body whose length has seven digits. */
const besideBody = async () => {
  const body = Buffer.alloc(1_000_000, 'x');
  return (await sendEcho(body)).json().bytes - body.length;
};

test('Lambda takes an event of 6,291,556 bytes of JSON, and not a byte more', async () => {
  const body = Buffer.alloc(most - (await besideBody()) + 1, 'x');
  const taken = await sendEcho(body.subarray(1));
  expect([taken.status, taken.json().bytes]).toEqual([200, most]);
  const invoked = runner.invoked();
  expectEnvelope(await sendEcho(body), 'payload_too_large');
  expect(runner.invoked()).toBe(invoked);
});

test.each([
  ['that JSON escapes', Buffer.alloc(3.5 * megabytes, '"')],
  ['in base64', Buffer.alloc(5 * megabytes, 0xff)],
])('a body %s counts by what it is in the event', async (_how, body) => {
  expectEnvelope(await sendEcho(body), 'payload_too_large');
  expect((await sendEcho(body.subarray(2 * megabytes))).status).toBe(200);
});

test('who sends more than 10 MB is told at once, and can send all of it: else the answer would be lost', async () => {
  const socket = connect(runner.port, '127.0.0.1').on('error', () => {});
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
  });
  const sent = Buffer.alloc(megabytes, 'x');
  const head = 'POST /v1/patient?how=answers HTTP/1.1\r\nHost: localhost\r\n';
  socket.write(`${head}Content-Length: ${11 * megabytes}\r\n\r\n`);
  socket.write(sent);
  await eventually('it is refused', () => answers.includes('HTTP/1.1 413'));
  for (let i = 0; i < 10; i++) socket.write(sent);
  socket.write(`${head}\r\n`);
  await eventually('what follows is answered', () => answers.includes('HTTP/1.1 200'));
  socket.destroy();
});

const raw = (path: string, header: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: ${header}\r\n\r\n`;

test.each([
  ['more header bytes than 10,240', raw('/v1/patient?how=answers', 'x'.repeat(10_300))],
  ...(
    [
      ['an escape that is none', '%zz'],
      ['half an escape', '%e'],
      ['a percent sign alone', '%'],
      ['escapes that are not UTF-8', '%ff'],
      ['half a character of UTF-8', '%e4%b8'],
      ['an overlong form of UTF-8', '%c0%af'],
      ['half of a surrogate pair in UTF-8', '%ed%a0%80'],
    ] as const
  ).flatMap(([what, text]): [string, string][] => [
    [`${what} in the path`, raw(`/v1/echo/${text}/to/c`, 'x')],
    [`${what} in a value of the query`, raw(`/v1/patient?how=answers&tag=${text}`, 'x')],
    [`${what} in a name of the query`, raw(`/v1/patient?how=answers&${text}=1`, 'x')],
  ]),
  ...['|', '{', '"', '<', '^', '`', '\\', '#', 'é'].flatMap((character): [string, string][] => [
    [`a ${character} in the query`, raw(`/v1/patient?how=answers&tag=${character}`, 'x')],
    [`a ${character} in the path`, raw(`/v1/echo/${character}/to/c`, 'x')],
  ]),
  ['no Host', 'POST /v1/patient?how=answers HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', raw('/v1/patient?how=answers', 'x\r\nHost: localhost')],
  ['an expectation that nobody knows', raw('/v1/patient?how=answers', 'x\r\nExpect: a-reply')],
  ['what is not HTTP', 'Good day!\r\n\r\n'],
  ['what looks like TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
])('%s is an invalid request', async (_what, bytes) => {
  expectEnvelope(await sendRaw(runner.port, bytes), 'invalid_request');
  const control = raw('/v1/patient?how=answers', 'x'.repeat(10_000));
  expect((await sendRaw(runner.port, control)).status).toBe(200);
});

test('an expectation that HTTP has is met', async () => {
  const head = 'POST /v1/patient?how=answers HTTP/1.1\r\nHost: localhost\r\nConnection: close';
  const expecting = 'Content-Length: 1\r\nExpect: 100-Continue\r\n\r\nx';
  const reply = await sendRaw(runner.port, `${head}\r\n${expecting}`);
  expect(reply.status).toBe(100);
});
