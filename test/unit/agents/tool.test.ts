import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { numberOf, shapeOf, toSent } from '../../../lib/agents/tool.ts';
import { echo } from '../echo.ts';

const path = z.strictObject({ id: z.string() });

test('an argument goes where the operation takes it', () => {
  const writing = echo({ request: { path, body: z.strictObject({}) } });
  expect(toSent(writing, { id: 'a', text: 'b', n: null })).toEqual({
    path: { id: 'a' },
    body: { text: 'b', n: null },
  });
  expect(shapeOf(undefined)).toEqual({});
});

test('a parameter is the list of its texts, as in an address', () => {
  const reading = echo({ request: { path, query: z.strictObject({}) } });
  const given = {
    ...{ limit: 5, done: true, stage: ['a', 'b'], q: 'x', none: null, missing: undefined },
    fields: { source: 'google', size: 3 },
  };
  expect(toSent(reading, given)).toEqual({
    path: {},
    query: {
      ...{ limit: ['5'], done: ['true'], stage: ['a', 'b'], q: ['x'] },
      ...{ 'fields[source]': ['google'], 'fields[size]': ['3'] },
    },
  });
});

test.each([0, 20, '7'])('%j is a number that a tool takes from 0 to 20', (given) => {
  expect(numberOf('limit', given, 0, 20)).toBe(Number(given));
});

test.each([-1, 21, 1.5, true, '', ' 7', {}])('%j is none', (given) => {
  const details = [{ path: 'limit', message: 'must be a whole number from 0 to 20' }];
  expect(() => numberOf('limit', given, 0, 20)).toThrow(expect.objectContaining({ details }));
});
