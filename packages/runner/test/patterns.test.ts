import { passes, readPatterns } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';

const read = (pattern: object) => readPatterns({ Filters: [{ Pattern: JSON.stringify(pattern) }] });

test.each([
  ['a value', { a: ['x', 'y'] }, { a: 'y' }, { a: 'z' }],
  ['a beginning', { a: { b: [{ prefix: 'x#' }] } }, { a: { b: 'x#1' } }, { a: { b: 'y#1' } }],
  ['something', { a: { n: [{ exists: true }] } }, { a: { n: '0' } }, { a: {} }],
  ['something in nothing', { a: { n: [{ exists: true }] } }, { a: { n: '0' } }, {}],
  ['nothing', { a: { n: [{ exists: false }] } }, { a: {} }, { a: { n: '0' } }],
  ['nothing in nothing', { a: { n: [{ exists: false }] } }, {}, { a: { n: '0' } }],
  ['all of it', { a: ['x'], b: ['y'] }, { a: 'x', b: 'y' }, { a: 'x', b: 'z' }],
])('a pattern that wants %s', (_what, pattern, passing, other) => {
  expect([passes(read(pattern), passing), passes(read(pattern), other)]).toEqual([true, false]);
});

test('a pattern that it does not know is refused', () => {
  expect(() => read({ a: [{ 'anything-but': 'x' }] })).toThrow(/does not know/);
});
