import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { tag, tags } from '../../../lib/leads/tags.ts';
import { invisible } from '../../support/invisible.ts';
import { problemsOf } from '../../support/problems.ts';
import { seed } from '../../support/random.ts';

// What shows nothing is tested in test/unit/schema/fields.test.ts.
test('a tag is refused where it shows nothing', () => {
  expect(problemsOf(tag(), ' \u200b')).toEqual(['must not be blank']);
});

test.each([
  ['vip', 'vip'],
  [' vip\t', 'vip'],
  ['vip\u200b', 'vip'],
  ['\u2060\ufeffvip\u00ad \u3164', 'vip'],
  ['\ufe0fvip', 'vip'],
  ['v i\u200bp', 'v i\u200bp'],
  ['cafe\u0301', 'caf\u00e9'],
  ['VIP', 'VIP'],
  // What belongs to the character before it stays: a red heart, the flag of England, a syllable.
  ['\u2764\ufe0f', '\u2764\ufe0f'],
  [
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ],
  ['\u1100\u1160', '\u1100\u1160'],
])('a tag %j is stored as %j', (sent, stored) => {
  expect(z.parse(tag(), sent)).toBe(stored);
});

test('a tag has at most 50 characters, as it is sent and as it is stored', () => {
  expect(z.parse(tag(), 'x'.repeat(50))).toBe('x'.repeat(50));
  // One character, of which NFC makes two.
  expect(z.parse(tag(), '\u0958'.repeat(25))).toBe('\u0915\u093c'.repeat(25));
  for (const value of ['x'.repeat(51), ` ${'x'.repeat(50)}`, '\u0958'.repeat(26)]) {
    expect(problemsOf(tag(), value)).toEqual(['must have at most 50 characters']);
  }
});

test(`a tag is taken as it is stored, and stays (SEED=${seed})`, () => {
  const part = fc.constantFrom(...invisible.map(([, value]) => value), 'a', 'e\u0301');
  const parts = fc.array(part, { maxLength: 6 }).map((all) => all.join(''));
  const any = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), parts);
  let taken = 0;
  fc.assert(
    fc.property(any, (value) => {
      const { data } = z.safeParse(tag(), value);
      if (data === undefined) return;
      taken++;
      expect(z.parse(tag(), data)).toBe(data);
      expect(z.parse(tag(), ` ${data}\u200b`)).toBe(data);
    }),
    { seed, numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(500);
});

test('a tag is there once: what is stored as the same is a double', () => {
  const double = ['must have no doubles; blanks around a tag do not count'];
  expect(problemsOf(tags(), ['vip', 'vip '])).toEqual(double);
  expect(problemsOf(tags(), ['caf\u00e9', 'cafe\u0301'])).toEqual(double);
  expect(z.parse(tags(), ['vip', ' VIP', 'v ip'])).toEqual(['vip', 'VIP', 'v ip']);
});
