import { SimpleFetcher } from 'aws-jwt-verify/https';
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk';

/** The keys that an issuer publishes. */
export interface KeySet {
  /** When the issuer was asked for them, in milliseconds since the epoch: the keys are no newer. */
  fetchedAt: number;
  /** One key at least. */
  keys: Jwk[];
}

/** Milliseconds for each of two tries to reach an issuer. The library's `fetchJwks` waits for ever. */
const fetcher = new SimpleFetcher({ defaultRequestOptions: { responseTimeout: 1500 } });
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Asks the issuer. Throws where it gives no keys: an issuer that publishes none is in trouble. */
export const fetchKeySet = async (uri: string): Promise<KeySet> => {
  const fetchedAt = Date.now();
  const keys = keysIn(decoder.decode(await fetcher.fetch(uri)));
  if (keys.length === 0) throw new Error('the issuer publishes no keys');
  return { fetchedAt, keys };
};

/** The keys that can be used, in the text of a key set (RFC 7517, 5). */
export const keysIn = (text: string): Jwk[] => {
  try {
    return (JSON.parse(text)?.keys ?? []).filter(isJwk);
  } catch {
    return [];
  }
};
