import { type EngineProxy, type EngineRequest, forward, startEngineProxy } from './engine-proxy.ts';

const reads = new Set(['GetItem', 'BatchGetItem', 'Query']);

/**
 * A table as far behind as DynamoDB may be: from `hold` to `release`, every read that is not a strongly
 * consistent one, such as each of an index, sees nothing of what was written meanwhile.
 */
export class LaggingStore {
  readonly #primary: string;
  /** Is given the same writes in the same order, later. */
  readonly #replica: string;
  readonly #waiting: EngineRequest[] = [];
  #held = false;
  #turn: Promise<unknown> = Promise.resolve();
  #proxy!: EngineProxy;
  /** Reads that were answered by the replica while it was behind. */
  staleReads = 0;

  private constructor(primary: string, replica: string) {
    this.#primary = primary;
    this.#replica = replica;
  }

  static async start(primary: string, replica: string): Promise<LaggingStore> {
    const store = new LaggingStore(primary, replica);
    store.#proxy = await startEngineProxy((request) =>
      reads.has(request.operation) ? store.#read(request) : store.#write(request),
    );
    return store;
  }

  get endpoint(): string {
    return this.#proxy.endpoint;
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  hold(): void {
    this.#held = true;
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      this.#held = false;
      for (const request of this.#waiting.splice(0)) await forward(this.#replica, request);
    });
  }

  async #read(request: EngineRequest) {
    const text = request.body.toString();
    if (text.includes('"ConsistentRead":true')) return forward(this.#primary, request);
    if (this.#waiting.length > 0) this.staleReads++;
    return forward(this.#replica, request);
  }

  #write(request: EngineRequest) {
    return this.#inTurn(async () => {
      const reply = await forward(this.#primary, request);
      if (reply.status !== 200) return reply;
      if (this.#held) this.#waiting.push(request);
      else await forward(this.#replica, request);
      return reply;
    });
  }

  /** One after another, so that both engines are given the writes in one order. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
