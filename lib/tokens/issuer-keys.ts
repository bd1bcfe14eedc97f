import { SimpleFetcher } from 'aws-jwt-verify/https';
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk';
import type { AskedKeys } from '../handlers/begun.ts';

const seconds = 1000;
const minutes = 60 * seconds;

/** Keys are fetched again after this long, … */
const renewAfter = 10 * minutes;
/** … still used while the issuer can't be reached, but never longer than this. */
const discardAfter = 60 * minutes;
/** A flood of unknown key ids causes at most one fetch in this time, … */
const fetchAtMostEvery = 2 * seconds;
/** … and this is the time between attempts to renew keys that can still be used. */
const renewAtMostEvery = 30 * seconds;

/** Two tries take less. A fetch that takes longer was frozen with its environment, and its answer may be hours old. */
const longestFetch = 5 * seconds;

/** RFC 7518, 3.3: a shorter RSA key must not be used. */
const shortestRsaModulus = 2048;

/** Milliseconds for each of two tries to reach an issuer. The library's `fetchJwks` waits for ever. */
const fetcher = new SimpleFetcher({ defaultRequestOptions: { responseTimeout: 1500 } });
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The keys that an issuer signs with: fetched, renewed in the background, and dropped when too old. */
export class IssuerKeys {
  readonly #uri: string;
  readonly #use: (keys: Jwk[]) => void;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  #asked: AskedKeys | undefined;
  #failure: unknown;

  /**
   * `use` gets the keys each time that they were fetched. They replace the ones before. `asked` are taken in place of the
   * first fetch: if that fails, it is as if they had never been asked for.
   */
  constructor(uri: string, use: (keys: Jwk[]) => void, asked?: AskedKeys) {
    this.#uri = uri;
    this.#use = use;
    this.#asked = asked;
  }

  /** Why the keys could not be fetched when that was last tried. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Waits for keys only if there are none to use. Returns whether there are some. */
  async usable(): Promise<boolean> {
    const age = Date.now() - this.#fetchedAt;
    if (age < renewAfter) return true;
    if (age >= discardAfter) return this.#renewed(fetchAtMostEvery);
    void this.#renewed(renewAtMostEvery);
    return true;
  }

  /** Fetches the keys if it is time. Returns whether they are newer than before. */
  newer(): Promise<boolean> {
    return this.#renewed(fetchAtMostEvery);
  }

  /** One fetch serves all who wait for it. */
  async #renewed(atMostEvery: number): Promise<boolean> {
    const since = Date.now() - this.#triedAt;
    if (!this.#fetching || since > longestFetch) {
      if (since < atMostEvery) return false;
      this.#triedAt = Date.now();
      const fetching = this.#fetch().finally(() => {
        if (this.#fetching === fetching) this.#fetching = undefined;
      });
      this.#fetching = fetching;
    }
    return this.#fetching.then(
      () => true,
      (error) => {
        this.#failure = error;
        return false;
      },
    );
  }

  async #fetch(): Promise<void> {
    const asked = this.#asked;
    this.#asked = undefined;
    // An environment may be frozen before it reads the answer, for as long as Lambda likes.
    if (asked && Date.now() - asked.askedAt < renewAfter) {
      const answer = await asked.body.catch(() => undefined);
      if (answer && this.#take(answer, asked.askedAt)) return;
    }
    const askedAt = Date.now();
    const answer = await fetcher.fetch(this.#uri);
    // An issuer that publishes no key is in trouble. The keys that it published before may still be used.
    if (!this.#take(answer, askedAt)) throw new Error('the issuer publishes no keys');
  }

  /** Whether these are keys. They are as old as the question for them, and replace none that are newer. */
  #take(answer: Uint8Array | ArrayBuffer, askedAt: number): boolean {
    const keys = keysIn(answer);
    if (keys.length === 0) return false;
    if (askedAt < this.#fetchedAt) return true;
    this.#use(keys.filter(isForSignatures));
    this.#fetchedAt = askedAt;
    this.#triedAt = askedAt;
    return true;
  }
}

const keysIn = (answer: Uint8Array | ArrayBuffer): Jwk[] => {
  try {
    const set = JSON.parse(decoder.decode(answer));
    return (set?.keys ?? []).filter(isJwk);
  } catch {
    return [];
  }
};

/** Whether a key can be used to check signatures, and is strong enough (RFC 7517, 4.2 and 4.3). */
const isForSignatures = (key: Jwk): boolean => {
  const { kty, use, key_ops, kid, n, e } = key as Jwk & { key_ops?: unknown };
  if (!kid || (use !== undefined && use !== 'sig')) return false;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify')))
    return false;
  return kty === 'EC' || (kty === 'RSA' && isStrong(n ?? '', e ?? ''));
};

/** With the exponent 1, every text would be its own signature. */
const isStrong = (modulus: string, exponent: string): boolean =>
  numberOf(modulus).toString(2).length >= shortestRsaModulus && numberOf(exponent) >= 3n;

const numberOf = (bytes: string): bigint =>
  BigInt(`0x${Buffer.from(bytes, 'base64url').toString('hex') || '0'}`);
