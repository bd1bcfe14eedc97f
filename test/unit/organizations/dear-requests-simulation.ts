import { paceMs } from '../../../lib/organizations/pace.ts';
import { RequestCost } from '../../../lib/organizations/request-cost.ts';
import {
  judge,
  longestMs,
  millisecondsOf,
  sample,
  sampleEvery,
} from '../../../lib/organizations/request-limit.ts';
import { type Random, random as seeded } from '../../support/random.ts';
import { untilNext } from './request-limit-simulation.ts';

// A table that takes so many units a second, and whoever asks it: five hundred usual requests of others, and the connections
// of one organization, each of which sends its next request as soon as it may. What counts, and when, says the service.

const perSecond = 50;
/** What DynamoDB lets a table read, and write, in a second, unless the account has more. It keeps a second's worth. */
const tableUnitsPerSecond = 40_000;
const usualPerSecond = 500;
const usualUnits = { read: 5, written: 25 };

/** Milliseconds: of a read, of a transaction, of a single write; on the way to the client; and of a read of the counter behind. */
const [readMs, transactionMs, updateMs, clientMs, counterLagMs] = [8, 15, 5, 5, 20];
/** What the AWS SDK waits at most before its first retry of a throttled request, doubled with each, and its attempts. */
const [sdkWaitMs, sdkAttempts] = [1000, 5];
/** Milliseconds for which an environment refuses as it has just refused, and reads nothing. */
const rememberedMs = 1000;
/** Parts of a batch at once. */
const partsAtOnce = 10;

/** A request that is dear. */
export type DearRequest =
  | {
      parts: number;
      /** The units that a part is estimated to write, and that it writes. */
      expected: number;
      written: number;
      /** For the control: the batch is counted at its end alone, and never waits. */
      isCountedAtEnd?: boolean;
    }
  /** The units of its reads, one after the other: as far as they are known before, and all. */
  | { reads: readonly (readonly [expected: number, taken: number])[] };

/** What one organization sends, from each connection one request after the other. */
interface Dear {
  request: DearRequest;
  connections: number;
  /** Whether a refused sender waits as long as it is told. */
  isPolite: boolean;
}

interface Event {
  at: number;
  call: () => void;
}

/** Events by their time. */
class Agenda {
  now = 0;
  readonly #heap: Event[] = [];

  after(milliseconds: number, call: () => void): void {
    const heap = this.#heap;
    let i = heap.push({ at: this.now + milliseconds, call }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[i]!.at < heap[up]!.at; i = up, up = (i - 1) >> 1) {
      [heap[i], heap[up]] = [heap[up]!, heap[i]!];
    }
  }

  run(milliseconds: number): void {
    for (let next = this.#pop(); next && next.at <= milliseconds; next = this.#pop()) {
      this.now = next.at;
      next.call();
    }
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const [first, last] = [heap[0], heap.pop()];
    if (heap.length === 0 || !last) return first;
    heap[0] = last;
    for (let i = 0, down = 1; down < heap.length; i = down, down = 2 * i + 1) {
      if (down + 1 < heap.length && heap[down + 1]!.at < heap[down]!.at) down++;
      if (heap[i]!.at <= heap[down]!.at) break;
      [heap[i], heap[down]] = [heap[down]!, heap[i]!];
    }
    return first;
  }
}

/** What a table has left. A request is let through while any is left, whatever it costs. */
class Capacity {
  #left = tableUnitsPerSecond;
  #since = 0;

  take(units: number, now: number): boolean {
    const more = ((now - this.#since) / 1000) * tableUnitsPerSecond;
    this.#left = Math.min(tableUnitsPerSecond, this.#left + more);
    this.#since = now;
    if (this.#left <= 0) return false;
    this.#left -= units;
    return true;
  }
}

/** The organization's counter, as the service writes it. */
class Counter {
  /** What it held from which time on, the last ones only. */
  readonly #states = [{ at: 0, clearAt: 0 }];

  /** Whether it admits one more, by what a read of it says that lags. */
  admits(now: number): boolean {
    const states = this.#states;
    while (states.length > 1 && states[1]!.at <= now - counterLagMs) states.shift();
    return judge(states[0]!, now, perSecond).admitted;
  }

  /** Counts requests, unless the counter is over. */
  add(requests: number, now: number, mostMs = Number.POSITIVE_INFINITY): boolean {
    const { clearAt } = this.#states.at(-1)!;
    if (clearAt >= now + mostMs) return false;
    if (requests < 0 && clearAt <= now) return true;
    const from = Math.max(now, clearAt);
    this.#states.push({ at: now, clearAt: from + millisecondsOf(requests, perSecond) });
    return true;
  }

  /** Whether what was counted by now admits no more. */
  isOver(now: number): boolean {
    return !judge(this.#states.at(-1)!, now, perSecond).admitted;
  }

  retryAfterMs(now: number): number {
    return judge(this.#states.at(-1)!, now, perSecond).retryAfterSeconds * 1000;
  }
}

/** What the others see while one organization sends that. */
export const simulateDear = (dear: Dear | undefined, seconds: number, seed: number) => {
  const random = seeded(seed);
  const agenda = new Agenda();
  const capacities = { read: new Capacity(), written: new Capacity() };
  const waits: number[] = [];
  const seen = { failed: 0, done: 0 };

  /** Repeats it as the SDK does, as long as it is throttled. */
  const take = (
    kind: 'read' | 'written',
    units: number,
    milliseconds: number,
    then: (isDone: boolean) => void,
    attempt = 1,
  ): void => {
    if (capacities[kind].take(units, agenda.now)) {
      agenda.after(milliseconds, () => then(true));
    } else if (attempt === sdkAttempts) {
      then(false);
    } else {
      const wait = random() * sdkWaitMs * 2 ** (attempt - 1);
      agenda.after(wait, () => take(kind, units, milliseconds, then, attempt + 1));
    }
  };

  const sendUsual = () => {
    agenda.after(untilNext(usualPerSecond, random), sendUsual);
    const from = agenda.now;
    const end = (isDone: boolean) => {
      if (isDone) waits.push(agenda.now - from);
      else seen.failed++;
    };
    take('read', usualUnits.read, readMs, (isRead) =>
      isRead ? take('written', usualUnits.written, transactionMs, end) : end(false),
    );
  };
  sendUsual();

  if (dear) {
    const counter = new Counter();
    for (let i = 0; i < dear.connections; i++) {
      new Connection(dear, { agenda, counter, take, random, seen }).send();
    }
  }
  agenda.run(seconds * 1000);
  waits.sort((a, b) => a - b);
  const quantile = (share: number) =>
    waits[Math.min(waits.length - 1, (waits.length * share) | 0)]!;
  return { ...seen, p50: quantile(0.5), p99: quantile(0.99), worst: quantile(1) };
};

interface Surroundings {
  agenda: Agenda;
  counter: Counter;
  take: (
    kind: 'read' | 'written',
    units: number,
    milliseconds: number,
    then: (isDone: boolean) => void,
  ) => void;
  random: Random;
  seen: { done: number };
}

/** One connection of the organization, with an environment of its own. */
class Connection {
  readonly #dear: Dear;
  readonly #around: Surroundings;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(dear: Dear, around: Surroundings) {
    this.#dear = dear;
    this.#around = around;
  }

  send(): void {
    const { agenda, counter, take } = this.#around;
    if (agenda.now < this.#refusedAt + rememberedMs) {
      agenda.after(clientMs, () => this.#refuse(this.#refusedAt));
      return;
    }
    const taken = { read: 0, written: 0 };
    const cost = new RequestCost(taken);
    // Membership and counter.
    take('read', 2, readMs, () => {
      taken.read += 2;
      if (!counter.admits(agenda.now)) return this.#refuse(agenda.now);
      this.#count(sample(1, sampleEvery, this.#around.random));
      const { request } = this.#dear;
      if ('reads' in request) this.#read(request.reads, taken, cost);
      else this.#writeBatch(request, taken, cost);
    });
  }

  #read(
    reads: Extract<DearRequest, { reads: unknown }>['reads'],
    taken: { read: number },
    cost: RequestCost,
  ): void {
    const [next, ...rest] = reads;
    if (!next) {
      this.#end(cost);
      return;
    }
    const [expected, units] = next;
    taken.read += expected;
    this.#before(cost.beforeReading(), cost, () =>
      this.#around.take('read', units, readMs, () => {
        taken.read += units - expected;
        this.#read(rest, taken, cost);
      }),
    );
  }

  #writeBatch(
    batch: Extract<DearRequest, { parts: number }>,
    taken: { written: number },
    cost: RequestCost,
  ): void {
    const { agenda, take } = this.#around;
    const startedAt = agenda.now;
    let left = batch.parts;
    const writeChunk = () => {
      if (left === 0) return this.#end(cost);
      const parts = Math.min(partsAtOnce, left);
      left -= parts;
      let open = parts;
      const end = (isDone: boolean) => {
        if (isDone) taken.written += batch.written;
        if (--open > 0) return;
        const wait = paceMs(taken.written, startedAt, agenda.now);
        agenda.after(batch.isCountedAtEnd ? 0 : wait, writeChunk);
      };
      for (let i = 0; i < parts; i++) take('written', batch.written, transactionMs, end);
    };
    if (batch.isCountedAtEnd) writeChunk();
    else this.#before(cost.beforeWriting(batch.parts * batch.expected), cost, writeChunk);
  }

  /** Goes on once so many requests are counted, if they are. */
  #before(requests: number, cost: RequestCost, then: () => void): void {
    if (requests === 0) {
      then();
      return;
    }
    const { agenda, counter } = this.#around;
    agenda.after(updateMs, () => {
      if (counter.add(requests, agenda.now, longestMs(perSecond))) {
        cost.noteCounted(requests);
        return then();
      }
      cost.noteRefused(requests);
      this.#settle(cost);
      this.#refuse(agenda.now);
    });
  }

  #end(cost: RequestCost): void {
    const { agenda, counter, take, seen } = this.#around;
    const answer = () => {
      seen.done++;
      agenda.after(clientMs, () => this.send());
    };
    if (!cost.hasReadTooMuch) {
      this.#settle(cost);
      answer();
      return;
    }
    agenda.after(updateMs, () => {
      this.#count(cost.atEnd());
      // Strongly consistent after its own write: it sees all that was counted before.
      take('read', 1, readMs, () => {
        if (counter.isOver(agenda.now)) this.#refusedAt = agenda.now;
        answer();
      });
    });
  }

  #settle(cost: RequestCost): void {
    const rest = cost.atEnd();
    this.#count(Math.sign(rest) * sample(Math.abs(rest), sampleEvery, this.#around.random));
  }

  #count(requests: number): void {
    if (requests !== 0) this.#around.counter.add(requests, this.#around.agenda.now);
  }

  /** `seenAt` is when the environment saw that the counter is over. */
  #refuse(seenAt: number): void {
    const { agenda, counter } = this.#around;
    this.#refusedAt = seenAt;
    const wait = this.#dear.isPolite ? counter.retryAfterMs(agenda.now) : 0;
    agenda.after(clientMs + wait, () => this.send());
  }
}
