import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../../../../lib/handlers/http/body.ts';
import { toHeaders } from '../../../../lib/handlers/http/headers.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';

// What is refused, by way of the chain: body.test.ts.

const parse = (body: string): unknown =>
  readJson(toHeaders({ 'Content-Type': ['application/json'] }), {
    body,
    isBase64Encoded: false,
  } as Parameters<typeof readJson>[1]);

/** The value, or the message of the refusal. */
const outcomeOf = (text: string): unknown => {
  try {
    return { value: parse(text) };
  } catch (error) {
    return (error as { details: { message: string }[] }).details[0]?.message;
  }
};
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

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

test(`a text is taken if it is JSON, as JSON.parse takes it, and otherwise refused (SEED=${seed})`, () => {
  let taken = 0;
  const property = fc.property(values, blanks, edits, (value, blank, changes) => {
    let text = JSON.stringify(value, undefined, blank);
    for (const { at, cut, put } of changes) {
      const place = Math.floor(at * (text.length + 1));
      text = text.slice(0, place) + put + text.slice(place + cut);
    }
    const outcome = outcomeOf(text);
    if (outcome === 'is there twice' || outcome === 'is not known here') return;
    if (isJson(text)) taken++;
    expect(outcome).toEqual(isJson(text) ? { value: JSON.parse(text) } : 'must be valid JSON');
  });
  fc.assert(property, { seed, numRuns: times(500, 5000) });
  expect(taken).toBeGreaterThan(0);
});

test.each([
  ['{"a":[{"b":1},"c",{"b":1}],"d":{"a":{}}}'],
  [' [ ] '],
  ['\t"a"\r\n'],
  ['{"a\\"b":"\\\\","\\\\":[[],[{}]]}'],
])('%j is taken', (text) => {
  expect(outcomeOf(text)).toEqual({ value: JSON.parse(text) });
});

test.each([
  ['{"a":[1,{"b":1,"b":1}]}', 'a.1.b'],
  ['[[],[0,[{"a":{"b":{}},"\\u0061":1}]]]', '1.1.0.a'],
  ['{"a":{"b":{"c":[]}},"d":[[]],"a":1}', 'a'],
])('in %s, what is there twice is named with the whole way to it', (text, path) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ details: [{ path, message: 'is there twice' }] }),
  );
});

test.each([
  '',
  ',',
  ':',
  ']',
  '}',
  '"',
  '""',
  '1 ',
  '{}',
  '[]',
  '{:',
  '[,',
  '[}',
  '\u00a0',
  '\ufeff',
])('very many %j are no JSON', (token) => {
  expect(outcomeOf(token.repeat(200_000))).toBe('must be valid JSON');
});
