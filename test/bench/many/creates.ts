import { type Outcome, simulateArrivals } from './arrivals.ts';
import { createUnits, transactionMilliseconds } from './limits.ts';
import { Partition } from './partition.ts';

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

interface Create {
  list: number;
  counter: number;
}

const partitions = (count: number) => Array.from({ length: count }, () => new Partition());

/**
 * Creates that come at random into one pipeline of one organization: each takes units of the partitions that its items
 * end in, and its counter for as long as its transaction lasts. What it reads is no limit.
 */
export const simulateCreates = (design: Design, perSecond: number, seed: number): Outcome => {
  const store = new Store(design);
  return simulateArrivals(
    {
      next: (next) => ({
        list: Math.floor(next() * design.lists),
        counter: Math.floor(next() * design.counters),
      }),
      write: (create: Create, now) => store.write(create, now),
      readMilliseconds: 0,
      transactionMilliseconds,
    },
    perSecond,
    seed,
  );
};

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
