import { type Balance, iso } from '../stored/balance.ts';
import { heldStars, timeOf, type Wallet } from '../stored/wallet.ts';
import { lapse } from './compartments.ts';

/** The wallet must have no expired hold: see `readBalance`. */
export const toBalance = (wallet: Wallet, clock: number): Balance => {
  const now = timeOf(wallet, clock);
  const { current } = lapse(wallet, now);
  const { monthly_stars, pack_stars, monthly_grant_stars, subscription } = current;
  const total_stars = monthly_stars + pack_stars;
  const held_stars = heldStars(current);
  const next = current.packs.find(({ stars, held }) => stars > held);
  return {
    monthly_stars,
    pack_stars,
    total_stars,
    held_stars,
    available_stars: total_stars - held_stars,
    owed_stars: current.owed_stars,
    next_expiry: next ? { at: iso(next.expires_at), stars: next.stars - next.held } : null,
    monthly_grant_stars,
    subscription: subscription
      ? {
          tier: subscription.tier,
          status: subscription.status,
          current_period_end: iso(subscription.current_period_end),
        }
      : null,
    as_of: iso(now),
  };
};
