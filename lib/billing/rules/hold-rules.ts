import { mostOpenHolds } from '../refusals.ts';
import type { Wallet } from '../wallet.ts';
import type { Change, HoldEvent, RulesOf } from './causes.ts';
import { freeParts, moved, type Part, returned, sum, take } from './compartments.ts';

// docs/decisions/holds.md
export const holdRules: RulesOf<HoldEvent> = {
  'stars.held': ({ stars, expires_at }, { wallet, now }) => {
    if (wallet.open_holds >= mostOpenHolds) return 'too_many_holds';
    const { taken } = take(freeParts(wallet), stars) ?? {};
    if (!taken) return 'insufficient_stars';
    const held = moved(wallet, taken, { held: 1 }, now);
    const next_hold_expiry = Math.min(expires_at, wallet.next_hold_expiry ?? expires_at);
    return { wallet: { ...held, open_holds: wallet.open_holds + 1, next_hold_expiry }, taken };
  },

  'hold.captured': ({ stars }, { wallet, now, hold }) => {
    if (!hold || now >= hold.expires_at) return 'hold_expired';
    const { taken, rest } = take(hold.parts, stars ?? sum(hold.parts)) ?? {};
    if (!taken || !rest) return 'more_than_held';
    const spent = moved(wallet, taken, { stars: -1, held: -1 }, now);
    return { ...closed(spent, rest, now), taken };
  },

  'hold.released': (_event, { wallet, now, hold }) =>
    !hold || now >= hold.expires_at ? 'hold_expired' : closed(wallet, hold.parts, now),

  'hold.expired': (_event, { wallet, now, hold, nextHoldExpiry }) =>
    closed({ ...wallet, next_hold_expiry: nextHoldExpiry }, hold?.parts ?? [], now),
};

/** The wallet after a hold has ended, with the stars that came back from it. */
const closed = (wallet: Wallet, back: readonly Part[], now: number): Change => {
  const { wallet: after, lapsed } = returned(wallet, back, now);
  const open_holds = wallet.open_holds - 1;
  const next_hold_expiry = open_holds > 0 ? wallet.next_hold_expiry : undefined;
  return { wallet: { ...after, open_holds, next_hold_expiry }, lapsed };
};
