import { expect, test } from 'vitest';
import { RecentSet } from '../../../../../lib/handlers/http/admission/recent-set.ts';

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
