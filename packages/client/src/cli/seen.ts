import { createHash } from 'node:crypto';

const bits = 2 ** 27;

/**
 * Which values were met before: a Bloom filter of 16 MB, however many there are. It forgets none. It takes some new ones for
 * met before: one in two million once it has 3 million, one in six hundred once it has 10 million.
 */
export class Seen {
  readonly #bytes = new Uint8Array(bits / 8);

  /** Remembers a value, and says whether it was met before. */
  add(value: string): boolean {
    let isMet = true;
    for (const place of placesOf(value)) {
      const bit = 1 << (place & 7);
      isMet &&= Boolean(this.#bytes[place >> 3]! & bit);
      this.#bytes[place >> 3]! |= bit;
    }
    return isMet;
  }
}

const placesOf = (value: string): Uint32Array =>
  new Uint32Array(Uint8Array.from(createHash('sha256').update(value).digest()).buffer).map(
    (word) => word % bits,
  );
