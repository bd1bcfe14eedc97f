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
// tested in test/unit/handlers/http/middlewares/authentication.test.ts, and what is read of it before its signature in id-token.test.ts.

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
  ['of a sub of 255 characters', () => ofMember('s'.repeat(255))],
  ['of a sub beyond ASCII', () => ofMember(`auth0|ção-${randomUUID()}`)],
  ['issued a moment ahead', () => sign({ ...claims, iat: now() + 3, nbf: now() + 3 })],
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
  'a kid that is a path': { kid: '../../etc/passwd' },
  'the kid of a prototype': { kid: '__proto__' },
  'detached content': { b64: false, crit: ['b64'] },
};

const wrongClaims: Record<string, Record<string, unknown>> = {
  'exp in the past': { exp: now() - 60 },
  'exp beyond all numbers': { exp: 1e308 },
  'nbf in the future': { nbf: now() + 600 },
  'aud in another case': { aud: audience.toUpperCase() },
  'events, as a logout token': { events: { [logoutEvent]: {} } },
};

const mapped = <T>(all: Record<string, T>, toToken: (one: T) => Promise<string> | string) =>
  Object.entries(all).map(([name, one]) => [name, () => toToken(one)] as const);

test.each([
  ...Object.entries(signatures),
  ...mapped(headers, (header) => signedWith(header, {})),
  ...mapped(wrongClaims, (wrong) => signedWith({}, wrong)),
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
