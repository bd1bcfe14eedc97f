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
const tierOf = (lines: readonly PaidLine[], now: number): string | undefined => {
  const all = planTimesOf(lines).sort(
    (a, b) => b.from - a.from || b.stars - a.stars || (a.tier < b.tier ? -1 : 1),
  );
  return (all.find(({ from }) => from <= now) ?? all.at(-1))?.tier;
};

/** The subscription with the plan that counts now. It stays where no line is left. */
export const withTier = (subscription: Subscription, now: number): Subscription => ({
  ...subscription,
  tier: tierOf(subscription.lines, now) ?? subscription.tier,
});

/** Whether a line is a period that was given: it was paid, or costs nothing. */
const isGivenPeriod = (line: PaidLine): boolean => line.monthly_grant_stars >= 0 && isPeriod(line);

type Period = Pick<Subscription, 'current_period_from' | 'current_period_end'>;

/** The last period to begin of all that were told, then the last to end. Without any period, the line that ends last. */
export const currentPeriodOf = (
  added: readonly PaidLine[],
  { current_period_from, current_period_end }: Period,
): Period =>
  added
    .map((line) => ({
      current_period_from: isGivenPeriod(line) ? line.from : 0,
      current_period_end: line.until,
    }))
    .concat({ current_period_from, current_period_end })
    .sort(
      (a, b) =>
        b.current_period_from - a.current_period_from ||
        b.current_period_end - a.current_period_end,
    )[0]!;
