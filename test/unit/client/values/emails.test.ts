import { expect, test } from 'vitest';
import { email as schema } from '../../../../lib/schema/fields.ts';
import { readEmail } from '../../../../packages/client/src/cli/values/emails.ts';

test.each<[string, string | undefined, string[]]>([
  ['maria@example.com', 'maria@example.com', []],
  // Text comes back exactly as it was sent: the service knows that case does not matter.
  ['Maria.Silva@Example.COM', 'Maria.Silva@Example.COM', []],
  [' maria@example.com\u200b', 'maria@example.com', []],
  ['Maria Silva <maria@example.com>', 'maria@example.com', []],
  ['"Silva, Maria" <maria@example.com>', 'maria@example.com', []],
  ['mailto:maria@example.com', 'maria@example.com', []],
  ['maria@example.com;m@example.org', 'maria@example.com', ['m@example.org']],
  ['maria@example.com, MARIA@example.com', 'maria@example.com', []],
  ['maria@example.com / m@example.org', 'maria@example.com', ['m@example.org']],
  ['maria@example.com/m@example.org', 'maria@example.com', ['m@example.org']],
  ['maria@example.com ::: m@example.org', 'maria@example.com', ['m@example.org']],
  ['Silva, M. <maria@example.com>; Rui <r@example.com>', 'maria@example.com', ['r@example.com']],
  ["'maria@example.com'", 'maria@example.com', []],
  // A part of an address is another address.
  ["x@example.com; o'brien@example.com", 'x@example.com', ["o'brien@example.com"]],
  ['a/b@example.com, x@example.com', 'a/b@example.com', ['x@example.com']],
  // Nothing beside it is lost.
  ['maria@example.com; joao@@example', 'maria@example.com', ['joao@@example']],
  ['maria@example.com (no ads)', 'maria@example.com', ['maria@example.com (no ads)']],
  ['João@example.com <j@example.com>', 'j@example.com', ['João@example.com']],
  [`a@example.com ${'x'.repeat(10_000)}`, 'a@example.com', [`a@example.com ${'x'.repeat(10_000)}`]],
  ['maria@@example', undefined, ['maria@@example']],
  ['maria@gmail,com', undefined, ['maria@gmail,com']],
  ['joão@example.com', undefined, ['joão@example.com']],
  ['n/a', undefined, ['n/a']],
  [`${'a'.repeat(250)}@x.com`, undefined, [`${'a'.repeat(250)}@x.com`]],
])('of %j the address is %s', (cell, email, rest) => {
  const read = readEmail([cell]);
  expect([read.email, read.rest.map(({ text }) => text)]).toEqual([email, rest]);
});

test('the first cell with an address counts', () => {
  const { email, rest } = readEmail(['none', 'a@example.com', 'b@example.com']);
  expect([email, rest.map(({ text }) => text)]).toEqual([
    'a@example.com',
    ['none', 'b@example.com'],
  ]);
});

test.each([
  'a@b.co',
  '"a b"@b.co',
  'a@[1.2.3.4]',
  'a@b',
  '.a@b.co',
  'a..b@b.co',
  'a@b.c',
  'ü@b.co',
  `${'a'.repeat(247)}@b.co`,
  `${'a'.repeat(250)}@b.co`,
])('%j is an address where the service takes it, and nowhere else', (text) => {
  expect(readEmail([text]).email).toBe(schema().safeParse(text).success ? text : undefined);
});
