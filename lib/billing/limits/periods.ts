import type { LimitPeriod } from '../terms/limit-terms.ts';

const dayMs = 86_400_000;

interface PeriodBounds {
  /** Milliseconds since the epoch. */
  from: number;
  /** When the next period begins; undefined where none does. */
  until: number | undefined;
}

/** The period that runs at a time, in UTC. */
export const periodAt = (period: LimitPeriod, time: number): PeriodBounds => {
  const day = Math.floor(time / dayMs);
  switch (period) {
    case 'day':
      return { from: day * dayMs, until: (day + 1) * dayMs };
    case 'week': {
      // 1970 began on a Thursday.
      const monday = day - ((((day + 3) % 7) + 7) % 7);
      return { from: monday * dayMs, until: (monday + 7) * dayMs };
    }
    case 'month': {
      const date = new Date(time);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return { from: Date.UTC(year, month), until: Date.UTC(year, month + 1) };
    }
    case 'total':
      return { from: Number.NEGATIVE_INFINITY, until: undefined };
  }
};

/** Whether two times are in one period. */
export const areInOnePeriod = (period: LimitPeriod, one: number, other: number): boolean =>
  periodAt(period, one).from === periodAt(period, other).from;

/** When the next period begins, as the API tells it. */
export const resetsAt = (period: LimitPeriod, time: number): string | null => {
  const { until } = periodAt(period, time);
  return until === undefined ? null : new Date(until).toISOString();
};
