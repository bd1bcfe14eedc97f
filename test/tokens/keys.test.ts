import { randomUUID } from 'node:crypto';
import { createServer, globalAgent, type Server } from 'node:https';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { TokenVerifier } from '../../lib/tokens.ts';

// What becomes of the issuer's keys over time: a real HTTPS server, only the clock is moved.

interface Key {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

let server: Server;
let issuer: string;
let published: JWK[] = [];
let fetches = 0;
let status = 200;
/** Takes requests and does not answer them. */
let hangs = false;
let verifier: TokenVerifier;

const makeKey = async (kid: string, alg = 'RS256', modulusLength = 2048): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, {
    modulusLength,
    extractable: true,
  });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

const token = (key: Key, kid = key.jwk.kid ?? '', subject: string = randomUUID()) => {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: issuer, aud: 'test', sub: subject, iat: now, exp: now + 3600 })
    .setProtectedHeader({ alg: key.jwk.alg ?? '', kid })
    .sign(key.privateKey);
};

const refusal = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error) => error.code,
  );

const verify = async (key: Key, kid?: string) => refusal(verifier.verify(await token(key, kid)));

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  globalAgent.options.ca = cert;
  server = createServer({ key, cert }, (_request, response) => {
    fetches++;
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: published }));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  issuer = `https://localhost:${(server.address() as { port: number }).port}`;
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  fetches = 0;
  status = 200;
  hangs = false;
  verifier = new TokenVerifier({ issuer, audience: 'test', jwksUri: `${issuer}/jwks` });
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('keys are fetched once and kept', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  for (let i = 0; i < 5; i++) expect(await verify(key)).toBe('taken');
  expect(fetches).toBe(1);
});

test('a key that the issuer has just added is taken at once', async () => {
  const [old, added] = [await makeKey('a'), await makeKey('b')];
  published = [old.jwk];
  expect(await verify(old)).toBe('taken');
  published = [old.jwk, added.jwk];
  later(3);
  expect(await verify(added)).toBe('taken');
  expect(await verify(old)).toBe('taken');
});

test('a key that the issuer removed is refused within an hour, also one replaced under its id', async () => {
  const [removed, kept] = [await makeKey('a'), await makeKey('b')];
  published = [removed.jwk, kept.jwk];
  expect(await verify(removed)).toBe('taken');
  const replacement = await makeKey('b');
  published = [replacement.jwk];
  later(3599);
  expect(await verify(removed)).toBe('unauthenticated');
  expect(await verify(kept)).toBe('unauthenticated');
  expect(await verify(replacement)).toBe('taken');
});

test('a flood of made-up key ids neither floods the issuer nor locks a new key out', async () => {
  const [old, added] = [await makeKey('a'), await makeKey('b')];
  published = [old.jwk];
  expect(await verify(old)).toBe('taken');
  published = [old.jwk, added.jwk];
  for (let i = 0; i < 200; i++) {
    later(0.01);
    expect(await verify(old, `made-up-${i}`)).toBe('unauthenticated');
    expect(await verify(old)).toBe('taken');
  }
  expect(fetches).toBeLessThanOrEqual(3);
  later(2);
  expect(await verify(added)).toBe('taken');
});

test('while the issuer is down, known keys are good for an hour and then unavailable', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  expect(await verify(key)).toBe('taken');
  status = 500;
  later(3590);
  expect(await verify(key)).toBe('taken');
  expect(await verify(key, 'unknown')).toBe('unauthenticated');
  later(20);
  expect(await verify(key)).toBe('unavailable');
  status = 200;
  later(3);
  expect(await verify(key)).toBe('taken');
});

test('an issuer that is down from the start makes the service unavailable, until it is back', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  status = 503;
  expect(await verify(key)).toBe('unavailable');
  status = 200;
  expect(await verify(key)).toBe('unavailable');
  later(3);
  expect(await verify(key)).toBe('taken');
});

test('an issuer that does not answer makes the service unavailable from the start, and not later', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  hangs = true;
  expect(await verify(key)).toBe('unavailable');
  hangs = false;
  later(3);
  expect(await verify(key)).toBe('taken');
  hangs = true;
  later(3590);
  expect(await verify(key)).toBe('taken');
  later(20);
  expect(await verify(key)).toBe('unavailable');
}, 60_000);

test('50 tokens at once cause one fetch', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  const all = await Promise.all(Array.from({ length: 50 }, () => verify(key)));
  expect(new Set(all)).toEqual(new Set(['taken']));
  expect(fetches).toBe(1);
});

test.each([
  ['RS256', 2048, 'taken'],
  ['RS384', 2048, 'taken'],
  ['RS512', 3072, 'taken'],
  ['ES256', 0, 'taken'],
  ['ES384', 0, 'taken'],
  ['ES512', 0, 'taken'],
  ['PS256', 2048, 'unauthenticated'],
  ['EdDSA', 0, 'unauthenticated'],
])('a key of %s with %i bits is %s', async (alg, bits, expected) => {
  const key = await makeKey('a', alg, bits || undefined);
  published = [key.jwk];
  expect(await verify(key)).toBe(expected);
});

test('an RSA key of 1024 bits is refused, though the issuer publishes it', async () => {
  const { generateKeyPairSync, createSign } = await import('node:crypto');
  const weak = (bits: number) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    published = [{ ...publicKey.export({ format: 'jwk' }), kid: 'w', alg: 'RS256' } as JWK];
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = { iss: issuer, aud: 'test', sub: 'x', exp: now + 60 };
    const input = `${encode({ alg: 'RS256', kid: 'w' })}.${encode(body)}`;
    const signature = createSign('RSA-SHA256').update(input).sign(privateKey, 'base64url');
    return refusal(verifier.verify(`${input}.${signature}`));
  };
  expect(await weak(1024)).toBe('unauthenticated');
  later(700);
  expect(await weak(2048)).toBe('taken');
});

test('a user is the sub where that is a UUID, else a UUIDv5 of issuer and sub', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  const user = async (subject: string) => verifier.verify(await token(key, 'a', subject));
  const id = randomUUID();
  expect(await user(id.toUpperCase())).toBe(id);
  const other = await user('auth0|17');
  expect(other).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  expect(await user('auth0|17')).toBe(other);
  expect(await user('auth0|18')).not.toBe(other);
});
