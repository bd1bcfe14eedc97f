import { forwardTo } from './fault-proxy.ts';
import type { ProxyReply, ProxyRequest, Step } from './step.ts';

const reads = new Set(['GetItem', 'BatchGetItem', 'Query']);

/**
 * A table as far behind as DynamoDB may be: from `hold` to `release`, every read that is not a strongly
 * consistent one, such as each of an index, sees nothing of what was written meanwhile.
 */
export class ReplicaLag {
  /** To an engine that is given the same writes in the same order, later. */
  readonly #toReplica: (request: ProxyRequest) => Promise<ProxyReply>;
  readonly #waiting: ProxyRequest[] = [];
  #held = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** Reads that were answered by the replica while it was behind. */
  staleReads = 0;

  constructor(replica: string) {
    this.#toReplica = forwardTo(replica);
  }

  hold(): void {
    this.#held = true;
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      this.#held = false;
      for (const request of this.#waiting.splice(0)) await this.#toReplica(request);
    });
  }

  readonly step: Step = async (request, pass) => {
    if (!reads.has(request.operation)) return this.#inTurn(() => this.#write(request, pass));
    if (request.body.includes('"ConsistentRead":true')) return pass();
    if (this.#waiting.length > 0) this.staleReads++;
    return this.#toReplica(request);
  };

  async #write(request: ProxyRequest, pass: () => Promise<ProxyReply>): Promise<ProxyReply> {
    const reply = await pass();
    if (reply.status !== 200) return reply;
    if (this.#held) this.#waiting.push(request);
    else await this.#toReplica(request);
    return reply;
  }

  /** One after another, so that both engines are given the writes in one order. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
