import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import * as resource from '../../../lib/schema/resource.ts';
import { orderFields } from '../../../lib/table/field-order.ts';

const fields = {
  name: resource.required(z.string()),
  email: resource.nullable(z.string()),
  tags: resource.list(z.array(z.string())),
  values: resource.map(z.record(z.string(), z.string())),
};
const empty = { email: null, tags: [], values: {} };

test('of a resource is stored what is its own and not empty', () => {
  expect(resource.toStored(fields, { name: '', ...empty, other: 1 })).toEqual({ name: '' });
  const full = { name: 'a', email: '', tags: [''], values: { a: 'b' } };
  expect(resource.toStored(fields, full)).toEqual(full);
});

test('what is not stored is empty when it is read, and all else is not read', () => {
  expect(resource.fromStored(fields, { name: 'a', other: 1 })).toEqual({ name: 'a', ...empty });
});

test('the values of a map come in the order of their keys, and those of a list in their own', () => {
  const read = resource.fromStored(fields, {
    values: { b: '1', c: '2', a: '3' },
    tags: ['b', 'a'],
  });
  expect(JSON.stringify([read.values, read.tags])).toBe('[{"a":"3","b":"1","c":"2"},["b","a"]]');
});

test('a patch that clears a list asks for an empty one; it clears all else by null', () => {
  const patch = z.strictObject(resource.patchShape(fields));
  const cleared = { email: null, tags: null, values: null };
  expect(z.parse(patch, cleared)).toEqual({ ...cleared, tags: [] });
  const changed = { name: 'a', email: 'b', tags: ['c'], values: {} };
  expect(z.parse(patch, changed)).toEqual(changed);
  expect(z.parse(patch, {})).toEqual({});
});

test('after a patch, what it does not name is as before, and what it clears is not', () => {
  const before = { name: 'a', email: 'b', tags: ['c'] };
  expect(resource.applyPatch(before, { name: undefined, email: null })).toEqual({
    ...before,
    email: null,
  });
});

test('what is stored is answered in the order of its schema, also within lists: the table keeps none', () => {
  const one = z.strictObject({ name: z.string(), outcome: z.string() });
  const schema = z.strictObject({ id: z.string(), stages: z.array(one), last: z.nullable(one) });
  const stage = { outcome: 'open', name: 'new' };
  expect(
    JSON.stringify(orderFields(schema, { last: stage, stages: [stage], id: 'p', pk: 'k' })),
  ).toBe(
    '{"id":"p","stages":[{"name":"new","outcome":"open"}],"last":{"name":"new","outcome":"open"}}',
  );
});
