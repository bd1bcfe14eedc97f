import type { PaidLine } from '../../stored/months/paid-line.ts';
import type { Plan } from '../../stored/plan.ts';
import type { Wallet } from '../../stored/wallet.ts';
import { longestLineDays, type Refusal } from '../../terms/refusals.ts';
import { mostStars } from '../../terms/stars.ts';
import type { WalletEventOf } from '../wallet-events.ts';
import { isPaidAt, paidUntil } from './grants.ts';
import { wholeLines } from './months.ts';
import { keptLines } from './wallet-months.ts';

export type SubscriptionPaid = WalletEventOf<'subscription.paid'>;

/**
 * The lines of what was paid. Where a period stands in place of lines, it has the plan's stars, as often as the quantity says;
 * told again, what it had is credited whole, and it has these.
 */
export const linesOf = (
  { lines, tier, period_start, period_end: until, quantity = 1 }: SubscriptionPaid,
  wallet: Wallet,
  now: number,
  plan: Plan | undefined,
): readonly PaidLine[] | Refusal => {
  if (lines) return lines.map(withoutFalse);
  if (!plan || tier === undefined || until === undefined) return 'unknown_plan';
  const monthly_grant_stars = plan.monthly_grant_stars * quantity;
  if (monthly_grant_stars > mostStars) return 'too_many_stars';
  const kept = keptLines(wallet, now);
  const period = paidPeriodOf(wallet, kept, until);
  const from = period?.from ?? period_start ?? nextBegin(wallet, kept, now);
  if (from >= until) return 'period_ended';
  if (until - from > longestLineDays * 86_400_000) return 'period_too_long';
  const paid = { from, until, monthly_grant_stars, tier };
  if (!period) return [paid];
  return differences(
    kept.filter((line) => line.from === from && line.until === until && !line.share),
    paid,
  );
};

/** The subscription's own period with an end, if anything is paid until then that was neither credited nor refunded. */
const paidPeriodOf = ({ subscription }: Wallet, kept: readonly PaidLine[], until: number) => {
  // Nothing was paid yet for a subscription that just took another's place.
  if (!subscription?.current_period_end || !isPaidAt(kept, until)) return undefined;
  return wholeLines(kept).find((line) => line.until === until);
};

/** The end of what is paid, which is past only in grace; else now. */
const nextBegin = ({ month }: Wallet, kept: readonly PaidLine[], now: number): number => {
  const end = paidUntil(kept) ?? now;
  return end > now || (month && month.until <= now) ? end : now;
};

/** The lines to add to a period's lines so that they become other lines: the difference of each plan. */
const differences = (
  had: readonly PaidLine[],
  { from, until, ...wanted }: PaidLine,
): PaidLine[] => {
  const byTier = Map.groupBy(had, ({ tier }) => tier);
  const tiers = new Set([...byTier.keys(), wanted.tier]);
  return [...tiers].flatMap((tier) => {
    const before = (byTier.get(tier) ?? []).reduce((sum, one) => sum + one.monthly_grant_stars, 0);
    const after = tier === wanted.tier ? wanted.monthly_grant_stars : 0;
    const monthly_grant_stars = after - before;
    return monthly_grant_stars === 0
      ? []
      : [{ from, until, monthly_grant_stars, tier, proration: true as const }];
  });
};

/** A line as it is stored: what is false is left out. */
const withoutFalse = ({
  proration,
  part,
  trial,
  ...line
}: NonNullable<SubscriptionPaid['lines']>[number]): PaidLine => ({
  ...line,
  ...(proration && { proration }),
  ...(part && { part }),
  ...(trial && { trial }),
});
