import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Failure, failures } from './failures.ts';

/** What happens to a request of a function to DynamoDB. */
export type Fault =
  /** It never arrives. */
  | 'request lost'
  /** It is carried out, and nobody hears of it. */
  | 'reply lost'
  /** It is carried out after the function has given up. */
  | 'late'
  /** The function's process dies before it is carried out, or after. */
  | 'killed before'
  | 'killed after'
  /** DynamoDB answers that it failed, and carries nothing out. */
  | Failure;

/** Longer than the functions have. */
const lateness = 11_000;

export interface Plan {
  /** From which of the requests on, the first being 1; or decided for each one. */
  at: number | ((k: number) => Fault | undefined);
  fault: Fault;
  /** Once, or to each request from then until the plan is cleared. */
  repeated?: boolean;
}

/** The requests that carry one of these marks: every key has its organization in it. */
export class Watched {
  readonly marks: readonly string[];
  /** Names of the requests so far: how many there were, and which. */
  readonly requests: string[] = [];
  readonly #kill: () => Promise<void>;
  readonly #underWay = new Set<Promise<unknown>>();
  #plan: Plan | undefined;

  constructor(marks: readonly string[], kill: () => Promise<void>) {
    this.marks = marks;
    this.#kill = kill;
  }

  plan(plan: Plan | undefined): void {
    this.requests.length = 0;
    this.#plan = plan;
  }

  /** What befalls the next request. A failure that the request can't have befalls none. */
  next(operation: string): Fault | undefined {
    const k = this.requests.push(operation);
    if (!this.#plan) return undefined;
    const { at, fault, repeated } = this.#plan;
    if (typeof at === 'function') return at(k);
    return k === at || (repeated && k > at) ? fault : undefined;
  }

  kill(): void {
    this.track(this.#kill());
  }

  /** Waits until nothing that was sent can be carried out any more, and whoever was killed is dead. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay]);
  }

  track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    const done = () => this.#underWay.delete(work);
    work.then(done, done);
  }
}

/** A network and a DynamoDB that fail where they are told to, in front of an engine. */
export class FaultProxy {
  readonly #engine: string;
  readonly #server: Server;
  readonly #watched = new Set<Watched>();

  private constructor(engine: string) {
    this.#engine = engine;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(engine: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(engine);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `kill` ends the processes that a request may come from. */
  watch(marks: readonly string[], kill: () => Promise<void> = async () => {}): Watched {
    const watched = new Watched(marks, kill);
    this.#watched.add(watched);
    return watched;
  }

  unwatch(watched: Watched): void {
    this.#watched.delete(watched);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const text = body.toString();
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const watched = [...this.#watched].find(({ marks }) => marks.some((m) => text.includes(m)));
    const fault = watched?.next(operation);
    const failure = failures[fault as Failure]?.(operation, text);
    if (failure) return answer(response, failure.status, Buffer.from(JSON.stringify(failure.body)));

    if (fault === 'killed before') watched?.kill();
    if (fault === 'killed before' || fault === 'request lost') return void request.socket.destroy();
    const carriedOut = this.#carryOut(request, body, fault === 'late' ? lateness : 0);
    watched?.track(carriedOut);
    const { status, reply } = await carriedOut;
    if (fault === 'killed after') watched?.kill();
    if (fault === 'killed after' || fault === 'reply lost') return void request.socket.destroy();
    answer(response, status, reply);
  }

  async #carryOut({ headers }: IncomingMessage, body: Buffer, delay: number) {
    if (delay > 0) await wait(delay);
    const sent = Object.entries(headers).filter(([name]) => forwarded.has(name));
    const answered = await fetch(this.#engine, {
      method: 'POST',
      headers: sent as [string, string][],
      body: new Uint8Array(body),
    });
    return { status: answered.status, reply: Buffer.from(await answered.arrayBuffer()) };
  }
}

const forwarded = new Set(['content-type', 'x-amz-target', 'authorization', 'x-amz-date']);

const answer = (response: ServerResponse, status: number, body: Buffer): void => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
};
