import { expect, test } from 'vitest';
import { LastSeen } from '../../lib/handlers/http/last-seen.ts';

test('keeps those that were added last, and no more than it may', () => {
  const seen = new LastSeen(2);
  seen.add('a');
  seen.add('b');
  seen.add('a');
  expect([seen.has('a'), seen.has('b')]).toEqual([true, true]);
  seen.add('c');
  expect(['a', 'b', 'c'].map((text) => seen.has(text))).toEqual([true, false, true]);
  seen.delete('a');
  seen.add('d');
  expect(['a', 'c', 'd'].map((text) => seen.has(text))).toEqual([false, true, true]);
});
