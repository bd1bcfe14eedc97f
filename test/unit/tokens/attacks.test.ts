import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  randomUUID,
  sign as signBytes,
} from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { v5 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { handler as getBalance } from '../../../functions/billing/get-balance.ts';
import { handler as putMember } from '../../../functions/organizations/put-member.ts';
import { now, sign } from '../../support/tokens.ts';
import { Organization, run, surroundings } from '../support.ts';

// Tokens that must not be taken, each beside what makes it wrong; the control is taken. How a header may have a token is
// tested in test/unit/handlers/http/authentication.test.ts.

const { signingKey, issuer, audience } = surroundings;

let organization: Organization;
let claims: Record<string, unknown>;

beforeAll(async () => {
  organization = await Organization.make();
  claims = { sub: organization.users.owner };
});

const bearer = async (token: string | Promise<string>): Promise<number> => {
  const Authorization = `Bearer ${await token}`;
  const headers = { Authorization, 'X-Organization-Id': organization.id };
  return (await run(getBalance, { headers })).status;
};

/** The whole set of claims of a good token, for those that are put together by hand. */
const payload = () => ({ iss: issuer, aud: audience, iat: now(), exp: now() + 3600, ...claims });

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of someone who is a member under an id that is made of the `sub`. */
const ofMember = async (sub: string): Promise<string> => {
  const { status } = await run(putMember, {
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    path: { user_id: v5(sub, v5(issuer, v5.URL)) },
    body: '{"role":"billing"}',
  });
  expect(status).toBe(200);
  return sign({ sub });
};

/** Signs whatever is given, as it is spelled. */
const signRaw = async (header: string, body: string): Promise<string> => {
  const input = `${header}.${body}`;
  const key = createPrivateKey({ key: signingKey as JsonWebKey, format: 'jwk' });
  return `${input}.${signBytes('RSA-SHA256', Buffer.from(input), key).toString('base64url')}`;
};

const goodHeader = () => ({ alg: 'RS256', typ: 'JWT', kid: signingKey.kid ?? '' });

/** A good token but for these fields, of which those that are undefined are left out. */
const signedWith = (header: object, fields: object) =>
  signRaw(base64url({ ...goodHeader(), ...header }), base64url({ ...payload(), ...fields }));

test.each<[string, () => Promise<string>]>([
  ['that is plain', () => sign(claims)],
  ['that is put together by hand', () => signedWith({}, {})],
  ['without typ', () => sign(claims, { typ: undefined as never })],
  ['for a list of audiences that is ours', () => sign({ ...claims, aud: [audience] })],
  ['asked for by us', () => sign({ ...claims, azp: audience })],
  ['that says it is an id_token', () => sign({ ...claims, token_use: 'id', typ: 'ID' })],
  ['that says nothing of its use', () => sign({ ...claims, token_use: undefined })],
  ['of a sub of 255 characters', () => ofMember('s'.repeat(255))],
  ['of a sub beyond ASCII', () => ofMember(`auth0|ção-${randomUUID()}`)],
  ['issued a moment ahead', () => sign({ ...claims, iat: now() + 3, nbf: now() + 3 })],
  ['good for a day', () => sign({ ...claims, exp: now() + 86_400 })],
  ['with claims that nobody knows', () => sign({ ...claims, roles: ['king'] })],
])('a token %s is taken', async (_name, token) => {
  expect(await bearer(token())).toBe(200);
});

/** A good header and payload with another algorithm, and the signature that is made of them. */
const signedBy = async (alg: string, toSignature: (input: string) => string | Promise<string>) => {
  const input = `${base64url({ ...goodHeader(), alg })}.${base64url(payload())}`;
  return `${input}.${await toSignature(input)}`;
};

/** By the right key, with an algorithm that is not its own. */
const signedAs = async (alg: string) =>
  new SignJWT(payload())
    .setProtectedHeader({ ...goodHeader(), alg })
    .sign(await importJWK({ ...signingKey, alg }, alg));

const withSignatureOfOtherClaims = async () => {
  const [, , signature = ''] = (await sign(claims)).split('.');
  return signedBy('RS256', () => signature);
};

const withPublicKeyAsSecret = async () => {
  const publicKey = createPublicKey({ key: signingKey as JsonWebKey, format: 'jwk' });
  const spki = await exportSPKI(publicKey as never);
  return signedBy('HS256', (input) => createHmac('sha256', spki).update(input).digest('base64url'));
};

const withKeyOfItsOwn = async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const [jku, x5u] = ['https://evil.example/jwks.json', 'https://evil.example'];
  const jwk = await exportJWK(publicKey);
  const header = { ...goodHeader(), jwk, jku, x5u, x5c: ['AA=='] };
  return new SignJWT(payload()).setProtectedHeader(header).sign(privateKey);
};

/** OpenID Connect Back-Channel Logout, 2.4. */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

const signatures: Record<string, () => Promise<string> | string> = {
  'no signature': () => new UnsecuredJWT(payload()).encode(),
  'no signature, in another case': () => signedBy('nOnE', () => 'AA'),
  'an empty signature': () => signedBy('RS256', () => ''),
  'the signature of other claims': withSignatureOfOtherClaims,
  'HS256 and the public key': withPublicKeyAsSecret,
  'a key that it brings along': withKeyOfItsOwn,
  'PS256 by the right key': () => signedAs('PS256'),
  'RS512 by a key that is for RS256': () => signedAs('RS512'),
};

const headers: Record<string, object> = {
  'no kid': { kid: undefined },
  'an empty kid': { kid: '' },
  'a kid that is a path': { kid: '../../etc/passwd' },
  'a kid of another type': { kid: 1 },
  'the kid of a prototype': { kid: '__proto__' },
  'the typ of an access token in its header': { typ: 'at+jwt' },
  'an extension that must be understood': { crit: ['exp'] },
  'an empty crit': { crit: [] },
  'detached content': { b64: false, crit: ['b64'] },
};

const wrongClaims: Record<string, Record<string, unknown>> = {
  'no exp': { exp: undefined },
  'exp in the past': { exp: now() - 60 },
  'exp of another type': { exp: '9999999999' },
  'exp in two days': { exp: now() + 172_800 },
  'exp beyond all numbers': { exp: 1e308 },
  'iat of another type': { iat: 'now' },
  'no sub': { sub: undefined },
  'an empty sub': { sub: '' },
  'sub of another type': { sub: { id: 1 } },
  'nbf in the future': { nbf: now() + 600 },
  'iat in the future': { iat: now() + 600 },
  'no iss': { iss: undefined },
  'iss with a slash more': { iss: `${issuer}/` },
  'several iss': { iss: [issuer] },
  'no aud': { aud: undefined },
  'aud in another case': { aud: audience.toUpperCase() },
  'a further aud': { aud: [audience, 'other'] },
  'our aud twice': { aud: [audience, audience] },
  'another azp': { azp: 'other' },
  'an azp of another type': { azp: [audience] },
  'an access token’s use': { token_use: 'access' },
  'a use of another type': { token_use: ['id'] },
  'the type of an access token': { typ: 'Bearer' },
  'events, as a logout token': { events: { [logoutEvent]: {} } },
  'events without any': { events: {} },
  'a key that it is bound to': { cnf: { jkt: 'x' } },
  'a sub of 256 characters': { sub: 's'.repeat(256) },
  'a sub with a line break': { sub: 'a\nb' },
  'a sub with a NUL': { sub: 'a\0b' },
  'a sub with half a character': { sub: 'a\ud800b' },
};

const next = (character: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(character) + 1] ?? 'B';
};

const spellings: Record<string, (token: string) => string> = {
  padding: (token) => `${token}=`,
  'four parts': (token) => `${token}.AA`,
  'two parts': (token) => token.replace(/\.[^.]+$/, ''),
  // In the last place, the next character only sets bits that belong to nothing.
  'bits that say nothing': (token) => token.slice(0, -1) + next(token.at(-1) ?? ''),
  'the other alphabet': (token) => `${token.replaceAll('-', '+').replaceAll('_', '/')}+`,
  'a blank inside': (token) => token.replace('.', '. '),
  'a comma and another': (token) => `${token},x`,
};

const mapped = <T>(all: Record<string, T>, toToken: (one: T) => Promise<string> | string) =>
  Object.entries(all).map(([name, one]) => [name, () => toToken(one)] as const);

test.each([
  ...Object.entries(signatures),
  ...mapped(headers, (header) => signedWith(header, {})),
  ...mapped(wrongClaims, (wrong) => signedWith({}, wrong)),
  ...mapped(spellings, async (spell) => spell(await sign(claims))),
])('a token with %s is refused', async (_name, token) => {
  expect(await bearer(token())).toBe(401);
});

test('of a claim that a token has twice, the first does not count beside the last', async () => {
  const twice = (first: string, last: string) => {
    const text = JSON.stringify(payload()).replace(
      /"aud":"[^"]*"/,
      `"aud":"${first}","aud":"${last}"`,
    );
    return bearer(signRaw(base64url(goodHeader()), Buffer.from(text).toString('base64url')));
  };
  expect(await twice(audience, 'other')).toBe(401);
  expect(await twice('other', audience)).toBe(200);
});

const goodPayload = () => Buffer.from(JSON.stringify({ ...payload(), note: 'ção' }));

test.each<[string, () => Buffer]>([
  ['no UTF-8', () => Buffer.from(goodPayload().toString('utf8'), 'latin1')],
  ['no JSON', () => goodPayload().subarray(1)],
  ['a list', () => Buffer.from(JSON.stringify([payload()]))],
  ['null', () => Buffer.from('null')],
  ['empty', () => Buffer.from('')],
])('a token whose payload is %s is refused', async (_name, text) => {
  const bytes = (one: Buffer) =>
    bearer(signRaw(base64url(goodHeader()), one.toString('base64url')));
  expect(await bytes(text())).toBe(401);
  expect(await bytes(goodPayload())).toBe(200);
});
