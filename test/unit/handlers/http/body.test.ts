import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { echo, echoed } from '../../echo.ts';
import { Organization, type Request, run } from '../../support.ts';

const echoOf = (body: z.ZodMiniType | undefined) =>
  serve(echo({ request: { ...echo().request, body } }));

const handler = serve(echo());
let organization: Organization;

beforeAll(async () => {
  organization = await Organization.make();
});

/** The status, and the details or the code of the error, if it is one. */
const outcome = async (change: Request, of = handler) => {
  const { status, body } = await run(of, echoed(organization, change));
  return [status, body.error?.details ?? body.error?.code];
};
const taken = [201, undefined];
const refused = (message: string, path = '', status = 400) => [status, [{ path, message }]];

const typed = (type: string | string[]) => outcome({ headers: { 'Content-Type': type } });

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'application/json;  charset = utf-8 ; x=y',
  'application/json ; charset=utf-8',
])('%s is JSON', async (type) => {
  expect(await typed(type)).toEqual(taken);
});

test.each([
  [''],
  [[]],
  ['text/plain'],
  ['application/json;charset=iso-8859-1'],
  ['application/json ;  charset  =  utf-16'],
  ['application/json; CHARSET=utf-16'],
  ['application/json; charset=utf-8x'],
  ['application/json; charset="utf-16"'],
  ['application/json; x=y; charset=utf-80'],
])('%j is not', async (type) => {
  expect(await typed(type)).toEqual([415, 'unsupported_media_type']);
});

test('the type is told once', async () => {
  const twice = await typed(['application/json', 'application/json']);
  expect(twice).toEqual(refused('must be sent once', 'Content-Type'));
});

test.each([['gzip'], [''], ['identity, gzip'], [['identity', 'gzip']]])(
  'the coding %j is refused: nobody here undoes it',
  async (coding) => {
    const coded = await outcome({ headers: { 'Content-Encoding': coding } });
    expect(coded).toEqual(refused('must be absent', 'Content-Encoding', 415));
  },
);

test.each(['identity', 'IDENTITY'])('the coding %s is none', async (coding) => {
  expect(await outcome({ headers: { 'Content-Encoding': coding } })).toEqual(taken);
});

test('a body in base64 is decoded as UTF-8', async () => {
  const encoded = (bytes: Buffer) => ({ body: bytes.toString('base64'), isBase64Encoded: true });
  const good = encoded(Buffer.from('{"value":"São 🌟"}'));
  expect((await run(handler, echoed(organization, good))).body.body.value).toBe('São 🌟');
  const latin1 = encoded(Buffer.from('{"value":"\xe9"}', 'latin1'));
  expect(await outcome(latin1)).toEqual(refused('must be UTF-8'));
  const withMark = encoded(Buffer.from('\ufeff{"value":1}'));
  expect(await outcome(withMark)).toEqual(refused('must be valid JSON'));
});

describe('what is no JSON', () => {
  test.each(['', '{', '{"value":01}', 'NaN', '{"value":1.5]', "{'value':1.5}", '{"value":1}//'])(
    '%j',
    async (body) => {
      expect(await outcome({ body })).toEqual(refused('must be valid JSON'));
    },
  );

  test.each([true, false])('an absent body, said to be in base64: %s', async (isBase64Encoded) => {
    expect(await outcome({ body: null, isBase64Encoded })).toEqual(refused('must be valid JSON'));
  });

  test('a nesting of more than 100 levels', async () => {
    const deep = (n: number) => ({ body: `{"value":${'['.repeat(n - 1)}1.5${']'.repeat(n - 1)}}` });
    expect(await outcome(deep(100))).toEqual(taken);
    for (const n of [101, 100_000]) {
      expect(await outcome(deep(n))).toEqual(refused('is nested too deeply'));
    }
  });

  test('more than 50,000 names and values, also where it ends too early', async () => {
    const list = (n: number, end = ']') => `{"value":[${'1,'.repeat(n - 4)}1${end}}`;
    expect(await outcome({ body: list(50_000) })).toEqual(taken);
    const names = Array.from({ length: 25_000 }, (_, i) => `"${i}":1`).join();
    for (const body of [list(50_001), list(60_000, ''), `{${names}}`]) {
      expect(await outcome({ body })).toEqual(refused('has too many names and values'));
    }
  });
});

describe('a name that is there twice', () => {
  test.each([
    ['{"value":1,"value":1}', 'value'],
    ['{"value":{"a":[{"b":1},{"b":1,"c":2,"b":3}]}}', 'value.a.1.b'],
    ['{"v\\u0061lue":1,"value":2}', 'value'],
    ['{"value":{"":1,"":2}}', 'value.'],
    ['{ "value" : [1] ,\n\t"value" : 2 }', 'value'],
  ])('in %s is refused', async (body, path) => {
    expect(await outcome({ body })).toEqual(refused('is there twice', path));
  });

  test.each([
    '{"value":["value","value"]}',
    '{"value":{"value":{"value":1}}}',
    '{"value":[{"a":1},{"a":1}]}',
    '{"value":{"a":"b","b":"a","c":"a"}}',
    '{"value":"{\\"a\\":1,\\"a\\":2}"}',
  ])('not so in %s', async (body) => {
    expect(await outcome({ body })).toEqual(taken);
  });
});

describe('a name that would change a prototype', () => {
  const any = echoOf(z.any());

  test.each([
    ['{"__proto__":1}', '__proto__'],
    ['{"a":[{"\\u005f_proto__":{}}]}', 'a.0.__proto__'],
    ['{"constructor":{"prototype":1}}', 'constructor.prototype'],
  ])('in %s is refused by its name', async (body, path) => {
    expect(await outcome({ body }, any)).toEqual(refused('is not known here', path));
  });

  test.each(['{"a":"__proto__"}', '{"constructor":{"name":1}}', '{"prototype":{"constructor":1}}'])(
    'not so in %s',
    async (body) => {
      expect(await outcome({ body }, any)).toEqual(taken);
    },
  );
});

test('a number beyond all others is refused', async () => {
  const numeric = echoOf(z.strictObject({ value: z.number() }));
  const ask = (number: string) => outcome({ body: `{"value":${number}}` }, numeric);
  for (const number of ['1e400', '-1e400']) {
    expect(await ask(number)).toMatchObject([400, [{ path: 'value' }]]);
  }
  expect(await ask('1e300')).toEqual(taken);
});

test('an operation without a body reads none', async () => {
  const change = { headers: { 'Content-Type': 'text/plain' }, body: '{' };
  expect(await outcome(change, echoOf(undefined))).toEqual(taken);
  expect(await outcome(change)).toEqual([415, 'unsupported_media_type']);
});
