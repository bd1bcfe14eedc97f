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

describe('control', () => {
  test.each<[string, () => Promise<string>]>([
    ['a plain token', () => sign(claims)],
    ['put together by hand', () => signRaw(base64url(goodHeader()), base64url(payload()))],
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

describe('signature', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['none', () => new UnsecuredJWT(payload()).encode()],
    [
      'none, in another case',
      () => `${base64url({ alg: 'nOnE', kid: signingKey.kid })}.${base64url(payload())}.AA`,
    ],
    ['empty', async () => (await sign(claims)).replace(/[^.]+$/, '')],
    [
      'of other claims',
      async () => {
        const [header, , signature] = (await sign(claims)).split('.');
        return `${header}.${base64url({ ...payload(), exp: now() + 7200 })}.${signature}`;
      },
    ],
    [
      'HS256 with the public key',
      async () => {
        const spki = await exportSPKI(
          createPublicKey({ key: signingKey as JsonWebKey, format: 'jwk' }) as never,
        );
        const input = `${base64url({ ...goodHeader(), alg: 'HS256' })}.${base64url(payload())}`;
        return `${input}.${createHmac('sha256', spki).update(input).digest('base64url')}`;
      },
    ],
    [
      'of a key that the token brings along',
      async () => {
        const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
        const jwk = await exportJWK(publicKey);
        const header = {
          ...goodHeader(),
          jwk,
          jku: 'https://evil.example/jwks.json',
          x5u: 'https://evil.example',
          x5c: ['AA=='],
        };
        return new SignJWT(payload()).setProtectedHeader(header).sign(privateKey);
      },
    ],
    [
      'PS256 by the right key',
      async () =>
        new SignJWT(payload())
          .setProtectedHeader({ ...goodHeader(), alg: 'PS256' })
          .sign(await importJWK({ ...signingKey, alg: 'PS256' }, 'PS256')),
    ],
    [
      'RS512 by a key that is for RS256',
      async () =>
        new SignJWT(payload())
          .setProtectedHeader({ ...goodHeader(), alg: 'RS512' })
          .sign(await importJWK({ ...signingKey, alg: 'RS512' }, 'RS512')),
    ],
  ])('%s', async (_name, token) => {
    expect(await bearer(token())).toBe(401);
  });
});

describe('header', () => {
  test.each<[string, object]>([
    ['without kid', { kid: undefined }],
    ['with an empty kid', { kid: '' }],
    ['with a kid that is a path', { kid: '../../etc/passwd' }],
    ['with a kid that is a query', { kid: "' OR 1=1 --" }],
    ['with a kid of another type', { kid: 1 }],
    ['with the kid of a prototype', { kid: '__proto__' }],
    ['of an access token', { typ: 'at+jwt' }],
    ['of another type', { typ: 'secevent+jwt' }],
    ['with an extension that must be understood', { crit: ['exp'] }],
    ['with an empty crit', { crit: [] }],
    ['with an unknown crit', { crit: ['x'], x: 1 }],
    ['with detached content', { b64: false, crit: ['b64'] }],
  ])('%s', async (_name, header) => {
    const spelled = JSON.parse(JSON.stringify({ ...goodHeader(), ...header }));
    expect(await bearer(signRaw(base64url(spelled), base64url(payload())))).toBe(401);
  });
});

describe('claims', () => {
  test.each<[string, Record<string, unknown>]>([
    ['no exp', { exp: undefined }],
    ['exp in the past', { exp: now() - 60 }],
    ['exp of another type', { exp: '9999999999' }],
    ['exp in a hundred years', { exp: now() + 3_155_760_000 }],
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
    ['an empty list of aud', { aud: [] }],
    ['aud in another case', { aud: audience.toUpperCase() }],
    ['a further aud', { aud: [audience, 'other'] }],
    ['a further aud before ours', { aud: ['other', audience] }],
    ['our aud twice', { aud: [audience, audience] }],
    ['another azp', { azp: 'other' }],
    ['an empty azp', { azp: '' }],
    ['an azp of another type', { azp: [audience] }],
    ['an access token’s use', { token_use: 'access' }],
    ['a use of another type', { token_use: ['id'] }],
    ['the type of an access token', { typ: 'Bearer' }],
    ['the type of a refresh token', { typ: 'Refresh' }],
    ['the type of an offline token', { typ: 'Offline' }],
    ['events, as a logout token', { events: { [logoutEvent]: {} } }],
    ['events without any', { events: {} }],
    ['a key that it is bound to', { cnf: { jkt: 'x' } }],
    ['a sub of 256 characters', { sub: 's'.repeat(256) }],
    ['a sub with a line break', { sub: 'a\nb' }],
    ['a sub with a NUL', { sub: 'a\0b' }],
    ['a sub with half a character', { sub: 'a\ud800b' }],
  ])('%s', async (_name, wrong) => {
    const spelled = JSON.parse(JSON.stringify({ ...payload(), ...wrong }));
    expect(await bearer(signRaw(base64url(goodHeader()), base64url(spelled)))).toBe(401);
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
  const parts = async () => (await sign(claims)).split('.') as [string, string, string];

  test.each<[string, (p: [string, string, string]) => string]>([
    ['padding', ([h, p, s]) => `${h}.${p}.${s}=`],
    ['four parts', ([h, p, s]) => `${h}.${p}.${s}.${s}`],
    ['two parts', ([h, p]) => `${h}.${p}`],
    ['bits that say nothing', ([h, p, s]) => `${h}.${p}.${s.slice(0, -1)}${next(s.at(-1) ?? '')}`],
    [
      'the other alphabet',
      ([h, p, s]) => `${h}.${p}.${s.replaceAll('-', '+').replaceAll('_', '/')}+`,
    ],
    ['a blank inside', ([h, p, s]) => `${h}. ${p}.${s}`],
    ['a comma and another', ([h, p, s]) => `${h}.${p}.${s},x`],
  ])('%s', async (_name, spell) => {
    expect(await bearer(spell(await parts()))).toBe(401);
  });
});

/** The next character of the alphabet: in the last place, it only sets bits that belong to nothing. */
const next = (character: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(character) + 1] ?? 'B';
};
