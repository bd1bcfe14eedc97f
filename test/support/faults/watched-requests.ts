import { setTimeout as wait } from 'node:timers/promises';
import { requestCounters } from '../../../lib/table/keys.ts';
import { type Failure, failures } from './failure-replies.ts';
import type { ProxyReply, ProxyRequest, Step } from './step.ts';

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
  /** Whether it lasts as long as the function has: a slow machine ends this one then. */
  isLong?: boolean;
}

/** Nothing is carried out while the function waits for it. */
const unheard = new Set<Fault>(['held', 'killed before', 'request lost']);

/** Longer than the functions have. */
const latenessMs = 11_000;

/** The requests that carry one of these marks, and what befalls them: every key has its organization in it. */
export class WatchedRequests {
  /** Names of the requests so far: how many there were, and which. */
  readonly requests: string[] = [];
  readonly #marks: readonly string[];
  readonly #kill: (sender: string) => Promise<void>;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #held: (() => Promise<unknown>)[] = [];
  /** What becomes of what is held up, by its token: its sender sends it again after some seconds. */
  readonly #waiting = new Map<string, Promise<ProxyReply>>();
  #plan: Plan | undefined;

  constructor(marks: readonly string[], kill: (sender: string) => Promise<void>) {
    this.#marks = marks;
    this.#kill = kill;
  }

  plan(plan: Plan | undefined): void {
    this.requests.length = 0;
    this.#plan = plan;
  }

  has({ operation, body }: ProxyRequest): boolean {
    // By itself, the counter is read or written beside other requests, so a plan could not number that. Either may
    // fail: see test/unit/admission/admission-limit.test.ts.
    const counts = operation !== 'BatchGetItem' && body.includes(requestCounters);
    return !counts && this.#marks.some((mark) => body.includes(mark));
  }

  /** A failure that the request can't have befalls none. */
  readonly step: Step = async ({ operation, headers, body }, pass) => {
    const sender = String(headers['x-amz-security-token']);
    const text = body.toString();
    const token = /"ClientRequestToken":"([^"]+)"/.exec(text)?.[1] ?? '';
    const waiting = this.#waiting.get(token);
    if (waiting) return waiting;
    const fault = this.#next(operation);
    if (fault === 'held up') return this.#holdUp(token, pass);
    const failure = failures[fault as Failure]?.(operation, text);
    if (failure) return failure;

    if (fault === 'held') this.#held.push(pass);
    if (fault === 'held' || fault === 'killed before') this.#track(this.#kill(sender));
    if (fault && unheard.has(fault)) return undefined;
    const carriedOut = fault === 'late' ? wait(latenessMs).then(() => pass()) : pass();
    this.#track(carriedOut);
    const reply = await carriedOut;
    if (fault === 'killed after') this.#track(this.#kill(sender));
    return fault === 'killed after' || fault === 'reply lost' ? undefined : reply;
  };

  /** Lets what was held arrive. Answers how many requests that were. */
  async release(): Promise<number> {
    const held = this.#held.splice(0);
    for (const carryOut of held) await carryOut();
    return held.length;
  }

  /** Waits until nothing that was sent can be carried out any more, and whoever was killed is dead. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay]);
  }

  #next(operation: string): Fault | undefined {
    const k = this.requests.push(operation);
    const n = this.requests.filter((one) => one === operation).length;
    return this.#plan?.strike(k, { operation, n });
  }

  /** The reply, once it is let go. */
  #holdUp(token: string, carryOut: () => Promise<ProxyReply>): Promise<ProxyReply> {
    const { promise, resolve } = Promise.withResolvers<ProxyReply>();
    this.#waiting.set(token, promise);
    this.#held.push(async () => resolve(await carryOut()));
    return promise;
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    const done = () => this.#underWay.delete(work);
    work.then(done, done);
  }
}
