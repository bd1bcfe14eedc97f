import { excessOf } from '../../../lib/organizations/request-limit.ts';
import { random as seeded } from '../../support/random.ts';
import { SimulatedLimit, untilNext } from './request-limit-simulation.ts';

/** What DynamoDB lets a table write in a second, unless the account has more. */
const tableUnitsPerSecond = 40_000;
/** Of the others: how many organizations, what each sends in a second, and the units that one request writes. */
const [others, othersPerSecond, usualUnits] = [20, 25, 25];
/** The dearest request: a batch of ten leads with long names and 20 tags each, a transaction for each lead. */
const [dearestUnits, dearestLeads] = [3484, 10];

/** The table’s capacity, which is kept for a second. A request is let through while any is left, whatever it costs. */
class Capacity {
  #left = tableUnitsPerSecond;
  #at = 0;

  take(units: number, now: number): boolean {
    this.#left = Math.min(
      tableUnitsPerSecond,
      this.#left + ((now - this.#at) / 1000) * tableUnitsPerSecond,
    );
    this.#at = now;
    if (this.#left <= 0) return false;
    this.#left -= units;
    return true;
  }
}

interface Greed {
  /** The dearest requests that one organization sends in a second beside the others. */
  perSecond: number;
  limit: number;
  /** Whether a request counts by its units, or as one. */
  byUnits: boolean;
}

/** The share of the others' requests for which the table had no capacity, and what the greedy one got in a second. */
export const simulateDear = (
  { perSecond, limit, byUnits }: Greed,
  seconds: number,
  seed: number,
): { throttled: number; admittedPerSecond: number } => {
  const random = seeded(seed);
  const greedy = new SimulatedLimit(limit, random);
  const capacity = new Capacity();
  let [sent, throttled, admitted] = [0, 0, 0];
  let nextGreedy = perSecond > 0 ? untilNext(perSecond, random) : Number.POSITIVE_INFINITY;
  let nextUsual = untilNext(others * othersPerSecond, random);
  for (let now = 0; now <= seconds * 1000; now = Math.min(nextGreedy, nextUsual)) {
    if (now === nextUsual) {
      sent++;
      if (!capacity.take(usualUnits, now)) throttled++;
      nextUsual = now + untilNext(others * othersPerSecond, random);
    } else if (now === nextGreedy) {
      if (greedy.admits(now)) {
        admitted++;
        for (let i = 0; i < dearestLeads; i++) capacity.take(dearestUnits / dearestLeads, now);
        if (byUnits) greedy.count(now, excessOf({ read: 0, written: dearestUnits }));
      }
      nextGreedy = now + untilNext(perSecond, random);
    }
  }
  return { throttled: throttled / sent, admittedPerSecond: admitted / seconds };
};
