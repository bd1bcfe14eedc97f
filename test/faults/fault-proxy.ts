import { setTimeout as wait } from 'node:timers/promises';
import { requestCounters } from '../../lib/table/keys.ts';
import {
  type EngineProxy,
  type EngineReply,
  type EngineRequest,
  forward,
  startEngineProxy,
} from './engine-proxy.ts';
import { type Failure, failures } from './failures.ts';

/** What happens to a request of a function to DynamoDB. */
export type Fault =
  /** It never arrives. */
  | 'request lost'
  /** It is carried out, and nobody hears of it. */
  | 'reply lost'
  /** It is carried out after the function has given up. */
  | 'late'
  /** It stays on its way until it is let go, and the function's process dies meanwhile. */
  | 'held'
  /** It stays on its way until it is let go, and the function waits for it. */
  | 'held up'
  /** The function's process dies before it is carried out, or after. */
  | 'killed before'
  | 'killed after'
  /** DynamoDB answers that it failed, and carries nothing out. */
  | Failure;

/** Which faults strike the requests of a case. */
export interface Plan {
  name: string;
  /** What befalls request k, the first being 1: the n-th of its operation. */
  strike(k: number, of: { operation: string; n: number }): Fault | undefined;
  /** Whether it strikes on while the client repeats. Others end with the first answer. */
  lasting?: boolean;
  /** Whether the function may end without a word. */
  kills?: boolean;
}

/** Nothing is carried out while the function waits for it. */
const unheard = new Set<Fault>(['held', 'killed before', 'request lost']);

/** Longer than the functions have. */
const lateness = 11_000;

/** The requests that carry one of these marks: every key has its organization in it. */
export class Watched {
  readonly marks: readonly string[];
  /** Names of the requests so far: how many there were, and which. */
  readonly requests: string[] = [];
  readonly #kill: (sender: string) => Promise<void>;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #held: (() => Promise<unknown>)[] = [];
  /** What becomes of what is held up, by its token: its sender sends it again after some seconds. */
  readonly #waiting = new Map<string, Promise<EngineReply>>();
  #plan: Plan | undefined;

  constructor(marks: readonly string[], kill: (sender: string) => Promise<void>) {
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
    const n = this.requests.filter((one) => one === operation).length;
    return this.#plan?.strike(k, { operation, n });
  }

  hold(carryOut: () => Promise<unknown>): void {
    this.#held.push(carryOut);
  }

  /** The reply, once it is let go. */
  holdUp(token: string, carryOut: () => Promise<EngineReply>): Promise<EngineReply> {
    const { promise, resolve } = Promise.withResolvers<EngineReply>();
    this.#waiting.set(token, promise);
    this.hold(async () => resolve(await carryOut()));
    return promise;
  }

  /** The reply to a request that is held up already, under this token. */
  waiting(token: string): Promise<EngineReply> | undefined {
    return this.#waiting.get(token);
  }

  /** Lets what was held arrive. Answers how many requests that were. */
  async release(): Promise<number> {
    const held = this.#held.splice(0);
    for (const carryOut of held) await carryOut();
    return held.length;
  }

  kill(sender: string): void {
    this.track(this.#kill(sender));
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
  readonly #watched = new Set<Watched>();
  #proxy!: EngineProxy;

  private constructor(engine: string) {
    this.#engine = engine;
  }

  static async start(engine: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(engine);
    proxy.#proxy = await startEngineProxy((request) => proxy.#handle(request));
    return proxy;
  }

  get endpoint(): string {
    return this.#proxy.endpoint;
  }

  /** `kill` ends the process whose requests have this session token. */
  watch(
    marks: readonly string[],
    kill: (sender: string) => Promise<void> = async () => {},
  ): Watched {
    const watched = new Watched(marks, kill);
    this.#watched.add(watched);
    return watched;
  }

  unwatch(watched: Watched): void {
    this.#watched.delete(watched);
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  async #handle(request: EngineRequest): Promise<EngineReply | undefined> {
    const { operation, headers } = request;
    const sender = String(headers['x-amz-security-token']);
    const text = request.body.toString();
    // By itself, the counter is read or written beside other requests, so a plan could not number that. Either may
    // fail: see test/unit/handlers/http/admission-limit.test.ts.
    const counts = operation !== 'BatchGetItem' && text.includes(requestCounters);
    const watched = [...this.#watched].find(
      ({ marks }) => !counts && marks.some((m) => text.includes(m)),
    );
    const token = /"ClientRequestToken":"([^"]+)"/.exec(text)?.[1] ?? '';
    const waiting = watched?.waiting(token);
    if (waiting) return waiting;
    const fault = watched?.next(operation);
    if (fault === 'held up') return watched?.holdUp(token, () => this.#carryOut(request, 0));
    const failure = failures[fault as Failure]?.(operation, text);
    if (failure) return failure;

    if (fault === 'held') watched?.hold(() => this.#carryOut(request, 0));
    if (fault === 'held' || fault === 'killed before') watched?.kill(sender);
    if (fault && unheard.has(fault)) return undefined;
    const carriedOut = this.#carryOut(request, fault === 'late' ? lateness : 0);
    watched?.track(carriedOut);
    const reply = await carriedOut;
    if (fault === 'killed after') watched?.kill(sender);
    return fault === 'killed after' || fault === 'reply lost' ? undefined : reply;
  }

  async #carryOut(request: EngineRequest, delay: number): Promise<EngineReply> {
    if (delay > 0) await wait(delay);
    return forward(this.#engine, request);
  }
}
