import type { PaidLine } from '../../stored/months/paid-line.ts';
import type { Subscription } from '../../stored/wallet.ts';
import { isPeriod } from './months.ts';

// Subscriptions as they are told, by their lines. Refunds and disputes change nothing of them.

/** The sum of the lines of one plan and time. */
interface PlanTime {
  tier: string;
  from: number;
  stars: number;
}

/**
 * The plans of lines, each with its time and stars, without plans that were credited whole. Refunds of money change no
 * plan.
 */
const planTimesOf = (lines: readonly PaidLine[]): PlanTime[] => {
  const paid = lines.filter(({ share }) => !share);
  const byTime = Map.groupBy(paid, ({ tier, from, until }) => `${tier} ${from} ${until}`);
  return [...byTime.values()].flatMap((same) => {
    const { tier, from } = same[0]!;
    const stars = same.reduce((sum, { monthly_grant_stars }) => sum + monthly_grant_stars, 0);
    const isPaid = stars > 0 || same.every((line) => line.monthly_grant_stars === 0);
    return tier !== undefined && isPaid ? [{ tier, from, stars }] : [];
  });
};

/**
 * The plan that counts: of those that have begun, the last to begin, then the greater, then by name; else the first to begin.
 */
export const tierOf = (lines: readonly PaidLine[], now: number): string | undefined => {
  const all = planTimesOf(lines).sort(
    (a, b) => b.from - a.from || b.stars - a.stars || (a.tier < b.tier ? -1 : 1),
  );
  return (all.find(({ from }) => from <= now) ?? all.at(-1))?.tier;
};

/** Whether a line is a period that was given: it was paid, or costs nothing. */
const isGivenPeriod = (line: PaidLine): boolean => line.monthly_grant_stars >= 0 && isPeriod(line);

/** The end of the last period that was paid: of the line that begins last. */
export const currentPeriodEndOf = (
  lines: readonly PaidLine[],
  { lines: before, current_period_end }: Pick<Subscription, 'lines' | 'current_period_end'>,
  now: number,
): number => {
  const periods = lines.filter(isGivenPeriod).sort((a, b) => b.from - a.from || b.until - a.until);
  const end = periods[0]?.until;
  if (end === undefined) return current_period_end || Math.max(...lines.map(({ until }) => until));
  // A period that is over, and is paid late, is not the last period.
  return before.some(isGivenPeriod) || end > now ? end : Math.max(end, current_period_end);
};
