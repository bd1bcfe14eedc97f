import { expect, test } from 'vitest';
import { isOwn, withOwnSpender } from '../../../../lib/billing/terms/own-spender.ts';

const asked = { stars: 1, reason: 'r', feature: 'f' };

test('a spender of one’s own is filled in, and may be named', () => {
  expect(withOwnSpender(asked, 'a')).toEqual({ ...asked, spender: 'a' });
  expect(withOwnSpender({ ...asked, spender: 'a' }, 'a')).toEqual({ ...asked, spender: 'a' });
});

test('another spender is forbidden, also one that differs in case alone', () => {
  for (const spender of ['b', 'A', 'a.', 'ab']) {
    expect(() => withOwnSpender({ ...asked, spender }, 'a')).toThrow(
      expect.objectContaining({
        code: 'forbidden',
        details: [{ path: 'spender', message: 'must be a, or left out, with this API key' }],
      }),
    );
  }
});

test('who has no spender of one’s own may name any, or none', () => {
  expect(withOwnSpender(asked, undefined)).toBe(asked);
  expect(withOwnSpender({ ...asked, spender: 'b' }, undefined).spender).toBe('b');
});

test('one’s own is what has the spender, and without a spender all is', () => {
  const spenders = ['a', 'b', null, undefined];
  expect(spenders.map((spender) => isOwn({ spender }, 'a'))).toEqual([true, false, false, false]);
  expect(spenders.every((spender) => isOwn({ spender }, undefined))).toBe(true);
});
