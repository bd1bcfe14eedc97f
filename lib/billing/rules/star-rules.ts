import type { Lot } from '../stored/lots.ts';
import { inPeriod, type Wallet } from '../stored/wallet.ts';
import { mostPacks, type Refusal } from '../terms/refusals.ts';
import type { Effect, RulesOf } from './causes.ts';
import { freeLots, isLive, moveStars, take } from './compartments.ts';
import type { WalletEvent } from './wallet-events.ts';

type StarEvent = Exclude<WalletEvent, { type: `subscription.${string}` }>;

/** What comes in and what is spent: packs, spends, refunds, adjustments. */
export const starRules: RulesOf<StarEvent> = {
  'pack.purchased': ({ stars, expires_at }, { wallet, now }) => {
    const lot: Lot = {
      compartment: 'pack',
      stars,
      ...(expires_at !== undefined && { expires_at }),
    };
    return giveStars(wallet, [lot], now);
  },

  'stars.spent': ({ stars }, { wallet, now }) => {
    const { takenLots } = take(freeLots(wallet), stars) ?? {};
    if (!takenLots) return 'insufficient_stars';
    return { wallet: moveStars(wallet, takenLots, { stars: -1 }, now), takenLots };
  },

  'stars.refunded': ({ stars }, { wallet, now, spend }) => {
    if (!spend) return 'not_a_spend';
    // Stars that were taken last come back first. Those that came back before do not come back again.
    const { rest } = take([...spend.lots].reverse(), spend.refunded) ?? { rest: [] };
    const { takenLots: lots } = take(rest, stars) ?? {};
    return lots ? giveStars(wallet, lots, now) : 'more_than_spent';
  },

  'stars.adjusted': ({ monthly_change, pack_change }, { wallet, now }) => {
    if (monthly_change > 0 && !inPeriod(wallet, now)) return 'no_period';
    const monthly_stars = wallet.monthly_stars + monthly_change;
    if (monthly_stars < wallet.held.monthly) return 'insufficient_stars';
    const after = { ...wallet, monthly_stars };
    if (pack_change >= 0)
      return { wallet: { ...after, pack_stars: after.pack_stars + pack_change } };
    const packs = freeLots(wallet).filter(({ compartment }) => compartment === 'pack');
    const { takenLots } = take(packs, -pack_change) ?? {};
    return takenLots
      ? { wallet: moveStars(after, takenLots, { stars: -1 }, now) }
      : 'insufficient_stars';
  },
};

/** Adds the stars whose period or pack has not ended. The others are lost. */
const giveStars = (wallet: Wallet, lots: readonly Lot[], now: number): Effect | Refusal => {
  const live = lots.filter((lot) => isLive(wallet, lot, now));
  const after = moveStars(wallet, live, { stars: 1 }, now);
  if (after.packs.length > mostPacks && after.packs.length > wallet.packs.length) {
    return 'too_many_packs';
  }
  return { wallet: after, lost: lots.filter((lot) => !live.includes(lot)) };
};
