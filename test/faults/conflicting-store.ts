import { setTimeout as wait } from 'node:timers/promises';
import { type EngineProxy, type EngineRequest, forward, startEngineProxy } from './engine-proxy.ts';
import { cancelled } from './failures.ts';

/** How long a transaction holds its items, in milliseconds: about as long as in DynamoDB. */
const holds = 10;

type Keyed = Record<string, { Key?: object; Item?: { pk: unknown; sk: unknown } }>;

/** Refuses a transaction while another has one of its items, as DynamoDB does and the engines do not. */
export class ConflictingStore {
  readonly #engine: string;
  readonly #held = new Set<string>();
  #proxy!: EngineProxy;
  conflicts = 0;

  private constructor(engine: string) {
    this.#engine = engine;
  }

  static async start(engine: string): Promise<ConflictingStore> {
    const store = new ConflictingStore(engine);
    store.#proxy = await startEngineProxy((request) =>
      request.operation === 'TransactWriteItems'
        ? store.#transact(request)
        : forward(engine, request),
    );
    return store;
  }

  get endpoint(): string {
    return this.#proxy.endpoint;
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  async #transact(request: EngineRequest) {
    const text = request.body.toString();
    const keys = (JSON.parse(text).TransactItems as Keyed[]).map(keyOf);
    if (keys.some((key) => this.#held.has(key))) {
      this.conflicts++;
      return cancelled(text, 'TransactionConflict', (i) => this.#held.has(keys[i]!));
    }
    for (const key of keys) this.#held.add(key);
    try {
      const [reply] = await Promise.all([forward(this.#engine, request), wait(holds)]);
      return reply;
    } finally {
      for (const key of keys) this.#held.delete(key);
    }
  }
}

const keyOf = (write: Keyed): string => {
  const { Key, Item } = Object.values(write)[0]!;
  const { pk, sk } = (Key ?? Item) as { pk: unknown; sk: unknown };
  return JSON.stringify([pk, sk]);
};
