import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { loadOperations } from '../../../infra/operations.ts';
import { withHints } from '../../../lib/schema/issue-message.ts';
import { problemsOf as told } from '../../support/problems.ts';

const letter = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a') }),
  z.object({ kind: z.literal('b') }),
]);

test.each<[string, z.core.$ZodType, unknown]>([
  ['is required', z.string(), undefined],
  ['must be a text', z.string(), 5],
  ['must be a text', z.uuid(), null],
  ['must be a number', z.number(), '5'],
  ['must be a number', z.number(), Number.NaN],
  ['must be a whole number', z.int(), '5'],
  ['must be a whole number', z.int(), 1.5],
  ['must be true or false', z.boolean(), 'true'],
  ['must be a list', z.array(z.string()), 'a'],
  ['must be an object', z.strictObject({}), []],
  ['must be an object', z.record(z.string(), z.string()), 'a'],
  ['must be an object', letter, 'a'],
  ['must be one of a, b', letter, { kind: 'c' }],
  ['must be one of a, b', letter, {}],
  ['must be one of a, b', z.enum(['a', 'b']), 'c'],
  ['must be true', z.literal(true), false],
  ['must be a UUID', z.uuid(), 'x'],
  ['must match /^a/', z.string().check(z.regex(/^a/)), 'b'],
])('what is wrong is told in plain words: %s', (sentence, schema, input) => {
  expect(told(schema, input)).toEqual([sentence]);
});

test('of a field that is elsewhere, its hint is told, and of others the nearest name', () => {
  const hints = new Map([['stage', '; a hint']]);
  const schema = z.strictObject({ name: z.string() }, { error: withHints(hints) });
  expect(told(schema, { name: 'a', stage: 1, nmae: 2, constructor: 3 })).toEqual([
    'is not known here; a hint',
    'is not known here; perhaps name is meant',
    'is not known here',
  ]);
  expect(told(schema, { name: 5 })).toEqual(['must be a text']);
  expect(told(schema, 5)).toEqual(['must be an object']);
});

const many = (most: number) => z.array(z.number()).check(z.minLength(1), z.maxLength(most));
const long = (least: number) => z.string().check(z.minLength(least), z.maxLength(20));

test.each<[string, z.core.$ZodType, unknown, unknown]>([
  ['must be at least 0', z.int().check(z.nonnegative()), 0, -1],
  ['must be at least -10', z.int().check(z.gte(-10)), -10, -11],
  ['must be at most 1000000000000', z.int().check(z.lte(1e12)), 1e12, 1e12 + 1],
  ['must be at most 9007199254740991', z.int(), 2 ** 53 - 1, 2 ** 53],
  ['must be more than 0', z.number().check(z.positive()), 0.1, 0],
  ['must be less than 0', z.number().check(z.negative()), -0.1, 0],
  ['must have at least 1 character', long(1), 'x', ''],
  ['must have at least 2 characters', long(2), 'xx', 'x'],
  ['must have at most 20 characters', long(1), 'x'.repeat(20), 'x'.repeat(21)],
  ['must have at least 1 item', many(20), [1], []],
  ['must have at most 1 item', many(1), [1], [1, 1]],
  ['must have at most 20 items', many(20), Array(20).fill(1), Array(21).fill(1)],
])('a limit is told in plain words: %s', (sentence, schema, just, beyond) => {
  expect(told(schema, just)).toEqual([]);
  expect(told(schema, beyond)).toEqual([sentence]);
});

test('without words it is what zod says, which names nothing', () => {
  expect(told(z.iso.time(), '2026')).toEqual(['Invalid input']);
});

test('a schema’s own words come first', () => {
  expect(told(z.array(z.string('must be a color')), [5])).toEqual(['must be a color']);
  expect(told(z.string().check(z.minLength(2, 'is short')), 'x')).toEqual(['is short']);
});

/** A schema with all that are inside of it. */
const within = (value: unknown, found = new Set<z.core.$ZodType>()): Set<z.core.$ZodType> => {
  if (typeof value !== 'object' || value === null) return found;
  if (!('_zod' in value)) {
    for (const one of Object.values(value)) within(one, found);
  } else if (!found.has(value as z.core.$ZodType)) {
    found.add(value as z.core.$ZodType);
    within((value as z.core.$ZodType)._zod.def, found);
  }
  return found;
};
/** Parts of a schema that take what others have checked; and fields that are not known, whose names are told. */
const apart = { pipe: true, transform: true, custom: true, never: true };
const inputs = [-1, 1.5, 1e300, '', 'x', 'x'.repeat(5000), true, null, {}, Array(500).fill(1)];

test('nothing of all that operations take is without words', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const taken = operations.flatMap((one) => ('request' in one ? [one.request] : []));
  const schemas = [...within(taken)].filter(
    ({ _zod }) => _zod.traits.has('$ZodType') && !(_zod.def.type in apart),
  );
  expect(schemas.length).toBeGreaterThan(200);
  for (const schema of schemas) {
    for (const input of inputs) expect(told(schema, input)).not.toContain('Invalid input');
  }
});
