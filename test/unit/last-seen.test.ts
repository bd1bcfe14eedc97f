import { expect, test } from 'vitest';
import { LastSeen } from '../../lib/handlers/http/last-seen.ts';

test('keeps those that were added last, and no more than it may', () => {
  const seen = new LastSeen<true>(2);
  seen.set('a', true);
  seen.set('b', true);
  seen.set('a', true);
  expect([seen.has('a'), seen.has('b')]).toEqual([true, true]);
  seen.set('c', true);
  expect(['a', 'b', 'c'].map((text) => seen.has(text))).toEqual([true, false, true]);
  seen.delete('a');
  seen.set('d', true);
  expect(['a', 'c', 'd'].map((text) => seen.has(text))).toEqual([false, true, true]);
});
