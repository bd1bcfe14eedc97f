import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/** Keys of one request at most (`BatchGetItem`). */
const mostKeys = 100;

interface Asked extends PromiseWithResolvers<Item | undefined> {
  key: Key;
}

/** Tells what was found, and which keys it has not read yet. */
export type Answered = (items: readonly Item[], left?: readonly Key[]) => void;

/** Gathers keys, so that all that are asked for in one turn of the event loop are one request, whoever asks. */
export class Gathered {
  readonly #read: (keys: Key[], answered: Answered) => Promise<void>;
  #asked = new Map<string, Asked>();

  /** `read` gets at most 100 keys, which are all different. */
  constructor(read: (keys: Key[], answered: Answered) => Promise<void>) {
    this.#read = read;
  }

  get(key: Key): Promise<Item | undefined> {
    // It runs once all promises are done that can be without an answer from elsewhere.
    if (this.#asked.size === 0) process.nextTick(() => this.#readAsked());
    const id = idOf(key);
    const asked = this.#asked.get(id) ?? { key, ...Promise.withResolvers<Item | undefined>() };
    this.#asked.set(id, asked);
    return asked.promise;
  }

  #readAsked(): void {
    const all = [...this.#asked.values()];
    this.#asked = new Map();
    for (let i = 0; i < all.length; i += mostKeys) this.#readPart(all.slice(i, i + mostKeys));
  }

  #readPart(part: Asked[]): void {
    const answered: Answered = (items, left = []) => {
      const found = new Map(items.map((item) => [idOf(item), item]));
      const open = new Set(left.map(idOf));
      for (const { key, resolve } of part) {
        const id = idOf(key);
        if (!open.has(id)) resolve(found.get(id));
      }
    };
    const keys = part.map(({ key }) => key);
    this.#read(keys, answered).catch((error) => {
      for (const { reject } of part) reject(error);
    });
  }
}

const idOf = ({ pk, sk }: { pk?: unknown; sk?: unknown }): string => `${pk} ${sk}`;
