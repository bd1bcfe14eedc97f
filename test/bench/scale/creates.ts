import { longestWaitAfter } from '../../../lib/table/retry.ts';
import { type Random, random } from '../../support/random.ts';
import { createUnits, limits, patience, transactionMilliseconds } from './limits.ts';

/** How the partitions that new leads end in are divided. */
export interface Design {
  name: string;
  /** Partitions of each list: of the organization, of a pipeline, of a stage. */
  lists: number;
  /** Counters of a stage. */
  counters: number;
  /** Partitions that the counters are in. */
  counterPartitions: number;
}

export interface Outcome {
  /** Created a second, while leads came. */
  created: number;
  /** Of a hundred that came. */
  refused: number;
  /** Milliseconds that ninety-nine of a hundred took at most. */
  p99: number;
}

interface Create {
  came: number;
  attempts: number;
  list: number;
  counter: number;
}

/** What a partition has left: filled by its limit, up to a second of it. */
class Partition {
  #units: number = limits.writeUnitsASecond;
  #at = 0;

  has(units: number, now: number): boolean {
    const filled = this.#units + ((now - this.#at) * limits.writeUnitsASecond) / 1000;
    this.#units = Math.min(filled, limits.writeUnitsASecond);
    this.#at = now;
    return this.#units >= units;
  }

  take(units: number): void {
    this.#units -= units;
  }
}

const partitions = (count: number) => Array.from({ length: count }, () => new Partition());

/** Milliseconds. The buckets are full when leads begin to come: what follows is what lasts, until the last. */
const [settled, end] = [20_000, 40_000];

/**
 * Creates that come at random into one pipeline of one organization, a millisecond at a time: each takes
 * units of the partitions that its items end in, and its counter for as long as its transaction lasts.
 */
export const simulate = (design: Design, perSecond: number, seed: number): Outcome => {
  const next = random(seed);
  const agenda: Create[][] = [];
  for (let n = 0; n < (perSecond * end) / 1000; n++) {
    const came = Math.floor(next() * end);
    schedule(agenda, came, newCreate(design, came, next));
  }
  const store = new Store(design);
  const took: number[] = [];
  let [created, refused] = [0, 0];
  for (let now = 0; now < agenda.length; now++) {
    for (const create of agenda[now] ?? []) {
      create.attempts++;
      const counts = create.came >= settled && create.came < end - patience;
      const again = now + transactionMilliseconds + waitAfter(create.attempts, next);
      if (store.write(create, now)) {
        created += Number(now >= settled && now < end);
        if (counts) took.push(now - create.came + transactionMilliseconds);
      } else if (again > create.came + patience) refused += Number(counts);
      else schedule(agenda, again, create);
    }
  }
  took.sort((a, b) => a - b);
  return {
    created: (created * 1000) / (end - settled),
    refused: (100 * refused) / (refused + took.length),
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
  };
};

const newCreate = ({ lists, counters }: Design, came: number, next: Random): Create => ({
  came,
  attempts: 0,
  list: Math.floor(next() * lists),
  counter: Math.floor(next() * counters),
});

const schedule = (agenda: Create[][], at: number, create: Create): void => {
  while (agenda.length <= at) agenda.push([]);
  agenda[at]?.push(create);
};

const waitAfter = (attempts: number, next: Random): number =>
  Math.ceil(next() * longestWaitAfter(attempts));

/** Partitions and counters of one organization, of which all leads come into one stage. */
class Store {
  readonly #ends: { partitions: Partition[]; units: number }[];
  readonly #counterPartitions: Partition[];
  readonly #busyUntil: number[];

  constructor({ lists, counters, counterPartitions }: Design) {
    this.#ends = [
      { partitions: partitions(lists), units: createUnits.lead },
      { partitions: partitions(lists), units: createUnits.index },
      { partitions: partitions(lists), units: createUnits.index },
    ];
    this.#counterPartitions = partitions(counterPartitions);
    this.#busyUntil = Array.from({ length: counters }, () => 0);
  }

  /** All or nothing. An index that is full holds back the table. */
  write({ list, counter }: Create, now: number): boolean {
    if ((this.#busyUntil[counter] ?? 0) > now) return false;
    const count = this.#counterPartitions[counter % this.#counterPartitions.length]!;
    const room =
      count.has(createUnits.count, now) &&
      this.#ends.every(({ partitions, units }) => partitions[list]!.has(units, now));
    if (!room) return false;
    for (const { partitions, units } of this.#ends) partitions[list]!.take(units);
    count.take(createUnits.count);
    this.#busyUntil[counter] = now + transactionMilliseconds;
    return true;
  }
}
