import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../errors/errors.ts';
import type { Limit } from '../operations/request.ts';
import type { TableClient } from '../table/client.ts';
import { timeBoundsAfter } from '../table/retry.ts';
import type { Toll } from '../table/toll.ts';
import { paceMs } from './pace.ts';
import { RequestCost } from './request-cost.ts';
import {
  addToCounter,
  type CounterKey,
  counterTimeoutMs,
  nothingCounted,
  readCounter,
} from './request-counter.ts';
import {
  judge,
  type LimitVerdict,
  longestMs,
  millisecondsOf,
  type RequestCount,
  sample,
} from './request-limit.ts';

/** How a request is counted, and who hears of it. */
interface CountTerms {
  key: CounterKey;
  /** The limit where the counter has none of its own, in requests a second. */
  usualPerSecond: number;
  /** One request in this many is counted. */
  countedOneIn: number;
  onVerdict(verdict: LimitVerdict, counter: RequestCount): void;
  /** Told of requests that could not be counted: that fails nothing. */
  onUncounted(requests: number): void;
}

/**
 * Counts what one request costs, and stands before its table: what is dear is counted before it is done. Until the request
 * is admitted, the table is read but once.
 */
export class CostCount implements Toll, Limit {
  readonly #table: TableClient;
  readonly #terms: CountTerms;
  readonly #cost: RequestCost;
  readonly #admission = Promise.withResolvers<void>();
  readonly #answersAtFirst: number;
  #isPending = true;
  #seen = nothingCounted;
  #reading: Promise<void> | undefined;
  /** A request that has begun to write is not refused any more while it reads. */
  #hasWritten = false;
  #isWhole = false;
  #startedAt = 0;

  constructor(table: TableClient, terms: CountTerms) {
    this.#table = table;
    this.#terms = terms;
    this.#cost = new RequestCost(table.unitsByKind);
    this.#answersAtFirst = table.answers;
    // Without this, a refusal that nothing waits for would end the process.
    this.#admission.promise.catch(() => {});
    table.toll = this;
  }

  /** Admits the request by what is counted, or throws `rate_limited`. */
  admit(counter: RequestCount): void {
    this.#seen = counter;
    const verdict = this.#judge(counter);
    if (!verdict.admitted) {
      const error = refusal(verdict);
      this.refuse(error);
      throw error;
    }
    this.#isPending = false;
    this.#admission.resolve();
  }

  /** Fails with this error whatever waits for the verdict. */
  refuse(error: unknown): void {
    this.#admission.reject(error);
  }

  /** Counts one for the request, by chance. Never rejects. */
  countOne(): Promise<void> {
    return this.#countByChance(1, this.#table);
  }

  async countWhole(units: number): Promise<void> {
    const requests = this.#cost.beforeWriting(units);
    this.#isWhole = true;
    if (requests > 0) await this.#countBefore(requests);
    this.#startedAt = Date.now();
  }

  async pace(): Promise<void> {
    const ms = paceMs(this.#table.unitsByKind.written, this.#startedAt, Date.now());
    if (ms > 0) await wait(ms);
  }

  async countLater(units: number): Promise<void> {
    const requests = this.#cost.beforeWritingLater(units);
    if (requests > 0) await this.#countBefore(requests);
  }

  beforeReading(): Promise<void> | undefined {
    if (this.#isPending) {
      const isFirst = this.#table.answers === this.#answersAtFirst;
      return isFirst ? undefined : this.#admission.promise.then(() => this.beforeReading());
    }
    if (this.#isWhole || this.#hasWritten) return undefined;
    const requests = this.#cost.beforeReading();
    if (requests > 0) {
      this.#reading = this.#countBefore(requests).finally(() => {
        this.#reading = undefined;
      });
    }
    return this.#reading;
  }

  beforeWriting(units: number): Promise<void> | undefined {
    this.#hasWritten = true;
    const requests = this.#isWhole ? 0 : this.#cost.beforeWriting(units);
    return requests > 0 ? this.#countBefore(requests) : undefined;
  }

  /**
   * Counts, by chance, what the request has cost beyond what was counted before, or gives back what it did not take, also when its
   * time is over. What has read too much is counted for sure, and sees the counter: this environment may refuse the next. Never
   * rejects.
   */
  async end(): Promise<void> {
    const isSure = this.#cost.hasReadTooMuch;
    const requests = this.#cost.atEnd();
    await this.#beside(async (table) => {
      if (!isSure) return this.#countByChance(requests, table);
      await this.#add(requests, table);
      const counter = await readCounter(table, this.#terms.key);
      if (counter) this.#judge(counter);
    });
  }

  /** Throws `rate_limited` where the counter is over by now. Where it can't be written, the request goes on. */
  async #countBefore(requests: number): Promise<void> {
    const { key } = this.#terms;
    const perSecond = this.#perSecond;
    const refused = await this.#beside(async (table) => {
      const milliseconds = millisecondsOf(requests, perSecond);
      try {
        const most = longestMs(perSecond);
        if (await addToCounter(table, key, milliseconds, this.#seen, most)) {
          this.#cost.noteCounted(requests);
          return undefined;
        }
      } catch {
        this.#terms.onUncounted(requests);
        return undefined;
      }
      this.#cost.noteRefused(requests);
      return this.#judge((await readCounter(table, key)) ?? this.#seen);
    });
    if (refused) throw refusal(refused);
  }

  async #countByChance(weight: number, table: TableClient): Promise<void> {
    const requests = Math.sign(weight) * sample(Math.abs(weight), this.#terms.countedOneIn);
    if (requests !== 0) await this.#add(requests, table);
  }

  async #add(requests: number, table: TableClient): Promise<void> {
    const milliseconds = millisecondsOf(requests, this.#perSecond);
    try {
      await addToCounter(table, this.#terms.key, milliseconds, this.#seen);
    } catch {
      if (requests > 0) this.#terms.onUncounted(requests);
    }
  }

  get #perSecond(): number {
    return this.#seen.perSecond ?? this.#terms.usualPerSecond;
  }

  #judge(counter: RequestCount): LimitVerdict {
    const verdict = judge(counter, Date.now(), this.#terms.usualPerSecond);
    this.#terms.onVerdict(verdict, counter);
    return verdict;
  }

  /** Works with the table for half a second, whatever the request's own time, and without this toll. */
  async #beside<T>(work: (table: TableClient) => Promise<T>): Promise<T> {
    const table = this.#table.beside(timeBoundsAfter(counterTimeoutMs));
    try {
      return await work(table);
    } finally {
      table.end();
    }
  }
}

/** The error of a verdict that admits nothing. */
export const refusal = ({ retryAfterSeconds }: LimitVerdict): ApiError =>
  new ApiError('rate_limited', { retryAfterSeconds });
