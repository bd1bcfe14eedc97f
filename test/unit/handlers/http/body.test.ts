import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, type Request, run } from '../../support.ts';

const handler = serve(echo());
let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

const send = (change: Request) => run(handler, echoed(organization, change));
const typed = (type: string | string[]) => send({ headers: { 'Content-Type': type } });

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json;  charset = utf-8 ; x=y',
  'application/json ; charset=utf-8',
])('%s is JSON', async (type) => {
  expect((await typed(type)).status).toBe(201);
});

test.each([
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/json;charset=iso-8859-1',
  'application/json ;  charset  =  utf-16',
  'application/json; CHARSET=utf-16',
  'application/json; charset =utf-16',
  'application/json; charset=utf-8x',
  'application/json; charset="utf-16"',
  'application/json; x=y; charset=utf-80',
])('%j is not', async (type) => {
  const { status, body } = await typed(type);
  expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
  expect(body.error.details).toBeUndefined();
});

test('the type is told once', async () => {
  expect((await typed([])).body.error.code).toBe('unsupported_media_type');
  const { body } = await typed(['application/json', 'application/json']);
  expect(body.error.details).toEqual([{ path: 'Content-Type', message: 'must be sent once' }]);
});

describe('a body in base64', () => {
  const encoded = (bytes: Buffer) =>
    send({ body: bytes.toString('base64'), isBase64Encoded: true });

  test('is decoded as UTF-8', async () => {
    const { status, body } = await encoded(Buffer.from('{"value":"São 🌟"}'));
    expect([status, body.body.value]).toEqual([201, 'São 🌟']);
  });

  test('that is not UTF-8 is refused', async () => {
    const { body } = await encoded(Buffer.from('{"value":"\xe9"}', 'latin1'));
    expect(body.error.details).toEqual([{ path: '', message: 'must be UTF-8' }]);
  });

  test('with a byte order mark is no JSON', async () => {
    const { body } = await encoded(Buffer.from('\ufeff{"value":1}'));
    expect(body.error.details).toEqual([{ path: '', message: 'must be valid JSON' }]);
  });
});

describe('what is no JSON', () => {
  test.each([
    '',
    '{',
    '{"value":01}',
    '{"value":1e}',
    'NaN',
    '{"value":1.5]',
    "{'value':1.5}",
    '{"value":1}//',
  ])('%j', async (text) => {
    const { status, body } = await send({ body: text });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path: '', message: 'must be valid JSON' }]);
  });

  test.each([true, false])('an absent body, said to be in base64: %s', async (isBase64Encoded) => {
    const { body } = await send({ body: null, isBase64Encoded });
    expect(body.error.details).toEqual([{ path: '', message: 'must be valid JSON' }]);
  });

  test.each(['{"__proto__":1}', '{"value":{"constructor":{"prototype":1}}}'])(
    '%s would change a prototype',
    async (text) => {
      expect((await send({ body: text })).status).toBe(400);
    },
  );

  test('a nesting of more than 100 levels', async () => {
    const deep = (n: number, inside = '1') =>
      `{"value":${'['.repeat(n - 1)}${inside}${']'.repeat(n - 1)}}`;
    expect((await send({ body: deep(100) })).status).toBe(201);
    for (const n of [101, 100_000]) {
      const { status, body } = await send({ body: deep(n, '1.5') });
      expect(status).toBe(400);
      expect(body.error.details).toEqual([{ path: '', message: 'is nested too deeply' }]);
    }
  });
});

test('more than 50,000 names and values, also where it ends too early', async () => {
  const list = (n: number, end = ']') => `{"value":[${'1,'.repeat(n - 4)}1${end}}`;
  expect((await send({ body: list(50_000) })).status).toBe(201);
  const names = Array.from({ length: 25_000 }, (_, i) => `"${i}":1`).join();
  for (const text of [list(50_001), list(60_000, ''), `{${names}}`]) {
    const { status, body } = await send({ body: text });
    expect(status).toBe(400);
    const details = [{ path: '', message: 'has too many names and values' }];
    expect(body.error.details).toEqual(details);
  }
});

describe('a name that is there twice', () => {
  test.each([
    ['{"value":1,"value":2}', 'value'],
    ['{"value":1,"value":1}', 'value'],
    ['{"value":{"a":[{"b":1},{"b":1,"c":2,"b":3}]}}', 'value.a.1.b'],
    ['{"v\\u0061lue":1,"value":2}', 'value'],
    ['{"value":{"":1,"":2}}', 'value.'],
    ['{ "value" : [1] ,\n\t"value" : 2 }', 'value'],
  ])('in %s is refused', async (text, path) => {
    const { status, body } = await send({ body: text });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path, message: 'is there twice' }]);
  });

  test.each([
    '{"value":["value","value"]}',
    '{"value":{"value":{"value":1}}}',
    '{"value":[{"a":1},{"a":1}]}',
    '{"value":{"a":"b","b":"a","c":"a"}}',
    '{"value":"{\\"a\\":1,\\"a\\":2}"}',
  ])('not so in %s', async (text) => {
    expect((await send({ body: text })).status).toBe(201);
  });
});

describe('a name that would change a prototype', () => {
  const any = () => serve(echo({ request: { ...echo().request, body: z.any() } }));

  test.each([
    ['{"__proto__":1}', '__proto__'],
    ['{"a":[{"\\u005f_proto__":{}}]}', 'a.0.__proto__'],
    ['{"constructor":{"prototype":1}}', 'constructor.prototype'],
  ])('in %s is refused by its name', async (text, path) => {
    const { status, body } = await run(any(), echoed(organization, { body: text }));
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path, message: 'is not known here' }]);
  });

  test.each(['{"a":"__proto__"}', '{"constructor":1}', '{"prototype":{"constructor":1}}'])(
    'not so in %s',
    async (text) => {
      expect((await run(any(), echoed(organization, { body: text }))).status).toBe(201);
    },
  );
});

describe('a coding of the content', () => {
  const coded = (coding: string | string[]) => send({ headers: { 'Content-Encoding': coding } });

  test.each([['gzip'], ['br'], ['x'], [''], ['identity, gzip'], [['identity', 'gzip']]])(
    '%j is refused: nobody here undoes it',
    async (coding) => {
      const { status, body } = await coded(coding);
      expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
      expect(body.error.details).toEqual([{ path: 'Content-Encoding', message: 'must be absent' }]);
    },
  );

  test.each(['identity', 'IDENTITY'])('%s is none', async (coding) => {
    expect((await coded(coding)).status).toBe(201);
  });
});

test.each(['1e400', '-1e400'])('a number beyond all others, %s, is refused', async (number) => {
  const numeric = serve(
    echo({ request: { ...echo().request, body: z.strictObject({ value: z.number() }) } }),
  );
  const ask = (text: string) => run(numeric, echoed(organization, { body: `{"value":${text}}` }));
  const { status, body } = await ask(number);
  expect([status, body.error?.details?.[0]?.path]).toEqual([400, 'value']);
  expect((await ask('1e300')).status).toBe(201);
});

test('an operation without a body reads none', async () => {
  const { request, ...operation } = echo();
  const bodiless = serve({ ...operation, request: { ...request, body: undefined } });
  const headers = { 'Content-Type': 'text/plain' };
  const { status, body } = await run(bodiless, echoed(organization, { headers, body: '{' }));
  expect([status, body.body]).toEqual([201, undefined]);
  expect((await send({ headers, body: '{' })).status).toBe(415);
});
