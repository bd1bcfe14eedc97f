import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { ApiError } from '../../../../../lib/errors/errors.ts';
import { type JsonBody, jsonBody } from '../../../../../lib/handlers/http/middlewares/json-body.ts';
import { serve } from '../../../../../lib/handlers/http/serve.ts';
import { seed } from '../../../../support/random.ts';
import { times } from '../../../../support/some.ts';
import { echo, echoed } from '../../../echo.ts';
import { Organization, run } from '../../../support.ts';

/** A request once the middleware has had it. */
const passed = (
  body: string | null,
  headers: Record<string, string[]> = {},
  isBase64Encoded = false,
) => {
  const multiValueHeaders = { 'Content-Type': ['application/json'], ...headers };
  const request = { event: { multiValueHeaders, body, isBase64Encoded }, context: {} as JsonBody };
  jsonBody(echo()).before?.(request as never);
  return request;
};

/** What the body is when it is read, or the status of the error with its details or its code. */
const outcome = (...sent: Parameters<typeof passed>) => {
  try {
    return { value: passed(...sent).context.json.read() };
  } catch (error) {
    const { kind, details, code } = error as ApiError;
    return [kind.status, details ?? code];
  }
};
const refused = (message: string, path = '', status = 400) => [status, [{ path, message }]];
/** What is no JSON is told so, with a place. */
const noJson = [400, [{ path: '', message: expect.stringMatching(/^must be valid JSON: it /) }]];
const typed = (...types: string[]) => outcome('1', { 'Content-Type': types });

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'application/json;  charset = utf-8 ; x=y',
  'application/json ; charset=utf-8',
])('the type %s is JSON', (type) => {
  expect(typed(type)).toEqual({ value: 1 });
});

test.each([
  [''],
  [],
  ['text/plain'],
  ['application/json;charset=iso-8859-1'],
  ['application/json ;  charset  =  utf-16'],
  ['application/json; CHARSET=utf-16'],
  ['application/json; charset=utf-8x'],
  ['application/json; charset="utf-16"'],
  ['application/json; x=y; charset=utf-80'],
])('the type %s is not JSON', (...types) => {
  expect(typed(...types)).toEqual([415, 'unsupported_media_type']);
});

test('the type is told once, in whatever spelling', () => {
  const json = 'application/json';
  for (const twice of [typed(json, json), outcome('1', { 'content-type': [json] })]) {
    expect(twice).toEqual(refused('must be sent once', 'Content-Type'));
  }
});

test.each([['gzip'], [''], ['identity, gzip'], ['identity', 'gzip']])(
  'the coding %s is refused: nobody here undoes it',
  (...codings) => {
    const wrong = refused('must be absent', 'Content-Encoding', 415);
    expect(outcome('1', { 'Content-Encoding': codings })).toEqual(wrong);
  },
);

test.each(['identity', 'IDENTITY'])('the coding %s is none', (coding) => {
  expect(outcome('1', { 'Content-Encoding': [coding] })).toEqual({ value: 1 });
});

test('a body in base64 is decoded as UTF-8', () => {
  const encoded = (bytes: Buffer) => outcome(bytes.toString('base64'), {}, true);
  expect(encoded(Buffer.from('"São 🌟"'))).toEqual({ value: 'São 🌟' });
  expect(encoded(Buffer.from('"\xe9"', 'latin1'))).toEqual(refused('must be UTF-8'));
  expect(encoded(Buffer.from('\ufeff1'))).toEqual(noJson);
  expect([outcome(null), outcome(null, {}, true)]).toEqual([noJson, noJson]);
});

test('a body of up to 64 KB is parsed at once, and a larger one when it is read', () => {
  for (const [bytes, isLarge] of [
    [64 * 1024, false],
    [64 * 1024 + 1, true],
  ] as const) {
    const text = JSON.stringify('é'.repeat(10)).padEnd(bytes - 10);
    const { event, context } = passed(text);
    expect([context.json.isLarge, event.body === text]).toEqual([isLarge, isLarge]);
    for (const _ of [1, 2]) expect(context.json.read()).toBe('é'.repeat(10));
    expect(event.body).toBe('é'.repeat(10));
  }
});

test('what is wrong with a body is thrown where it is read, each time', () => {
  const { json } = passed('{').context;
  for (const _ of [1, 2]) expect(json.read).toThrow('The request is not valid.');
});

test('JSON has at most 100 levels', () => {
  const deep = (n: number) => outcome(`${'['.repeat(n)}1.5${']'.repeat(n)}`);
  expect(deep(100)).toHaveProperty('value');
  for (const n of [101, 100_000]) expect(deep(n)).toEqual(refused('is nested too deeply'));
});

test('JSON has at most 50,000 names and values, also where it ends too early', () => {
  const list = (n: number, end = ']') => `[${'1,'.repeat(n - 2)}1${end}`;
  expect(outcome(list(50_000))).toHaveProperty('value');
  const names = Array.from({ length: 25_000 }, (_, i) => `"${i}":1`).join();
  for (const body of [list(50_001), list(60_000, ''), `{${names}}`]) {
    expect(outcome(body)).toEqual(refused('has too many names and values'));
  }
});

test.each([
  ['is there twice', '{"value":1,"value":1}', 'value'],
  ['is there twice', '{"v\\u0061lue":1,"value":2}', 'value'],
  ['is there twice', '{"value":{"":1,"":2}}', 'value.'],
  ['is there twice', '{ "value" : [1] ,\n\t"value" : 2 }', 'value'],
  ['is there twice', '{"a":[1,{"b":1,"c":2,"b":3}]}', 'a.1.b'],
  ['is there twice', '[[],[0,[{"a":{"b":{}},"\\u0061":1}]]]', '1.1.0.a'],
  ['is there twice', '{"a":{"b":{"c":[]}},"d":[[]],"a":1}', 'a'],
  ['is not known here', '{"__proto__":1}', '__proto__'],
  ['is not known here', '{"a":[{"\\u005f_proto__":{}}]}', 'a.0.__proto__'],
  ['is not known here', '{"constructor":{"prototype":1}}', 'constructor.prototype'],
])('what %s in %s is named with the whole way to it', (message, text, path) => {
  expect(outcome(text)).toEqual(refused(message, path));
});

test.each([
  '{"value":["value","value"]}',
  '{"value":{"value":{"value":1}}}',
  '{"a":[{"b":1},"c",{"b":1}],"d":{"a":{}}}',
  '{"a":"b","b":"a","c":"a"}',
  '{"value":"{\\"a\\":1,\\"a\\":2}"}',
  '{"a":"__proto__"}',
  '{"constructor":{"name":1}}',
  '{"prototype":{"constructor":1}}',
  '{"a\\"b":"\\\\","\\\\":[[],[{}]]}',
  ' [ ] ',
  '\t"a"\r\n',
])('the JSON %j is taken', (text) => {
  expect(outcome(text)).toEqual({ value: JSON.parse(text) });
});

test.each([
  ['{"a":1 "b":2}', 'line 1, column 8'],
  ['{"a":1,}', 'line 1, column 8'],
  ["{'a':1}", 'line 1, column 2'],
  ['{\n  "a": 1,\r\n  "b": tru\n}', 'line 3, column 8'],
  ['{"a":undefined}', 'line 1, column 6'],
  ['[1,NaN]', 'line 1, column 4'],
  ['{"a":01}', 'line 1, column 7'],
  ['{"a":"\\x"}', 'line 1, column 8'],
  ['{"\\x":1}', 'line 1, column 2'],
  ['[1]]', 'line 1, column 4'],
  ['["at position 2",x]', 'line 1, column 18'],
])('the JSON %j breaks at %s', (text, place) => {
  expect(outcome(text)).toEqual(refused(`must be valid JSON: it breaks at ${place}`));
});

test('of a mark of UTF-8 before JSON, which some programs write, that is said', () => {
  expect(outcome('\ufeff{}')).toEqual(
    refused('must be valid JSON: it begins with a byte order mark'),
  );
});

test.each(['', '{', '[1,', '{"a":', '{"a', '["a"'])('the JSON %j ends too early', (text) => {
  expect(outcome(text)).toEqual(refused('must be valid JSON: it ends too early'));
});

/** Without names that are there twice: each is of a place of its own. */
const values = fc.jsonValue({ maxDepth: 4 });
const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(2),
    put: fc.constantFrom(...'{}[],:"\\ \n\ufeff0-e.', 'true', '"a"', '\\u0061', '\u00a0', '/**/'),
  }),
  { maxLength: 2 },
);
const parsed = (text: string) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return noJson;
  }
};

test(`a text is taken if it is JSON, as JSON.parse takes it, and otherwise refused (SEED=${seed})`, () => {
  let taken = 0;
  const property = fc.property(values, blanks, edits, (value, blank, changes) => {
    let text = JSON.stringify(value, undefined, blank);
    for (const { at, cut, put } of changes) {
      const place = Math.floor(at * (text.length + 1));
      text = text.slice(0, place) + put + text.slice(place + cut);
    }
    const found = outcome(text);
    if (/is there twice|is not known here/.test(JSON.stringify(found))) return;
    const wanted = parsed(text);
    if (wanted !== noJson) taken++;
    expect(found).toEqual(wanted);
  });
  fc.assert(property, { seed, numRuns: times(500, 5000) });
  expect(taken).toBeGreaterThan(0);
});

test.each([...',:]}"', '', '""', '1 ', '{}', '[]', '{:', '[,', '[}', '\u00a0', '\ufeff'])(
  'very many %j are no JSON',
  (token) => {
    expect(outcome(token.repeat(200_000))).toEqual(noJson);
  },
);

test('an operation looks at the body by its schema, and without one reads none', async () => {
  const organization = await Organization.make();
  const echoOf = (body: z.ZodMiniType | undefined) =>
    serve(echo({ request: { ...echo().request, body } }));
  const ask = async (body: string, schema?: z.ZodMiniType, type = 'application/json') => {
    const headers = { 'Content-Type': type };
    return (await run(echoOf(schema), echoed(organization, { headers, body }))).status;
  };
  const numeric = z.strictObject({ value: z.number() });
  // JSON.parse makes infinity of a number beyond all others.
  const statuses = await Promise.all(
    ['1e300', '1e400', '-1e400'].map((n) => ask(`{"value":${n}}`, numeric)),
  );
  expect(statuses).toEqual([201, 400, 400]);
  expect([await ask('{', undefined, 'text/plain'), await ask('{}', numeric, 'text/plain')]).toEqual(
    [201, 415],
  );
});
