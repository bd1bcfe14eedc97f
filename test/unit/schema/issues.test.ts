import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { mostDetails } from '../../../lib/errors/errors.ts';
import { detailsOf } from '../../support/problems.ts';

/** What is wrong with a value, and where. */
const wrong = (schema: z.core.$ZodType, value: unknown) =>
  detailsOf(schema, value).map(({ path, message }) => `${path}: ${message}`);

const shape = z.strictObject({ size: z.number().check(z.maximum(9, 'is too large')) });
const short = z.string().check(z.maxLength(2, 'is too long'));
const either = z.strictObject({ value: z.union([short, shape, z.array(short)]) });

test.each([
  ['a text that is too long', { value: 'abc' }, ['value: is too long']],
  ['an object with something wrong in it', { value: { size: 10 } }, ['value.size: is too large']],
  ['… of another type', { value: { size: '1' } }, ['value.size: must be a number']],
  ['… that is not known', { value: { size: 1, a: 2 } }, ['value.a: is not known here']],
  ['a list', { value: ['ab', 'abc', 1] }, ['value.1: is too long', 'value.2: must be a text']],
])('of several types, %s is held to the one that it is of', (_what, value, details) => {
  expect(wrong(either, value)).toEqual(details);
});

test('of several types, what is of none is told as a whole', () => {
  const message = 'value: must be a text or an object or a list';
  expect(wrong(either, { value: true })).toEqual([message]);
  expect(wrong(either, { value: 'ab' })).toEqual([]);
});

test('a key that is wrong is told by what is wrong with it', () => {
  const record = z.record(short, z.number());
  expect(wrong(record, { abc: 1 })).toEqual(['abc: is too long']);
  expect(wrong(record, { ab: 1 })).toEqual([]);
});

test(`at most ${mostDetails} are told`, () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i]));
  expect(wrong(z.strictObject({}), many(mostDetails))).toHaveLength(mostDetails);
  expect(wrong(z.strictObject({}), many(mostDetails + 1))).toHaveLength(mostDetails);
});
