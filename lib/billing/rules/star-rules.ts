import { type Lot, sum } from '../stored/lots.ts';
import { nothingReversed } from '../stored/reversal.ts';
import { isInMonth, type Wallet } from '../stored/wallet.ts';
import { mostPacks, type Refusal } from '../terms/refusals.ts';
import type { Effect, RulesOf } from './causes.ts';
import { freeLots, isLive, moveStars, take } from './compartments.ts';
import type { WalletEvent } from './wallet-events.ts';

type StarEvent = Exclude<WalletEvent, { type: `subscription.${string}` | 'pack.reversed' }>;

/** The rules for stars that come in and stars that are spent: packs, spends, refunds, adjustments. */
export const starRules: RulesOf<StarEvent> = {
  'pack.purchased': ({ stars, expires_at, amount }, { wallet, now }) => {
    const lot: Lot = {
      compartment: 'pack',
      stars,
      ...(expires_at !== undefined && { expires_at }),
    };
    const given = giveStars(wallet, [lot], now);
    if (typeof given === 'string') return given;
    const purchase = { expires_at, stars: stars - sum(given.lost), amount };
    return { ...given, purchase: { ...purchase, ...nothingReversed } };
  },

  'stars.spent': ({ stars }, { wallet }) => {
    const { takenLots } = take(freeLots(wallet), stars) ?? {};
    if (!takenLots) return 'insufficient_stars';
    return { wallet: moveStars(wallet, takenLots, { stars: -1 }), takenLots };
  },

  'stars.refunded': ({ stars }, { wallet, now, spend }) => {
    if (!spend) return 'not_a_spend';
    // Stars that were taken last come back first. Those that came back before do not come back again.
    const { rest } = take([...spend.lots].reverse(), spend.refunded) ?? { rest: [] };
    const { takenLots: lots } = take(rest, stars) ?? {};
    return lots ? giveStars(wallet, lots, now) : 'more_than_spent';
  },

  'stars.adjusted': ({ monthly_change, pack_change, owed_change }, { wallet: before, now }) => {
    const wallet = { ...before, owed_stars: before.owed_stars + owed_change };
    if (wallet.owed_stars < 0) return 'more_than_owed';
    if (monthly_change > 0 && !isInMonth(wallet, now)) return 'no_month';
    const monthly_stars = wallet.monthly_stars + monthly_change;
    if (monthly_stars < wallet.held.monthly) return 'insufficient_stars';
    const after = { ...wallet, monthly_stars };
    if (pack_change >= 0)
      return { wallet: { ...after, pack_stars: after.pack_stars + pack_change } };
    const packs = freeLots(wallet).filter(({ compartment }) => compartment === 'pack');
    const { takenLots } = take(packs, -pack_change) ?? {};
    return takenLots
      ? { wallet: moveStars(after, takenLots, { stars: -1 }) }
      : 'insufficient_stars';
  },
};

/** Adds the stars whose month or pack has not ended. The others are lost. */
export const giveStars = (
  wallet: Wallet,
  lots: readonly Lot[],
  now: number,
): (Effect & { lost: Lot[] }) | Refusal => {
  const live = lots.filter((lot) => isLive(wallet, lot, now));
  const after = moveStars(wallet, live, { stars: 1 });
  if (after.packs.length > mostPacks && after.packs.length > wallet.packs.length) {
    return 'too_many_packs';
  }
  return { wallet: after, lost: lots.filter((lot) => !live.includes(lot)) };
};
