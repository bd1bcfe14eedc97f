import { JwtVerifier } from 'aws-jwt-verify';
import { KidNotFoundInJwksError } from 'aws-jwt-verify/error';
import { SimpleFetcher } from 'aws-jwt-verify/https';
import { assertIsJwks } from 'aws-jwt-verify/jwk';
import type { JwtHeader, JwtPayload } from 'aws-jwt-verify/jwt-model';
import { v5, validate } from 'uuid';
import { ApiError } from './errors.ts';

export interface TokenSettings {
  issuer: string;
  audience: string;
  /** Where the issuer publishes its keys; HTTPS only. */
  jwksUri: string;
}

const seconds = 1000;
const minutes = 60 * seconds;

/** Keys are fetched anew after this long, … */
const refreshAfter = 10 * minutes;
/** … still used while the issuer can't be reached, but never longer than this. */
const discardAfter = 60 * minutes;
/** A flood of unknown key ids causes at most one fetch in this time, … */
const fetchAtMostEvery = 2 * seconds;
/** … and so long passes between attempts to renew keys that can still be used. */
const renewAtMostEvery = 30 * seconds;

/** Clocks of issuer and service may differ by this many seconds. */
const clockSkew = 5;
/** An id_token that claims to live longer than this many seconds is not one. */
const longestLife = 24 * 60 * 60;
/** RFC 7518, 3.3: a shorter RSA key must not be used. */
const shortestRsaModulus = 2048;
const algorithms = new Set(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512']);

/** Gives up on an issuer after two tries of so many milliseconds; the library's `fetchJwks` never does. */
const fetcher = new SimpleFetcher({ defaultRequestOptions: { responseTimeout: 1500 } });
const decoder = new TextDecoder();

/** Verifies id_tokens of one OIDC issuer and keeps its keys. */
export class TokenVerifier {
  readonly #settings: TokenSettings;
  readonly #verifier;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(settings: TokenSettings) {
    this.#settings = settings;
    this.#verifier = JwtVerifier.create({
      ...settings,
      graceSeconds: clockSkew,
      customJwtCheck: assertIdToken,
    });
  }

  /**
   * The user that the token names: `sub` where that is a UUID, else a UUIDv5 of issuer and `sub`.
   * Throws `unauthenticated`, or `unavailable` when the issuer's keys can't be had.
   */
  async verify(token: string): Promise<string> {
    await this.#freshKeys();
    try {
      return this.#userId(this.#verifySync(token));
    } catch (error) {
      const mayBeRotated =
        error instanceof KidNotFoundInJwksError && (await this.#refetch(fetchAtMostEvery));
      if (!mayBeRotated) throw new ApiError('unauthenticated', { cause: error });
    }
    try {
      return this.#userId(this.#verifySync(token));
    } catch (error) {
      throw new ApiError('unauthenticated', { cause: error });
    }
  }

  #verifySync(token: string): JwtPayload {
    assertCanonical(token);
    return this.#verifier.verifySync(token);
  }

  #userId({ sub }: JwtPayload): string {
    const subject = sub ?? '';
    if (validate(subject)) return subject.toLowerCase();
    return v5(subject, v5(this.#settings.issuer, v5.URL));
  }

  async #freshKeys(): Promise<void> {
    const age = Date.now() - this.#fetchedAt;
    if (age < refreshAfter) return;
    const usable = age < discardAfter;
    const fetched = await this.#refetch(usable ? renewAtMostEvery : fetchAtMostEvery);
    if (!fetched && !usable) throw new ApiError('unavailable');
  }

  /** Whether the keys are newer now. One fetch serves all who wait for it. */
  async #refetch(atMostEvery: number): Promise<boolean> {
    if (!this.#fetching) {
      if (Date.now() - this.#triedAt < atMostEvery) return false;
      this.#triedAt = Date.now();
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    return this.#fetching.then(
      () => true,
      () => false,
    );
  }

  async #fetch(): Promise<void> {
    // Replaces the whole set, and with it the verifier's cache of parsed keys: a key that the issuer
    // removed, or replaced under the same id, is gone.
    const jwks = JSON.parse(decoder.decode(await fetcher.fetch(this.#settings.jwksUri)));
    assertIsJwks(jwks);
    this.#verifier.cacheJwks(jwks);
    this.#fetchedAt = Date.now();
  }
}

/** RFC 7515, 2: base64url without padding. Other spellings of the same bytes are refused. */
function assertCanonical(token: string): void {
  for (const part of token.split('.')) {
    if (Buffer.from(part, 'base64url').toString('base64url') !== part) {
      throw new Error('a part of the token is not canonical base64url');
    }
  }
}

/** What the library does not check. */
function assertIdToken({
  header,
  payload,
  jwk,
}: {
  header: JwtHeader;
  payload: JwtPayload;
  jwk: { kty: string; n?: string };
}): void {
  const now = Date.now() / seconds;
  const fail = (what: string, actual: unknown) => {
    throw new Error(`${what}, but is ${JSON.stringify(actual)}`);
  };
  if (!algorithms.has(header.alg ?? ''))
    fail('alg must be of the RS256 or ES256 family', header.alg);
  // RFC 7515, 4.1.11: an extension that is not understood must be refused, and none is.
  if ('crit' in header) fail('crit must be absent', header.crit);
  if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT') {
    fail('typ must be JWT or absent', header.typ);
  }
  if (!payload.sub) fail('sub must be present', payload.sub);
  if (typeof payload.exp !== 'number') fail('exp must be present', payload.exp);
  if (Number(payload.exp) > now + longestLife + clockSkew) {
    fail('exp must be at most a day away', payload.exp);
  }
  if (payload.iat !== undefined && payload.iat > now + clockSkew) {
    fail('iat must not be in the future', payload.iat);
  }
  if (jwk.kty === 'RSA' && rsaBits(jwk.n ?? '') < shortestRsaModulus) {
    fail(`the RSA key must have at least ${shortestRsaModulus} bits`, rsaBits(jwk.n ?? ''));
  }
}

const rsaBits = (modulus: string): number =>
  BigInt(`0x${Buffer.from(modulus, 'base64url').toString('hex') || '0'}`).toString(2).length;
