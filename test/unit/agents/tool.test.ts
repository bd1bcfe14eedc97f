import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { shapeOf, toSent } from '../../../lib/agents/tool.ts';
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
