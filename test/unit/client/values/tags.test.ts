import { expect, test } from 'vitest';
import { optionsOf, tagsCell, tagsOf } from '../../../../packages/client/src/cli/values/tags.ts';

test.each<[string, unknown]>([
  ['a', ['a']],
  ['a; b ,c', ['a', 'b', 'c']],
  ['a;;,a', ['a']],
  ['', []],
  ['["a;b","c"]', ['a;b', 'c']],
  // What begins as JSON and is none is between signs, too.
  ['["a;b"', ['["a', 'b"']],
  ['[a]', ['[a]']],
  ['{"a":1}', ['{"a":1}']],
  // The service says what is wrong with it.
  ['["a",{"b":1,"b":2}]', '["a",{"b":1,"b":2}]'],
])('the tags of the cell %j are %j', (cell, tags) => {
  expect(tagsOf(cell)).toEqual(tags);
});

test.each([
  [['a', 'b'], 'a;b'],
  [[], ''],
  [['a;b', 'c'], '["a;b","c"]'],
  [['a,b'], '["a,b"]'],
  [['a', 'a'], '["a","a"]'],
  [[' a'], '[" a"]'],
])('the tags %j are the cell %j, which has them as they are', (tags, cell) => {
  expect(tagsCell(tags)).toBe(cell);
  expect(tagsOf(cell)).toEqual(tags);
});

test('options may have commas, where each between semicolons is one', () => {
  const options = ['Red, dark', 'Blue'];
  expect(optionsOf('red, DARK; Blue', options)).toEqual(['red, DARK', 'Blue']);
  expect(optionsOf('Red, dark', options)).toEqual(['Red, dark']);
  expect(optionsOf('Blue, Red', options)).toEqual(['Blue', 'Red']);
  expect(optionsOf('Blue;Green, light', options)).toEqual(['Blue', 'Green', 'light']);
  expect(optionsOf('Blue, Red')).toEqual(['Blue', 'Red']);
});
