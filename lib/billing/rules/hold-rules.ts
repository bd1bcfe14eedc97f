import { mostOpenHolds } from '../refusals.ts';
import type { Wallet } from '../wallet.ts';
import type { Effect, HoldEvent, RulesOf } from './causes.ts';
import { freeLots, type Lot, moveStars, returnStars, sum, take } from './compartments.ts';

// docs/decisions/holds.md
export const holdRules: RulesOf<HoldEvent> = {
  'stars.held': ({ stars, expires_at }, { wallet, now }) => {
    if (wallet.open_holds >= mostOpenHolds) return 'too_many_holds';
    const { takenLots } = take(freeLots(wallet), stars) ?? {};
    if (!takenLots) return 'insufficient_stars';
    const held = moveStars(wallet, takenLots, { held: 1 }, now);
    const next_hold_expiry = Math.min(expires_at, wallet.next_hold_expiry ?? expires_at);
    return { wallet: { ...held, open_holds: wallet.open_holds + 1, next_hold_expiry }, takenLots };
  },

  // The wallet may go on to have the earlier expiry: no open hold expires before it.
  'hold.extended': (_event, { wallet, now, hold }) =>
    !hold || now >= hold.expires_at ? 'hold_expired' : { wallet },

  'hold.captured': ({ stars }, { wallet, now, hold }) => {
    if (!hold || now >= hold.expires_at) return 'hold_expired';
    const { takenLots, rest } = take(hold.lots, stars ?? sum(hold.lots)) ?? {};
    if (!takenLots || !rest) return 'more_than_held';
    const spent = moveStars(wallet, takenLots, { stars: -1, held: -1 }, now);
    return { ...closeHold(spent, rest, now), takenLots };
  },

  'hold.released': (_event, { wallet, now, hold }) =>
    !hold || now >= hold.expires_at ? 'hold_expired' : closeHold(wallet, hold.lots, now),

  'hold.expired': (_event, { wallet, now, hold, nextHoldExpiry }) =>
    closeHold({ ...wallet, next_hold_expiry: nextHoldExpiry }, hold?.lots ?? [], now),
};

/** The wallet after a hold has ended, with the stars that came back from it. */
const closeHold = (wallet: Wallet, back: readonly Lot[], now: number): Effect => {
  const { wallet: after, lapsed } = returnStars(wallet, back, now);
  const open_holds = wallet.open_holds - 1;
  const next_hold_expiry = open_holds > 0 ? wallet.next_hold_expiry : undefined;
  return { wallet: { ...after, open_holds, next_hold_expiry }, lapsed };
};
