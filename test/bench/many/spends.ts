import { type Outcome, simulateArrivals } from './arrivals.ts';
import {
  itemMilliseconds,
  readMilliseconds,
  spendUnits,
  transactionMilliseconds,
} from './limits.ts';
import { Partition } from './partition.ts';

/** Each has an entry and a guard, and the wallet is one item more. */
const itemsOf = (spends: number): number => 1 + 2 * spends;

/** Milliseconds that their transaction is under way. */
export const transactionOf = (spends: number): number =>
  Math.ceil(transactionMilliseconds + itemMilliseconds * itemsOf(spends));

/**
 * Spends that come at random to one wallet, so many in each batch: each batch reads the wallet, and its transaction is
 * refused while another is under way, where another was done since it read, and where the ledger's partition has no
 * units left. What it takes to number the entries is taken at once.
 */
export const simulateSpends = (perSecond: number, batchSize: number, seed: number): Outcome => {
  const ledger = new Partition();
  const units = batchSize * (spendUnits.entry + spendUnits.number);
  const duration = transactionOf(batchSize);
  let busyUntil = 0;
  const outcome = simulateArrivals(
    {
      next: () => undefined,
      write: (_batch, now) => {
        if (busyUntil > now - readMilliseconds || !ledger.has(units, now)) return false;
        ledger.take(units);
        busyUntil = now + duration;
        return true;
      },
      readMilliseconds,
      transactionMilliseconds: duration,
    },
    perSecond / batchSize,
    seed,
  );
  return { ...outcome, done: outcome.done * batchSize };
};
