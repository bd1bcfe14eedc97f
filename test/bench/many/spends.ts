import { type Outcome, simulateArrivals } from './arrivals.ts';
import { readMilliseconds, transactionMilliseconds } from './limits.ts';

/**
 * Spends that come at random to one wallet: each reads it, and its transaction is refused while another is under way, and
 * where another was done since it read.
 */
export const simulateSpends = (perSecond: number, seed: number): Outcome => {
  let busyUntil = 0;
  return simulateArrivals(
    {
      next: () => undefined,
      write: (_spend, now) => {
        if (busyUntil > now - readMilliseconds) return false;
        busyUntil = now + transactionMilliseconds;
        return true;
      },
      readMilliseconds,
    },
    perSecond,
    seed,
  );
};
