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
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { call } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { now, sign } from '../../support/tokens.ts';

// Tokens that must not be taken, each beside what makes it wrong; the control is taken. How a header may have a token is
// tested in test/unit/handlers/http/authentication.test.ts.

const { signingKey, issuer, audience } = inject('service');

let organization: Organization;
let claims: Record<string, unknown>;

beforeAll(async () => {
  organization = await provision();
  claims = { sub: organization.users.owner };
});

const bearer = async (token: string | Promise<string>): Promise<number> => {
  const headers = {
    authorization: `Bearer ${await token}`,
    'x-organization-id': organization.id,
  };
  return (await call('GET', '/billing/balance', { headers })).status;
};

/** The whole set of claims of a good token, for those that are put together by hand. */
const payload = () => ({ iss: issuer, aud: audience, iat: now(), exp: now() + 3600, ...claims });

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** OpenID Connect Back-Channel Logout, 2.4. */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** A token of someone who is a member under an id that is made of the `sub`. */
const ofMember = async (sub: string): Promise<string> => {
  const userId = v5(sub, v5(issuer, v5.URL));
  const owner = {
    authorization: `Bearer ${await sign(claims)}`,
    'x-organization-id': organization.id,
  };
  const headers = { ...owner, 'content-type': 'application/json' };
  await call('PUT', `/members/${userId}`, { headers, body: '{"role":"billing"}' });
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

describe('control', () => {
  test.each<[string, () => Promise<string>]>([
    ['a plain token', () => sign(claims)],
    ['put together by hand', () => signedWith({}, {})],
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
  ])('%s is taken', async (_name, token) => {
    expect(await bearer(token())).toBe(200);
  });
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

describe('signature', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['none', () => new UnsecuredJWT(payload()).encode()],
    ['none, in another case', () => signedBy('nOnE', () => 'AA')],
    ['empty', () => signedBy('RS256', () => '')],
    [
      'of other claims',
      async () => {
        const [, , signature = ''] = (await sign(claims)).split('.');
        return signedBy('RS256', () => signature);
      },
    ],
    [
      'HS256 with the public key',
      async () => {
        const publicKey = createPublicKey({ key: signingKey as JsonWebKey, format: 'jwk' });
        const spki = await exportSPKI(publicKey as never);
        return signedBy('HS256', (input) =>
          createHmac('sha256', spki).update(input).digest('base64url'),
        );
      },
    ],
    [
      'of a key that the token brings along',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
        const [jku, x5u] = ['https://evil.example/jwks.json', 'https://evil.example'];
        const header = {
          ...goodHeader(),
          jwk: await exportJWK(publicKey),
          jku,
          x5u,
          x5c: ['AA=='],
        };
        return new SignJWT(payload()).setProtectedHeader(header).sign(privateKey);
      },
    ],
    ['PS256 by the right key', () => signedAs('PS256')],
    ['RS512 by a key that is for RS256', () => signedAs('RS512')],
  ])('%s', async (_name, token) => {
    expect(await bearer(token())).toBe(401);
  });
});

describe('header', () => {
  test.each<[string, object]>([
    ['without kid', { kid: undefined }],
    ['with an empty kid', { kid: '' }],
    ['with a kid that is a path', { kid: '../../etc/passwd' }],
    ['with a kid of another type', { kid: 1 }],
    ['with the kid of a prototype', { kid: '__proto__' }],
    ['of an access token', { typ: 'at+jwt' }],
    ['with an extension that must be understood', { crit: ['exp'] }],
    ['with an empty crit', { crit: [] }],
    ['with detached content', { b64: false, crit: ['b64'] }],
  ])('%s', async (_name, header) => {
    expect(await bearer(signedWith(header, {}))).toBe(401);
  });
});

describe('claims', () => {
  test.each<[string, Record<string, unknown>]>([
    ['no exp', { exp: undefined }],
    ['exp in the past', { exp: now() - 60 }],
    ['exp of another type', { exp: '9999999999' }],
    ['exp in two days', { exp: now() + 172_800 }],
    ['exp beyond all numbers', { exp: 1e308 }],
    ['iat of another type', { iat: 'now' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['sub of another type', { sub: { id: 1 } }],
    ['nbf in the future', { nbf: now() + 600 }],
    ['iat in the future', { iat: now() + 600 }],
    ['no iss', { iss: undefined }],
    ['iss with a slash more', { iss: `${issuer}/` }],
    ['several iss', { iss: [issuer] }],
    ['no aud', { aud: undefined }],
    ['aud in another case', { aud: audience.toUpperCase() }],
    ['a further aud', { aud: [audience, 'other'] }],
    ['our aud twice', { aud: [audience, audience] }],
    ['another azp', { azp: 'other' }],
    ['an azp of another type', { azp: [audience] }],
    ['an access token’s use', { token_use: 'access' }],
    ['a use of another type', { token_use: ['id'] }],
    ['the type of an access token', { typ: 'Bearer' }],
    ['events, as a logout token', { events: { [logoutEvent]: {} } }],
    ['events without any', { events: {} }],
    ['a key that it is bound to', { cnf: { jkt: 'x' } }],
    ['a sub of 256 characters', { sub: 's'.repeat(256) }],
    ['a sub with a line break', { sub: 'a\nb' }],
    ['a sub with a NUL', { sub: 'a\0b' }],
    ['a sub with half a character', { sub: 'a\ud800b' }],
  ])('%s', async (_name, wrong) => {
    expect(await bearer(signedWith({}, wrong))).toBe(401);
  });

  test('a claim twice: the first does not count beside the last', async () => {
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
});

describe('a payload', () => {
  const bytes = (text: Buffer) =>
    bearer(signRaw(base64url(goodHeader()), text.toString('base64url')));
  const good = () => Buffer.from(JSON.stringify({ ...payload(), note: 'ção' }));

  test.each<[string, () => Buffer]>([
    ['that is not UTF-8', () => Buffer.from(good().toString('utf8'), 'latin1')],
    ['that is no JSON', () => good().subarray(1)],
    ['that is a list', () => Buffer.from(JSON.stringify([payload()]))],
    ['that is null', () => Buffer.from('null')],
    ['that is empty', () => Buffer.from('')],
  ])('%s', async (_name, text) => {
    expect(await bytes(text())).toBe(401);
    expect(await bytes(good())).toBe(200);
  });
});

describe('spelling', () => {
  test.each<[string, (token: string) => string]>([
    ['padding', (token) => `${token}=`],
    ['four parts', (token) => `${token}.AA`],
    ['two parts', (token) => token.replace(/\.[^.]+$/, '')],
    // In the last place, the next character only sets bits that belong to nothing.
    ['bits that say nothing', (token) => token.slice(0, -1) + next(token.at(-1) ?? '')],
    ['the other alphabet', (token) => `${token.replaceAll('-', '+').replaceAll('_', '/')}+`],
    ['a blank inside', (token) => token.replace('.', '. ')],
    ['a comma and another', (token) => `${token},x`],
  ])('%s', async (_name, spell) => {
    expect(await bearer(spell(await sign(claims)))).toBe(401);
  });
});

const next = (character: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(character) + 1] ?? 'B';
};
