import { type Balance, iso } from '../stored/balance.ts';
import { heldStars, isInMonth, timeOf, type Wallet } from '../stored/wallet.ts';
import { lapse } from './compartments.ts';
import { withTier } from './months/subscription-of-lines.ts';

/** The wallet must have no expired hold: see `readBalance`. */
export const toBalance = (wallet: Wallet, clock: number): Balance => {
  const now = timeOf(wallet, clock);
  const { current } = lapse(wallet, now);
  const { monthly_stars, pack_stars, monthly_grant_stars, subscription } = current;
  const { next_grant: grant } = current;
  const total_stars = monthly_stars + pack_stars;
  const held_stars = heldStars(current);
  const next = current.packs.find(({ stars, held }) => stars > held);
  const tier = subscription && withTier(subscription, now).tier;
  return {
    monthly_stars,
    pack_stars,
    total_stars,
    held_stars,
    available_stars: total_stars - held_stars,
    owed_stars: current.owed_stars,
    next_expiry: next ? { at: iso(next.expires_at), stars: next.stars - next.held } : null,
    monthly_grant_stars,
    monthly_lapse_at: lapseAtOf(current, now),
    next_grant: grant ? { at: iso(grant.at), stars: grant.stars } : null,
    subscription:
      subscription && tier !== undefined
        ? {
            tier,
            status: subscription.status,
            current_period_end: iso(subscription.current_period_end),
          }
        : null,
    as_of: iso(now),
  };
};

/** When free monthly stars lapse: as the next month begins, or after the last month. */
const lapseAtOf = (wallet: Wallet, now: number): string | null => {
  const { monthly_lapse_at, next_grant } = wallet;
  if (monthly_lapse_at === undefined || !isInMonth(wallet, now)) return null;
  return iso(Math.min(monthly_lapse_at, next_grant?.at ?? monthly_lapse_at));
};
