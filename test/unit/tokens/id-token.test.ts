import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readIdToken } from '../../../lib/tokens/id-token.ts';

// What is read of a token before its signature is checked. Signatures: test/unit/tokens/attacks.test.ts.

const expected = { issuer: 'https://issuer.example', audience: 'app' };
const now = 1_800_000_000;
const header = { alg: 'RS256', kid: 'k' };
const payload = { iss: expected.issuer, aud: 'app', sub: 'user', exp: now + 3600 };

const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const tokenOf = (head: unknown, body: unknown) =>
  `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(body))}.AA`;

const read = (token: string) => readIdToken(token, expected);
const withHeader = (change: object) => read(tokenOf({ ...header, ...change }, payload));
const withClaims = (change: object) => read(tokenOf(header, { ...payload, ...change }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
});

afterEach(() => {
  vi.useRealTimers();
});

test('a good token is read', () => {
  expect(withClaims({})).toEqual({ kid: 'k', alg: 'RS256', sub: 'user' });
});

test.each<[object]>([
  [{ alg: 'RS384' }],
  [{ alg: 'ES512' }],
  [{ typ: 'JWT' }],
  [{ typ: 'jwt' }],
  [{ jku: 'https://evil.example' }],
])('a header with %j is taken', (change) => {
  expect(withHeader(change)).toMatchObject({ kid: 'k', sub: 'user' });
});

test.each<[object, string]>([
  [{ alg: undefined }, 'alg must be'],
  [{ alg: 'none' }, 'alg must be'],
  [{ alg: 'HS256' }, 'alg must be'],
  [{ alg: 'toString' }, 'alg must be'],
  [{ alg: ['RS256'] }, 'alg must be'],
  [{ kid: undefined }, 'kid must be'],
  [{ kid: '' }, 'kid must be'],
  [{ kid: 1 }, 'kid must be'],
  [{ typ: 'at+jwt' }, 'typ must be'],
  [{ typ: null }, 'typ must be'],
  [{ typ: ['JWT'] }, 'typ must be'],
  [{ crit: ['exp'] }, 'crit must be'],
  [{ crit: [] }, 'crit must be'],
  [{ crit: null }, 'crit must be'],
])('a header with %j is refused', (change, why) => {
  expect(() => withHeader(change)).toThrow(why);
});

test.each<[string, object]>([
  ['a list of our audience', { aud: ['app'] }],
  ['asked for by us', { azp: 'app' }],
  ['that say they are of an id_token', { token_use: 'id', typ: 'ID' }],
  ['of a type as the header’s', { typ: 'jwt' }],
  ['in another case', { token_use: 'ID', typ: 'id' }],
  ['a sub of one character', { sub: 's' }],
  ['a sub of 255 characters', { sub: 's'.repeat(255) }],
  ['issued 5 seconds ahead', { iat: now + 5 }],
  ['issued long ago', { iat: 0 }],
  ['good for a day and 5 seconds', { exp: now + 24 * 3600 + 5 }],
  ['that nobody knows', { roles: ['king'] }],
])('claims are taken: %s', (_what, change) => {
  expect(withClaims(change).kid).toBe('k');
});

test.each<[string, object, string]>([
  ['of another issuer', { iss: `${expected.issuer}/` }, 'iss must be'],
  ['of several issuers', { iss: [expected.issuer] }, 'iss must be'],
  ['of no issuer', { iss: undefined }, 'iss must be'],
  ['for nobody', { aud: undefined }, 'aud must be'],
  ['for a list of nobody', { aud: [] }, 'aud must be'],
  ['for another', { aud: 'other' }, 'aud must be'],
  ['for another, in a list', { aud: ['other'] }, 'aud must be'],
  ['for us and another', { aud: ['app', 'other'] }, 'aud must be'],
  ['for us twice', { aud: ['app', 'app'] }, 'aud must be'],
  ['asked for by another', { azp: 'other' }, 'azp must be'],
  ['asked for by null', { azp: null }, 'azp must be'],
  ['of an access token', { token_use: 'access' }, 'token_use must be'],
  ['of a list of uses', { token_use: ['id'] }, 'token_use must be'],
  ['of a bearer token', { typ: 'Bearer' }, 'typ must be'],
  ['of a logout token', { events: {} }, 'events must be'],
  ['bound to a key', { cnf: {} }, 'cnf must be'],
  ['without a sub', { sub: undefined }, 'sub must be'],
  ['with an empty sub', { sub: '' }, 'sub must be'],
  ['with a sub that is a list', { sub: ['user'] }, 'sub must be'],
  ['with a sub of 256 characters', { sub: 's'.repeat(256) }, 'sub must be'],
  ['with a control character', { sub: 'a\u0085b' }, 'sub must be'],
  ['with half a character', { sub: 'a\ud800b' }, 'sub must be'],
  ['without an end', { exp: undefined }, 'exp must be a number'],
  ['with an end that is a text', { exp: String(now + 60) }, 'exp must be a number'],
  ['good for longer', { exp: now + 24 * 3600 + 6 }, 'exp must be at most'],
  ['issued 6 seconds ahead', { iat: now + 6 }, 'iat must be'],
  ['issued at a text', { iat: 'now' }, 'iat must be'],
  ['issued at null', { iat: null }, 'iat must be'],
])('claims are refused: %s', (_what, change, why) => {
  expect(() => withClaims(change)).toThrow(why);
});

test('claims that are refused are told as they are', () => {
  expect(() => withClaims({ aud: ['other'] })).toThrow('aud must be app alone, but is ["other"]');
});

const good = tokenOf(header, payload);
const [head = '', body = ''] = good.split('.');

test('a text of 10,240 characters is read, and one more is refused', () => {
  const padded = tokenOf(header, { ...payload, pad: 'x' });
  const long = (length: number) => padded + 'A'.repeat(length - padded.length);
  expect(read(long(10_240)).sub).toBe('user');
  expect(() => read(long(10_241))).toThrow('at most 10240 characters');
});

test.each([
  ['of two parts', `${head}.${body}`, 'three parts'],
  ['of four parts', `${good}.AA`, 'three parts'],
  ['with padding', `${good}==`, 'canonical'],
  ['with bits that say nothing', `${head}.${body}.AB`, 'canonical'],
  ['in the other alphabet', `${head}.${body}.+/`, 'canonical'],
  ['of a header that is no JSON', `${base64url('{')}.${body}.AA`, 'JSON'],
  ['of claims that are null', `${head}.${base64url('null')}.AA`, 'an object'],
  ['of claims that are a list', `${head}.${base64url('[]')}.AA`, 'an object'],
  ['of claims that are a text', `${head}.${base64url('"a"')}.AA`, 'an object'],
  ['that is not UTF-8', `${head}.${base64url(Buffer.from([0x22, 0xe7, 0x22]))}.AA`, 'not valid'],
])('a text %s is refused', (_what, token, why) => {
  expect(() => read(token)).toThrow(why);
});
