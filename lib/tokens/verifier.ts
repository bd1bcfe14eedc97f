import { JwtVerifier } from 'aws-jwt-verify';
import { KidNotFoundInJwksError } from 'aws-jwt-verify/error';
import type { Jwk } from 'aws-jwt-verify/jwk';
import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { ApiError, unauthenticated } from '../errors/errors.ts';
import {
  algorithms,
  clockSkewSeconds,
  type Expected,
  type IdToken,
  isAlgorithm,
  readIdToken,
} from './id-token.ts';
import { IssuerKeys, type ReadStoredKeys } from './issuer-keys.ts';

export interface TokenSettings extends Expected {
  /** Where the issuer publishes its keys; HTTPS only. */
  jwksUri: string;
}

/** Verifies id_tokens of one OIDC issuer and keeps its keys. */
export class TokenVerifier {
  readonly #settings: TokenSettings;
  readonly #verifier;
  readonly #keys: IssuerKeys;

  /** Without `readStoredKeys` the issuer alone is asked for keys. */
  constructor(settings: TokenSettings, readStoredKeys: ReadStoredKeys = async () => undefined) {
    this.#settings = settings;
    this.#verifier = JwtVerifier.create({
      ...settings,
      graceSeconds: clockSkewSeconds,
      customJwtCheck: assertKeyFits,
    });
    // Replaces the whole set, and with it the verifier's cache of parsed keys. So a key is gone that the
    // issuer removed, or replaced under the same id.
    const use = (keys: Jwk[]) => this.#verifier.cacheJwks({ keys });
    this.#keys = new IssuerKeys(settings.jwksUri, use, readStoredKeys);
  }

  /** Starts to read the stored keys, before there is a token. Never fails. */
  prepare(): void {
    this.#keys.prepare();
  }

  /**
   * The user that the token names: `sub` where that is as `userId` in `fields.ts` takes it, else a UUIDv5 of issuer and
   * `sub`. Throws `unauthenticated`, or `unavailable` if the issuer's keys can't be fetched.
   */
  async verify(token: string): Promise<string> {
    const claimed = this.#read(token);
    if (!(await this.#keys.ensureUsable())) {
      throw new ApiError('unavailable', { cause: this.#keys.failure });
    }
    const failure = this.#failureOf(token);
    if (failure instanceof KidNotFoundInJwksError && (await this.#keys.fetchNewer())) {
      this.#assert(this.#failureOf(token));
    } else this.#assert(failure);
    return this.#userId(claimed);
  }

  #read(token: string): IdToken {
    try {
      return readIdToken(token, this.#settings);
    } catch (cause) {
      throw refusal(cause);
    }
  }

  /** Why the token is refused, by its signature and times. */
  #failureOf(token: string): unknown {
    try {
      this.#verifier.verifySync(token);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #assert(failure: unknown): void {
    if (failure !== undefined) throw refusal(failure);
  }

  #userId({ sub }: IdToken): string {
    const isUserId = z.regexes.guid.test(sub);
    return isUserId ? sub.toLowerCase() : v5(sub, v5(this.#settings.issuer, v5.URL));
  }
}

const refusal = (cause: unknown): ApiError =>
  unauthenticated(
    'must have an id_token of the issuer for this audience, not expired, or an API key',
    cause,
  );

/** The library compares `alg` with the key's own, but a key need not name one (RFC 7517, 4.4). */
function assertKeyFits({ header, jwk }: { header: { alg?: string | undefined }; jwk: Jwk }): void {
  const { kty, crv } = isAlgorithm(header.alg) ? algorithms[header.alg] : {};
  if (jwk.kty !== kty || jwk.crv !== crv) {
    throw new Error(`a key of ${kty} ${crv ?? ''} is wanted, but it is of ${jwk.kty} ${jwk.crv}`);
  }
}
