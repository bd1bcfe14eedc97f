import { random as seeded } from '../../support/random.ts';
import { SimulatedLimit, untilNext } from './request-limit-simulation.ts';

/** A deployment in an account that runs so many functions at once: whoever comes beyond is turned away. */
const functionsAtOnce = 100;
/** Of the others: how many they are, and what each sends. */
const others = 20;
const othersPerSecond = 25;
/** Milliseconds that a function takes for a request of theirs, for a search of everything, and to refuse one. */
const usualWork = 30;
const greedyWork = 200;
const refusal = 10;
/** The client's own: attempts, and the longest wait before the second one, doubled with each. */
const attempts = 5;
const firstDelay = 200;

export interface Greed {
  /** What one organization sends beside the others; 0 for none. */
  perSecond: number;
  /** What it may send; without it, nothing holds it. */
  limit?: number;
}

interface Arrival {
  at: number;
  greedy: boolean;
  /** When the call was made first, and which attempt this is. */
  since: number;
  attempt: number;
}

/** Keeps what is due in order of time. */
class Schedule {
  readonly #heap: Arrival[] = [];

  add(one: Arrival): void {
    const heap = this.#heap;
    let i = heap.push(one) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[up]!.at > one.at; up = (i - 1) >> 1) {
      heap[i] = heap[up]!;
      heap[up] = one;
      i = up;
    }
  }

  next(): Arrival {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      const child = (heap[right]?.at ?? Infinity) < (heap[left]?.at ?? Infinity) ? right : left;
      if (!heap[child] || heap[child].at >= last.at) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

/** What the others see while one organization sends that much. */
export const simulateOthers = (greed: Greed, seconds: number, seed: number) => {
  const random = seeded(seed);
  const schedule = new Schedule();
  const limit = greed.limit && new SimulatedLimit(greed.limit, random);
  const rates = { others: others * othersPerSecond, greedy: greed.perSecond };
  const arrive = (greedy: boolean, now: number) => {
    const rate = greedy ? rates.greedy : rates.others;
    if (rate === 0) return;
    const at = now + untilNext(rate, random);
    schedule.add({ at, greedy, since: at, attempt: 1 });
  };
  arrive(true, 0);
  arrive(false, 0);

  const busyUntil = new Float64Array(functionsAtOnce);
  const waits: number[] = [];
  let [failed, turnedAway, asked] = [0, 0, 0];
  for (let one = schedule.next(); one.at <= seconds * 1000; one = schedule.next()) {
    const { at, greedy, since, attempt } = one;
    if (attempt === 1) arrive(greedy, at);
    if (!greedy) asked++;
    const free = busyUntil.findIndex((until) => until <= at);
    if (free >= 0) {
      const admitted = !greedy || !limit || limit.admits(at);
      const work = greedy ? (admitted ? greedyWork : refusal) : usualWork;
      busyUntil[free] = at + work;
      if (!greedy) waits.push(at + work - since);
    } else if (!greedy) {
      turnedAway++;
      const delay = random() * firstDelay * 2 ** (attempt - 1);
      if (attempt === attempts) failed++;
      else schedule.add({ at: at + delay, greedy, since, attempt: attempt + 1 });
    }
  }
  const sorted = waits.toSorted((a, b) => a - b);
  return {
    /** Of requests, those that found no function; of calls, those that failed after their last attempt. */
    turnedAway: turnedAway / asked,
    failed: failed / (failed + waits.length),
    /** Milliseconds from a call to its answer, waits between attempts included. */
    p50: sorted[Math.floor(sorted.length / 2)]!,
    p99: sorted[Math.floor(sorted.length * 0.99)]!,
    p999: sorted[Math.floor(sorted.length * 0.999)]!,
  };
};
