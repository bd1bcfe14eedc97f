import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  isMeantAsApiKey,
  isSameDigest,
  newApiKey,
  parseApiKey,
} from '../../../lib/tokens/api-key.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A check of our own, by hand: so that what is tested is not the check. */
const checked = (body: string): string => {
  let [value, text] = [crc32(body), ''];
  for (let i = 0; i < 6; i++) {
    text = digits[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return `${body}_${text}`;
};

const extremes = ['0', 'f'].map((digit) => randomUUID().replaceAll(/\w/g, digit));

test.each(['organization', 'platform'] as const)('a key of kind %s reads back', (kind) => {
  for (const id of [randomUUID(), ...extremes]) {
    const { text, digest } = newApiKey(kind, id);
    expect(text).toMatch(/^ls[kp]_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(text.startsWith(kind === 'platform' ? 'lsp_' : 'lsk_')).toBe(true);
    expect(parseApiKey(text)).toEqual({ kind, id, digest });
    expect(text).not.toContain(digest);
  }
});

test('each key of an id has a secret of its own', () => {
  const id = randomUUID();
  const digests = Array.from({ length: 100 }, () => newApiKey('organization', id).digest);
  expect(new Set(digests).size).toBe(100);
});

test('a key with a single character that is another one, at any place, is none', () => {
  const { text } = newApiKey('organization', randomUUID());
  for (let i = 0; i < text.length; i++) {
    for (const other of ['0', 'z', '_', '-', 'é'].filter((one) => one !== text[i])) {
      const changed = `${text.slice(0, i)}${other}${text.slice(i + 1)}`;
      expect([changed, parseApiKey(changed)]).toEqual([changed, undefined]);
    }
  }
});

const [id, secret] = ['0'.repeat(22), '0'.repeat(43)];

test.each([
  ['a short id', `lsk_${id.slice(1)}_${secret}`],
  ['a long secret', `lsk_${id}_${secret}0`],
  ['an id of more than 128 bits', `lsk_${'z'.repeat(22)}_${secret}`],
  ['a secret of more than 256 bits', `lsk_${id}_${'z'.repeat(43)}`],
  ['another prefix', `lsx_${id}_${secret}`],
])('with %s, a key is none, though its check fits', (_what, body) => {
  expect(parseApiKey(checked(body))).toBeUndefined();
  expect(parseApiKey(checked(`lsk_${id}_${secret}`))).toBeDefined();
});

test('a token is not meant as a key', () => {
  const meant = ['lsk_', 'lsp_x', 'eyJhbGciOiJSUzI1NiJ9', 'LSK_', 'xlsk_'].map(isMeantAsApiKey);
  expect(meant).toEqual([true, true, false, false, false]);
});

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
])('the digests %s and %s are the same: %s', (one, other, isSame) => {
  expect(isSameDigest(one, other)).toBe(isSame);
});
