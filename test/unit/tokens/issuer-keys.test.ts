import { createHash, generateKeyPairSync, KeyObject, randomUUID, sign } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import type { Jwk } from 'aws-jwt-verify/jwk';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isForSignatures } from '../../../lib/tokens/issuer-keys.ts';
import type { KeySet } from '../../../lib/tokens/key-set.ts';
import { TokenVerifier } from '../../../lib/tokens/verifier.ts';

// What becomes of the issuer's keys over time, and which are used. How it is asked over HTTPS: key-set.test.ts.

interface Key {
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  jwk: JWK;
}

const issuer = 'https://issuer.example';
let published: JWK[] = [];
let fetches = 0;
/** Slow: it answers as it would have answered at once, when `release` is called, or not at all with `lose`. */
let state: 'well' | 'down' | 'empty' | 'slow' = 'well';
let release: (() => void) | undefined;
let lose: (() => void) | undefined;
let verifier: TokenVerifier;

/** Until all has been done that an answer leads to. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Of elliptic curves, unless told: an RSA key takes a tenth of a second to make. */
const makeKey = async (kid: string, alg = 'ES256', modulusLength = 2048): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, {
    modulusLength,
    extractable: true,
  });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
};

const claims = (subject: string = randomUUID()) => {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: 'test', sub: subject, iat: now, exp: now + 3600 };
};
const token = (key: Key, kid = key.jwk.kid ?? '', subject?: string) =>
  new SignJWT(claims(subject))
    .setProtectedHeader({ alg: key.jwk.alg ?? '', kid })
    .sign(key.privateKey);

/** Signed by hand: with another algorithm of the key's family, or by a key that no library takes. */
const signedAs = async (key: Key, alg: string): Promise<string> => {
  const [header, payload] = [{ alg, kid: key.jwk.kid }, claims()].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const privateKey =
    key.privateKey instanceof KeyObject ? key.privateKey : KeyObject.from(key.privateKey as never);
  const signature = sign(`sha${alg.slice(2)}`, Buffer.from(`${header}.${payload}`), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `${header}.${payload}.${signature.toString('base64url')}`;
};

const refusal = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error) => error.code,
  );

const verify = async (key: Key, kid?: string) => refusal(verifier.verify(await token(key, kid)));

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  fetches = 0;
  state = 'well';
  vi.spyOn(SimpleFetcher.prototype, 'fetch').mockImplementation(async () => {
    fetches++;
    if (state === 'down') throw new Error('down');
    const text = JSON.stringify({ keys: state === 'empty' ? [] : published });
    if (state === 'slow') {
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        lose = () => reject(new Error('lost'));
      });
    }
    return new TextEncoder().encode(text).buffer;
  });
  verifier = new TokenVerifier({ issuer, audience: 'test', jwksUri: `${issuer}/jwks` });
});

afterEach(() => {
  vi.useRealTimers();
  vi.mocked(SimpleFetcher.prototype.fetch).mockRestore();
});

test('keys are fetched once, however many tokens come at once, and kept', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  const all = await Promise.all(Array.from({ length: 50 }, () => verify(key)));
  expect(new Set(all)).toEqual(new Set(['taken']));
  expect(await verify(key)).toBe('taken');
  expect(fetches).toBe(1);
});

describe('keys that are kept nearer than the issuer', () => {
  let kept: KeySet | undefined;
  let readings = 0;

  const keep = (...keys: Key[]) => {
    kept = { fetchedAt: Date.now(), keys: keys.map(({ jwk }) => jwk as Jwk) };
  };

  beforeEach(() => {
    kept = undefined;
    readings = 0;
    verifier = new TokenVerifier(
      { issuer, audience: 'test', jwksUri: `${issuer}/jwks` },
      async () => {
        readings++;
        return kept;
      },
    );
  });

  test('serve while the issuer is down, for as long as keys of its own would', async () => {
    const key = await makeKey('a');
    state = 'down';
    keep(key);
    later(3590);
    expect(await verify(key)).toBe('taken');
    later(10);
    expect(await verify(key)).toBe('unavailable');
  });

  test('that can’t be read fail nothing: the first token asks the issuer', async () => {
    const key = await makeKey('a');
    published = [key.jwk];
    for (const isPrepared of [true, false]) {
      const expected = { issuer, audience: 'test', jwksUri: `${issuer}/jwks` };
      verifier = new TokenVerifier(expected, () => Promise.reject(new Error('throttled')));
      if (isPrepared) verifier.prepare();
      expect(await verify(key)).toBe('taken');
    }
    expect(fetches).toBe(2);
  });

  test('are as old as the issuer’s answer: renewed after ten minutes of that', async () => {
    const [removed, added] = [await makeKey('a'), await makeKey('b')];
    published = [added.jwk];
    keep(removed);
    later(599);
    expect([await verify(removed), fetches]).toEqual(['taken', 0]);
    later(2);
    expect(await verify(removed)).toBe('taken');
    await settled();
    expect(await verify(removed)).toBe('unauthenticated');
    expect(await verify(added)).toBe('taken');
  });

  test('without a key that was just added do not hide it', async () => {
    const [old, added] = [await makeKey('a'), await makeKey('b')];
    keep(old);
    published = [old.jwk, added.jwk];
    later(3);
    expect([await verify(added), await verify(old)]).toEqual(['taken', 'taken']);
    expect([readings, fetches]).toEqual([1, 1]);
  });

  test.each([
    [-1, 'stay'],
    [0, 'are replaced'],
    [1, 'are replaced'],
  ])(
    'that are read late, and are %i ms newer than those that are used: these %s',
    async (afterMs, what) => {
      const [first, second] = [await makeKey('a'), await makeKey('b')];
      const asked = Date.now();
      const setOf = ({ jwk }: Key, fetchedAt: number) => ({ fetchedAt, keys: [jwk as Jwk] });
      const late = Promise.withResolvers<KeySet>();
      const reads = [late.promise, Promise.resolve(setOf(second, asked))];
      const expected = { issuer, audience: 'test', jwksUri: `${issuer}/jwks` };
      verifier = new TokenVerifier(expected, () => reads.shift()!);
      state = 'down';
      const waiting = refusal(verifier.verify(await token(first)));
      // A read that takes so long was frozen with its environment: another one begins.
      later(6);
      expect(await verify(second)).toBe('taken');
      late.resolve(setOf(first, asked + afterMs));
      const isReplaced = what === 'are replaced';
      expect(await waiting).toBe(isReplaced ? 'taken' : 'unauthenticated');
      expect(await verify(second)).toBe(isReplaced ? 'unauthenticated' : 'taken');
    },
  );

  test('are waited for also where an earlier read, that was frozen, fails meanwhile', async () => {
    const key = await makeKey('a');
    const [frozen, slow] = [Promise.withResolvers<KeySet>(), Promise.withResolvers<KeySet>()];
    const reads = [frozen.promise, slow.promise];
    const expected = { issuer, audience: 'test', jwksUri: `${issuer}/jwks` };
    verifier = new TokenVerifier(expected, () => reads.shift()!);
    state = 'down';
    const signed = await token(key);
    const first = refusal(verifier.verify(signed));
    later(6);
    const second = refusal(verifier.verify(signed));
    frozen.reject(new Error('late'));
    expect(await first).toBe('unavailable');
    const third = refusal(verifier.verify(signed));
    slow.resolve({ fetchedAt: Date.now(), keys: [key.jwk as Jwk] });
    expect([await second, await third]).toEqual(['taken', 'taken']);
  });

  test('are held to the same rules: one for encryption is left out', async () => {
    const [other, key] = [await makeKey('other'), await makeKey('key')];
    other.jwk.use = 'enc';
    keep(other, key);
    published = [key.jwk];
    expect([await verify(other), await verify(key)]).toEqual(['unauthenticated', 'taken']);
  });
});

test('a key that the issuer removed is refused within an hour, also one replaced under its id', async () => {
  const [removed, kept] = [await makeKey('a'), await makeKey('b')];
  published = [removed.jwk, kept.jwk];
  expect(await verify(removed)).toBe('taken');
  const replacement = await makeKey('b');
  published = [replacement.jwk];
  later(3600);
  expect(await verify(removed)).toBe('unauthenticated');
  expect(await verify(kept)).toBe('unauthenticated');
  expect(await verify(replacement)).toBe('taken');
});

test('what a frozen environment asked for hours ago is not taken for new', async () => {
  const [old, next] = [await makeKey('old'), await makeKey('next')];
  published = [old.jwk];
  expect(await verify(old)).toBe('taken');
  later(11 * 60);
  state = 'slow';
  expect(await verify(old)).toBe('taken');
  state = 'well';
  published = [next.jwk];
  later(8 * 3600);
  const signed = await token(old);
  // It looks for keys before the answer is there.
  const late = refusal(verifier.verify(signed));
  release!();
  expect(await late).toBe('unauthenticated');
  expect(await verify(next)).toBe('taken');
});

test('keys of ten minutes are renewed while the old ones are used, and nobody waits', async () => {
  const [old, added] = [await makeKey('a'), await makeKey('b')];
  published = [old.jwk];
  expect(await verify(old)).toBe('taken');
  later(599);
  expect(await verify(old)).toBe('taken');
  expect(fetches).toBe(1);
  state = 'slow';
  later(1);
  for (let i = 0; i < 3; i++) expect([await verify(old), fetches]).toEqual(['taken', 2]);
  lose!();
  state = 'well';
  published = [added.jwk];
  later(30);
  expect(await verify(old)).toBe('taken');
  await settled();
  expect(await verify(old)).toBe('unauthenticated');
  expect(await verify(added)).toBe('taken');
});

test.each<[string, unknown]>([
  ['null', null],
  ['a text', 'key'],
  ['without a type', { kid: 'm' }],
  ['of an unknown type', { kty: 'XYZ', kid: 'm' }],
  ['with a modulus that is no text', { kty: 'RSA', kid: 'm', n: 1, e: 'AQAB' }],
  ['without a modulus', { kty: 'RSA', kid: 'm', alg: 'RS256' }],
  ['for encryption', { kty: 'RSA', kid: 'm', use: 'enc', n: 'AQAB', e: 'AQAB' }],
])('a published key that is %s makes the others no less good', async (_what, malformed) => {
  const key = await makeKey('a');
  published = [malformed as JWK, key.jwk];
  expect(await verify(key)).toBe('taken');
  expect(await verify(key, 'm')).toBe('unauthenticated');
});

test.each([
  ['RS256', 'RS512', 2048],
  ['ES256', 'ES384', 0],
  ['ES384', 'ES512', 0],
  ['ES512', 'ES256', 0],
])('a key for %s that does not say so is none for %s', async (alg, other, bits) => {
  const key = await makeKey('a', alg, bits || undefined);
  const { alg: _, ...silent } = key.jwk;
  published = [silent];
  expect(await verify(key)).toBe('taken');
  // RSA keys fit all of their family, where they do not say for which they are.
  const expected = alg === 'RS256' ? 'taken' : 'unauthenticated';
  expect(await refusal(verifier.verify(await signedAs(key, other)))).toBe(expected);
});

test.each<[string, (jwk: JWK) => JWK, string]>([
  ['not for verifying', (jwk) => ({ ...jwk, key_ops: ['encrypt'] }), 'unauthenticated'],
  ['for nothing', (jwk) => ({ ...jwk, key_ops: [] }), 'unauthenticated'],
  ['for verifying', (jwk) => ({ ...jwk, key_ops: ['verify'] }), 'taken'],
  ['without an id', ({ kid: _, ...jwk }) => jwk, 'unauthenticated'],
  ['with an empty id', (jwk) => ({ ...jwk, kid: '' }), 'unauthenticated'],
])('a key that is %s', async (_what, change, expected) => {
  const key = await makeKey('a');
  published = [change(key.jwk)];
  expect(await verify(key)).toBe(expected);
  expect(await verify(key, '')).toBe('unauthenticated');
});

test('an RSA key with the exponent 1, by which every text is its own signature, is refused', async () => {
  const key = await makeKey('a', 'RS256');
  published = [{ ...key.jwk, e: 'AQ' }];
  const [header, payload] = (await token(key)).split('.');
  const digest = createHash('sha256').update(`${header}.${payload}`).digest('hex');
  // RFC 8017, 9.2: what an exponent of 1 leaves as it is.
  const prefix = '3031300d060960864801650304020105000420';
  const padding = 'ff'.repeat(256 - 3 - 51);
  const forged = Buffer.from(`0001${padding}00${prefix}${digest}`, 'hex').toString('base64url');
  const refused = await refusal(verifier.verify(`${header}.${payload}.${forged}`));
  expect(refused).toBe('unauthenticated');
  published = [key.jwk];
  later(3);
  expect(await verify(key)).toBe('taken');
});

test('junk leaves nothing behind: tokens of 20,000 issuers, key ids and audiences', {
  tags: ['long'],
}, async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const key = await makeKey('a');
  published = [key.jwk];
  expect(await verify(key)).toBe('taken');
  const [header = '', payload = '', signature] = (await token(key)).split('.');
  const changed = (part: string, change: object) => {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString());
    return Buffer.from(JSON.stringify({ ...value, ...change })).toString('base64url');
  };
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 20_000; i++) {
    const other = `https://${randomUUID()}.example`;
    const junk = [
      `${header}.${changed(payload, { iss: other })}.${signature}`,
      `${changed(header, { kid: other })}.${payload}.${signature}`,
      `${header}.${changed(payload, { aud: other })}.${signature}`,
    ][i % 3]!;
    expect(await refusal(verifier.verify(junk))).toBe('unauthenticated');
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024);
  expect(await verify(key)).toBe('taken');
});

test('a flood of made-up key ids neither floods the issuer nor locks a new key out', async () => {
  const [old, added] = [await makeKey('a'), await makeKey('b')];
  published = [old.jwk];
  expect(await verify(old)).toBe('taken');
  published = [old.jwk, added.jwk];
  for (let i = 0; i < 40; i++) {
    later(0.05);
    expect(await verify(old, `made-up-${i}`)).toBe('unauthenticated');
    expect(await verify(old)).toBe('taken');
  }
  expect(fetches).toBeLessThanOrEqual(3);
  later(2);
  expect(await verify(added)).toBe('taken');
});

test.each(['down', 'empty'] as const)(
  'an issuer that is %s makes the service unavailable at the start, else when its keys are an hour old',
  async (how) => {
    const key = await makeKey('a');
    published = [key.jwk];
    state = how;
    expect(await verify(key)).toBe('unavailable');
    state = 'well';
    later(3);
    expect(await verify(key)).toBe('taken');
    state = how;
    later(3590);
    expect(await verify(key)).toBe('taken');
    expect(await verify(key, 'unknown')).toBe('unauthenticated');
    later(20);
    expect(await verify(key)).toBe('unavailable');
    state = 'well';
    later(3);
    expect(await verify(key)).toBe('taken');
  },
);

test('an issuer that was down is not asked again for a moment', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  state = 'down';
  expect(await verify(key)).toBe('unavailable');
  state = 'well';
  expect(await verify(key)).toBe('unavailable');
});

test.each([
  ['RS256', 2048, 'taken'],
  ['RS384', 2048, 'taken'],
  ['RS512', 2048, 'taken'],
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
  const weak = async (modulusLength: number) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'w', alg: 'RS256' } as JWK;
    published = [jwk];
    return refusal(
      verifier.verify(await signedAs({ privateKey: privateKey as never, jwk }, 'RS256')),
    );
  };
  expect(await weak(1024)).toBe('unauthenticated');
  later(700);
  expect(await weak(2048)).toBe('taken');
});

test.each([
  [2048, 3, true],
  [2047, 3, false],
  [2048, 2, false],
])('an RSA key of %i bits with the exponent %i is used: %s', (bits, exponent, isUsed) => {
  const bytes = Buffer.from((1n << BigInt(bits - 1)).toString(16).padStart(512, '0'), 'hex');
  const e = Buffer.from([exponent]).toString('base64url');
  expect(isForSignatures({ kty: 'RSA', kid: 'a', n: bytes.toString('base64url'), e })).toBe(isUsed);
});

test('a key for encryption hides none for signatures that has the same id', async () => {
  const [other, key] = [await makeKey('a'), await makeKey('a')];
  published = [{ ...other.jwk, use: 'enc' }, key.jwk];
  expect([await verify(key), await verify(other)]).toEqual(['taken', 'unauthenticated']);
});

test('what is refused has its reason as the cause, for the log', async () => {
  const key = await makeKey('a');
  published = [key.jwk];
  const causeOf = async (text: string) => {
    const { code, cause } = await verifier.verify(text).catch((error) => error);
    return [code, cause?.message];
  };
  expect(await causeOf('junk')).toEqual([
    'unauthenticated',
    expect.stringContaining('three parts'),
  ]);
  state = 'down';
  expect(await causeOf(await token(key))).toEqual(['unavailable', 'down']);
  state = 'well';
  later(3);
  const forged = (await token(key)).replace(/[^.]+$/, 'AAAA');
  expect(await causeOf(forged)).toEqual(['unauthenticated', expect.stringMatching(/signature/i)]);
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
