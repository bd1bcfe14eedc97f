import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { loadOperations } from '../../../infra/operations.ts';
import { readQuery } from '../../../lib/admission/query.ts';
import type { ErrorDetail } from '../../../lib/errors/errors.ts';
import { formOf, kindOf } from '../../../lib/schema/query-parameter.ts';

/** Each query parameter of each operation. */
const parameters = (await loadOperations()).flatMap(({ operation }) => {
  const query = 'request' in operation && 'query' in operation.request && operation.request.query;
  if (!query) return [];
  return Object.entries(query.shape as Record<string, z.core.$ZodType>).map(([name, schema]) => ({
    what: `${operation.id} ${name}`,
    name,
    query: query as z.ZodMiniObject,
    kind: kindOf(schema),
  }));
});
const ofKind = (kind: string) => parameters.filter((one) => one.kind === kind);

/** What is told of a query beside what it lacks. */
const told = (query: z.ZodMiniObject, sent: Record<string, string[]>): ErrorDetail[] => {
  const problems: ErrorDetail[] = [];
  readQuery(query, sent, problems);
  return problems.filter(({ message }) => message !== 'is required');
};

test('the lists and objects among them are found by their schemas', () => {
  expect(ofKind('list').map(({ what }) => what)).toEqual([
    'listChanges type',
    'listLeads stage',
    'listLeads tag',
    'searchLeads stage',
    'searchLeads tag',
  ]);
  expect(ofKind('object').map(({ what }) => what)).toEqual([
    'listLeads fields',
    'searchLeads fields',
  ]);
  expect(ofKind('value').length).toBeGreaterThan(30);
});

test.each(parameters)(
  '$what with more than its name is told how it is written',
  ({ name, query, kind }) => {
    const wrong = ['[a][b]', '[a][]', '[', '.a', '[a]x'];
    for (const end of [...wrong, ...(kind === 'object' ? [] : ['[]', '[0]', '[a]'])]) {
      const path = `${name}${end}`;
      const detail = { path, message: `must be written as ${formOf(name, kind)}` };
      expect(told(query, { [path]: ['a'] })).toEqual([detail]);
      expect(told(query, { [name]: ['a'], [path]: ['a'] })).toContainEqual(detail);
    }
  },
);

const tags = z.strictObject({
  tag: z.optional(z.array(z.string().check(z.maxLength(3, 'is long')))),
});
const several = 'several are written as tag=a&tag=b';

test('a list is written by repeating it', () => {
  expect(formOf('tag', 'list')).toBe('tag=a&tag=b');
  expect(readQuery(tags, { tag: ['a', 'b'] }, [])).toEqual({ tag: ['a', 'b'] });
});

test.each([
  ['ab,cd', `is long; ${several}`],
  ['ab;cd', `is long; ${several}`],
  ['ab|cd', `is long; ${several}`],
  ['abcd', 'is long'],
])('a value of a list that is wrong, %s, may have been meant as several', (value, message) => {
  expect(told(tags, { tag: ['a', value] })).toEqual([{ path: 'tag.1', message }]);
});

test('parameters in brackets are an object, where nothing else is around them', () => {
  const query = z.strictObject({
    limit: z.optional(z.array(z.string())),
    fields: z.optional(z.record(z.string(), z.array(z.string()))),
  });
  const sent = { 'fields[a]': ['1'], 'fields[]': ['2'] };
  expect(readQuery(query, sent, [])).toEqual({ fields: { a: ['1'], '': ['2'] } });
  for (const path of ['x fields[a]', '[a]', 'other[a]', 'fieldsx[a]']) {
    const perhaps = path.includes('fields') ? '; perhaps fields is meant' : '';
    const message = `is not a query parameter here${perhaps}: there are limit, fields`;
    expect(told(query, { [path]: ['1'] })).toEqual([{ path, message }]);
  }
  const message = 'must be written as fields[key]=…';
  const path = 'fields[__proto__]';
  expect(told(query, { [path]: ['1'] })).toEqual([{ path, message }]);
  for (const sent of [{ fields: ['1'] }, { fields: ['1'], 'fields[a]': ['1'] }]) {
    expect(told(query, sent)).toEqual([{ path: 'fields', message }]);
  }
});
