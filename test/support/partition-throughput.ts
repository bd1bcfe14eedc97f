/** What one partition takes in a second (DynamoDB's developer guide, "partition-level throughput limits"). */
const perSecond = { read: 3000, write: 1000 };

type Kind = keyof typeof perSecond;
/** The partition key of an item, and the units that it takes. */
export type Taken = readonly [partition: string, units: number];

/**
 * What partitions have left to give: each has the units of one second at most, and gets them again as time passes. That is
 * the strictest reading of DynamoDB's limits, which lends more for a while.
 */
export class PartitionThroughput {
  readonly #left = new Map<string, { units: number; at: number }>();
  readonly #now: () => number;
  isLimited = false;
  /** How many requests were throttled. */
  throttled = 0;
  /** All write units that were taken. */
  written = 0;
  readUnits = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether all partitions had the units: then they are taken, and else none are. */
  read(units: readonly Taken[]): boolean {
    const isTaken = this.#take('read', units);
    if (isTaken) this.readUnits += sum(units);
    return isTaken;
  }

  write(units: readonly Taken[]): boolean {
    const isTaken = this.#take('write', units);
    if (isTaken) this.written += sum(units);
    return isTaken;
  }

  #take(kind: Kind, units: readonly Taken[]): boolean {
    if (!this.isLimited) return true;
    const partitions = Map.groupBy(units, ([pk]) => `${kind} ${pk}`);
    const all = [...partitions].map(([name, taken]) => ({ left: this.#of(kind, name), taken }));
    if (all.some(({ left, taken }) => left.units < sum(taken))) {
      this.throttled++;
      return false;
    }
    for (const { left, taken } of all) left.units -= sum(taken);
    return true;
  }

  #of(kind: Kind, name: string) {
    const most = perSecond[kind];
    const left = this.#left.get(name) ?? { units: most, at: this.#now() };
    left.units = Math.min(most, left.units + ((this.#now() - left.at) / 1000) * most);
    left.at = this.#now();
    this.#left.set(name, left);
    return left;
  }
}

const sum = (units: readonly Taken[]): number => units.reduce((all, [, one]) => all + one, 0);
