import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/** Keys of one request at most (`BatchGetItem`). */
const mostKeys = 100;

interface KeyRequest extends PromiseWithResolvers<Item | undefined> {
  key: Key;
}

/** Gets the items that were read, and the keys that are still unread. */
export type Deliver = (items: readonly Item[], unread?: readonly Key[]) => void;

/** Joins the reads of one turn of the event loop, whoever makes them, into one BatchGetItem. */
export class BatchReader {
  readonly #read: (keys: Key[], deliver: Deliver) => Promise<void>;
  #requests = new Map<string, KeyRequest>();

  /** `read` gets at most 100 keys, which are all different. */
  constructor(read: (keys: Key[], deliver: Deliver) => Promise<void>) {
    this.#read = read;
  }

  get(key: Key): Promise<Item | undefined> {
    // The batch is read after all promises that wait for nothing outside this process.
    if (this.#requests.size === 0) process.nextTick(() => this.#readRequests());
    const id = idOf(key);
    const request = this.#requests.get(id) ?? { key, ...Promise.withResolvers<Item | undefined>() };
    this.#requests.set(id, request);
    return request.promise;
  }

  #readRequests(): void {
    const all = [...this.#requests.values()];
    this.#requests = new Map();
    for (let i = 0; i < all.length; i += mostKeys) this.#readBatch(all.slice(i, i + mostKeys));
  }

  #readBatch(batch: KeyRequest[]): void {
    const deliver: Deliver = (items, unread = []) => {
      const itemsById = new Map(items.map((item) => [idOf(item), item]));
      const unreadIds = new Set(unread.map(idOf));
      for (const { key, resolve } of batch) {
        const id = idOf(key);
        if (!unreadIds.has(id)) resolve(itemsById.get(id));
      }
    };
    const keys = batch.map(({ key }) => key);
    this.#read(keys, deliver).catch((error) => {
      for (const { reject } of batch) reject(error);
    });
  }
}

const idOf = ({ pk, sk }: { pk?: unknown; sk?: unknown }): string => `${pk} ${sk}`;
