import { CostCount, refusal } from '../organizations/cost-count.ts';
import { type CounterKey, nothingCounted, readCounter } from '../organizations/request-counter.ts';
import {
  judge,
  type LimitVerdict,
  type RequestCount,
  sampleEvery,
} from '../organizations/request-limit.ts';
import type { TableClient } from '../table/client.ts';
import { RecentMap } from './recent-map.ts';

const mostRemembered = 1000;
/** Milliseconds for which a counter is not read again. Whoever waits as long as `Retry-After` says hears nothing of it. */
const recentMs = 1000;

/** Tests count every request, or only what is dear (`Infinity`), so that nothing in them is by chance. */
const countedOneIn = (): number => Number(process.env.COUNT_ONE_REQUEST_IN ?? sampleEvery);

interface LimiterTerms {
  /** The counter of an organization or a user, by its id. */
  keyOf(id: string): CounterKey;
  /** The limit of whoever has none of its own, in requests a second. */
  usualPerSecond(): number;
  /** Whether a read of the counter may lag a moment, for half a unit. */
  isEventual?: boolean;
  /** Told of each verdict. */
  tell?(request: CountedRequest, verdict: LimitVerdict): void;
}

/** A request that a limit counts. */
export interface CountedRequest {
  /** The table for this request: its calls end when the request has to be answered. */
  table: TableClient;
  /** What the organization's limit says of the request, once it is known that the caller is in the organization. */
  verdict?: LimitVerdict;
  /** Requests that a limit should know of, but which could not be counted. */
  uncountedRequests: number;
}

/** Has the requests of organizations, or of users, counted, and remembers who had nothing left. */
export class Limiter {
  readonly #terms: LimiterTerms;
  /** Counters that had nothing left, or were of suspended organizations, when this environment saw them last. */
  readonly #busy = new RecentMap<{ counter: RequestCount; seenAt: number }>(mostRemembered);

  constructor(terms: LimiterTerms) {
    this.#terms = terms;
  }

  /** Whether what is asked will hardly be done: when the counter was seen last, nothing was left, or it was suspended. */
  isBusy(id: string): boolean {
    return this.#busy.get(id) !== undefined;
  }

  /** Throws `rate_limited` where the counter was over less than a second ago: so refusals by the thousand don't read it. */
  assertNotJustRefused(request: CountedRequest, id: string): void {
    const seen = this.#busy.get(id);
    if (!seen || Date.now() - seen.seenAt >= recentMs) return;
    const verdict = judge(seen.counter, Date.now(), this.#terms.usualPerSecond());
    if (verdict.admitted) return;
    this.#terms.tell?.(request, verdict);
    throw refusal(verdict);
  }

  /** Starts to count a request, and to read the counter. Where that can't be read, it is as it was seen last. */
  start(request: CountedRequest, id: string): { count: CostCount; counter: Promise<RequestCount> } {
    const { keyOf, usualPerSecond, isEventual, tell } = this.#terms;
    const key = keyOf(id);
    const count = new CostCount(request.table, {
      key,
      usualPerSecond: usualPerSecond(),
      countedOneIn: countedOneIn(),
      onVerdict: (verdict, counter) => {
        tell?.(request, verdict);
        if (verdict.remaining > 0 && !counter.suspended) this.#busy.delete(id);
        else this.#busy.set(id, { counter, seenAt: Date.now() });
      },
      onUncounted: (requests) => {
        request.uncountedRequests += Math.round(requests);
      },
    });
    const counter = readCounter(request.table, key, isEventual).then(
      (read) => read ?? this.#busy.get(id)?.counter ?? nothingCounted,
    );
    return { count, counter };
  }
}
