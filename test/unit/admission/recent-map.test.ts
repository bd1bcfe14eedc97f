import { expect, test } from 'vitest';
import { RecentMap, RecentSet } from '../../../lib/admission/recent-map.ts';

test('keeps those that were added last, and no more than it may', () => {
  const recent = new RecentSet(2);
  for (const name of ['a', 'b', 'a']) recent.add(name);
  expect([recent.has('a'), recent.has('b')]).toEqual([true, true]);
  recent.add('c');
  expect(['a', 'b', 'c'].map((name) => recent.has(name))).toEqual([true, false, true]);
  recent.delete('a');
  recent.add('d');
  expect(['a', 'c', 'd'].map((name) => recent.has(name))).toEqual([false, true, true]);
});

test('a name has the value that it was given last', () => {
  const recent = new RecentMap<number>(1);
  recent.set('a', 1);
  recent.set('a', 2);
  expect([recent.get('a'), recent.get('b')]).toEqual([2, undefined]);
  recent.set('b', 3);
  expect([recent.get('a'), recent.get('b')]).toEqual([undefined, 3]);
});
