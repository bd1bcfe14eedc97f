import type { Jwk } from 'aws-jwt-verify/jwk';
import { fetchKeySet, type KeySet } from './key-set.ts';

const seconds = 1000;
const minutes = 60 * seconds;

/** Keys are fetched again after this long. */
const renewAfterMs = 10 * minutes;
/** Keys are used for no longer than this while the issuer can't be reached. */
const discardAfterMs = 60 * minutes;
/** A flood of unknown key ids causes at most one fetch in this time. */
const fetchIntervalMs = 2 * seconds;
/** The time between attempts to renew keys that can still be used. */
const renewalIntervalMs = 30 * seconds;

/** A read of stored keys and two tries take less. What takes longer was frozen with its environment, maybe for hours. */
const longestRenewalMs = 5 * seconds;

/** RFC 7518, 3.3: a shorter RSA key must not be used. */
const shortestRsaModulus = 2048;

/** Reads the keys that are stored nearer than the issuer: undefined where there are none. */
export type ReadStoredKeys = () => Promise<KeySet | undefined>;

/** The keys that an issuer signs with: read or fetched, renewed in the background, and dropped when too old. */
export class IssuerKeys {
  readonly #uri: string;
  readonly #use: (keys: Jwk[]) => void;
  readonly #readStoredKeys: ReadStoredKeys;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | undefined;
  #reading: Promise<KeySet | undefined> | undefined;
  #failure: unknown;

  /** `use` gets the keys each time that there are newer keys. They replace the keys before. */
  constructor(uri: string, use: (keys: Jwk[]) => void, readStoredKeys: ReadStoredKeys) {
    this.#uri = uri;
    this.#use = use;
    this.#readStoredKeys = readStoredKeys;
  }

  /** Starts to read the stored keys, before there is a token. If that fails, it is as if there were none. */
  prepare(): void {
    this.#reading = this.#read();
  }

  #read(): Promise<KeySet | undefined> {
    return this.#readStoredKeys().catch(() => undefined);
  }

  /** Why the keys could not be fetched when that was last tried. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Waits for keys only if there are none to use. Returns whether there are some. */
  async ensureUsable(): Promise<boolean> {
    const age = Date.now() - this.#fetchedAt;
    if (age < renewAfterMs) return true;
    if (age >= discardAfterMs) return this.#renew(fetchIntervalMs, () => this.#find());
    void this.#renew(renewalIntervalMs, () => this.#fetch());
    return true;
  }

  /** Asks the issuer if it is time. Returns whether the keys are newer than before. */
  fetchNewer(): Promise<boolean> {
    return this.#renew(fetchIntervalMs, () => this.#fetch());
  }

  /** One renewal serves all who wait for it. */
  async #renew(intervalMs: number, work: () => Promise<void>): Promise<boolean> {
    const since = Date.now() - this.#triedAt;
    if (!this.#renewing || since > longestRenewalMs) {
      if (since < intervalMs) return false;
      this.#triedAt = Date.now();
      const renewing = work().finally(() => {
        if (this.#renewing === renewing) this.#renewing = undefined;
      });
      this.#renewing = renewing;
    }
    return this.#renewing.then(
      () => true,
      (error) => {
        this.#failure = error;
        return false;
      },
    );
  }

  /** Takes the stored keys if they may still be used, and else asks the issuer. */
  async #find(): Promise<void> {
    const reading = this.#reading ?? this.#read();
    this.#reading = undefined;
    const stored = await reading;
    if (stored && Date.now() - stored.fetchedAt < discardAfterMs) this.#take(stored);
    else await this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#take(await fetchKeySet(this.#uri));
  }

  /** Keys are as old as the request for them, and replace none that are newer. */
  #take({ fetchedAt, keys }: KeySet): void {
    if (fetchedAt < this.#fetchedAt) return;
    this.#use(keys.filter(isForSignatures));
    this.#fetchedAt = fetchedAt;
    this.#triedAt = fetchedAt;
  }
}

/** Whether a key can be used to check signatures, and is strong enough (RFC 7517, 4.2 and 4.3). */
export const isForSignatures = (key: Jwk): boolean => {
  const { kty, use, kid, n, e } = key;
  const key_ops = 'key_ops' in key ? key.key_ops : undefined;
  if (!kid || (use !== undefined && use !== 'sig')) return false;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify')))
    return false;
  return kty === 'EC' || (kty === 'RSA' && isStrong(n ?? '', e ?? ''));
};

/** Whether an RSA key is safe: with the exponent 1, every text would be its own signature. */
const isStrong = (modulus: string, exponent: string): boolean =>
  numberOf(modulus).toString(2).length >= shortestRsaModulus && numberOf(exponent) >= 3n;

const numberOf = (bytes: string): bigint =>
  BigInt(`0x${Buffer.from(bytes, 'base64url').toString('hex') || '0'}`);
