import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import * as resource from '../../../lib/schema/resource.ts';

const fields = {
  name: resource.required(z.string()),
  email: resource.nullable(z.string()),
  tags: resource.list(z.array(z.string())),
  values: resource.map(z.record(z.string(), z.string())),
};
const empty = { email: null, tags: [], values: {} };

test('of a resource is stored what is its own and not empty', () => {
  expect(resource.toStored(fields, { name: '', ...empty })).toEqual({ name: '' });
  const full = { name: 'a', email: '', tags: [''], values: { a: 'b' } };
  expect(resource.toStored(fields, full)).toEqual(full);
});

test('what is not stored is empty when it is read', () => {
  expect(resource.fromStored(fields, { name: 'a' })).toEqual({ name: 'a', ...empty });
});

test('what is stored is read in any length, as a limit may become tighter, and in no other form', () => {
  const limited = {
    name: resource.required(z.string().check(z.maxLength(1))),
    tags: resource.list(z.array(z.string().check(z.maxLength(1))).check(z.maxLength(1))),
    values: resource.map(z.record(z.string().check(z.maxLength(1)), z.union([z.number()]))),
  };
  const schema = z.object(resource.storedShape(limited));
  const stored = { name: 'ab', tags: ['ab', 'c'], values: { ab: 1 } };
  expect(z.parse(schema, stored)).toEqual(stored);
  expect(z.parse(schema, { name: 'a' })).toEqual({ name: 'a' });
  for (const wrong of [{ name: 1 }, { tags: 'a' }, { tags: [1] }, { values: { a: 'b' } }]) {
    expect(z.safeParse(schema, { ...stored, ...wrong }).success).toBe(false);
  }
});

test('the values of a map come in the order of their keys, and those of a list in their own', () => {
  const read = resource.fromStored(fields, {
    name: 'a',
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
