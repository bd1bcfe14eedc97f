import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/** Keys of one request at most (`BatchGetItem`). */
const mostKeys = 100;

interface KeyRequest extends PromiseWithResolvers<Item | undefined> {
  key: Key;
}

/** Tells what was found, and which keys it has not read yet. */
export type Deliver = (items: readonly Item[], left?: readonly Key[]) => void;

/** Gathers keys, so that all that are asked for in one turn of the event loop are one request, whoever asks. */
export class BatchReader {
  readonly #read: (keys: Key[], deliver: Deliver) => Promise<void>;
  #requests = new Map<string, KeyRequest>();

  /** `read` gets at most 100 keys, which are all different. */
  constructor(read: (keys: Key[], deliver: Deliver) => Promise<void>) {
    this.#read = read;
  }

  get(key: Key): Promise<Item | undefined> {
    // It runs once all promises are done that can be without an answer from elsewhere.
    if (this.#requests.size === 0) process.nextTick(() => this.#readRequests());
    const id = idOf(key);
    const request = this.#requests.get(id) ?? { key, ...Promise.withResolvers<Item | undefined>() };
    this.#requests.set(id, request);
    return request.promise;
  }

  #readRequests(): void {
    const all = [...this.#requests.values()];
    this.#requests = new Map();
    for (let i = 0; i < all.length; i += mostKeys) this.#readPart(all.slice(i, i + mostKeys));
  }

  #readPart(part: KeyRequest[]): void {
    const deliver: Deliver = (items, left = []) => {
      const found = new Map(items.map((item) => [idOf(item), item]));
      const open = new Set(left.map(idOf));
      for (const { key, resolve } of part) {
        const id = idOf(key);
        if (!open.has(id)) resolve(found.get(id));
      }
    };
    const keys = part.map(({ key }) => key);
    this.#read(keys, deliver).catch((error) => {
      for (const { reject } of part) reject(error);
    });
  }
}

const idOf = ({ pk, sk }: { pk?: unknown; sk?: unknown }): string => `${pk} ${sk}`;
