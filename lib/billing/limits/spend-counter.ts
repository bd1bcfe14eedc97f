import type { SpendCounter } from '../stored/limits/spend-counter.ts';
import { type CountedPiece, type LimitPeriod, limitPeriods } from '../terms/limit-terms.ts';
import { areInOnePeriod } from './periods.ts';

/** What a counter has counted in the period that runs. */
export const usedStars = (counter: SpendCounter, period: LimitPeriod, now: number): number =>
  areInOnePeriod(period, counter.at, now) ? counter[period] : 0;

/** Counts stars that were taken at a time. They come back by `stars` below 0, in the periods that run since then. */
export const count = (
  counter: SpendCounter,
  { at, stars }: Pick<CountedPiece, 'at' | 'stars'>,
  now: number,
): SpendCounter => {
  const after = { ...counter, at: now };
  for (const period of limitPeriods) {
    const change = areInOnePeriod(period, at, now) ? stars : 0;
    after[period] = usedStars(counter, period, now) + change;
  }
  return after;
};
