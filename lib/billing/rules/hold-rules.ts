import { type Lot, sum } from '../stored/lots.ts';
import type { Wallet } from '../stored/wallet.ts';
import { mostOpenHolds } from '../terms/refusals.ts';
import { type Effect, expiryOf, type HoldExpiry, type RulesOf } from './causes.ts';
import { freeLots, moveStars, returnStars, take, takeUpTo } from './compartments.ts';
import type { HoldEvent } from './hold-events.ts';

// docs/decisions/wallet-rules.md
export const holdRules: RulesOf<HoldEvent | HoldExpiry> = {
  'stars.held': (event, { wallet, now }) => {
    if (wallet.open_holds >= mostOpenHolds) return 'too_many_holds';
    const { takenLots } = take(freeLots(wallet), event.stars) ?? {};
    if (!takenLots) return 'insufficient_stars';
    const held = moveStars(wallet, takenLots, { held: 1 });
    const expires_at = expiryOf(event, now);
    const next_hold_expiry = Math.min(expires_at, wallet.next_hold_expiry ?? expires_at);
    return { wallet: { ...held, open_holds: wallet.open_holds + 1, next_hold_expiry }, takenLots };
  },

  // An entry is written, so that the wallet has another version: whoever reads its holds meanwhile reads them anew.
  // The wallet may go on to have the earlier expiry: no open hold expires before it.
  'hold.extended': (_event, { wallet, now, hold }) =>
    !hold || now >= hold.expires_at ? 'hold_expired' : { wallet },

  // What goes beyond the hold is spent of the free stars. A refund gives that back first.
  'hold.captured': ({ stars, up_to_available }, { wallet, now, hold, mostBeyond }) => {
    if (!hold || now >= hold.expires_at) return 'hold_expired';
    const wanted = stars ?? sum(hold.lots);
    const { takenLots, rest } = take(hold.lots, Math.min(wanted, sum(hold.lots)))!;
    const beyond = wanted - sum(takenLots);
    const more = takeUpTo(freeLots(wallet), Math.min(beyond, mostBeyond ?? beyond));
    if (sum(more) < beyond && !up_to_available) return 'insufficient_stars';
    const captured = moveStars(wallet, takenLots, { stars: -1, held: -1 });
    const spent = moveStars(captured, more, { stars: -1 });
    return { ...closeHold(spent, rest, now), takenLots: [...takenLots, ...more] };
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
