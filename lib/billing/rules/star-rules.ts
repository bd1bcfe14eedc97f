import { mostPacks, type Refusal } from '../refusals.ts';
import { inPeriod, type Wallet } from '../wallet.ts';
import type { WalletEvent } from '../wallet-events.ts';
import type { Change, RulesOf } from './causes.ts';
import { freeParts, isLive, moved, type Part, take } from './compartments.ts';

type StarEvent = Exclude<WalletEvent, { type: `subscription.${string}` }>;

/** What comes in and what is spent: packs, spends, refunds, adjustments. */
export const starRules: RulesOf<StarEvent> = {
  'pack.purchased': ({ stars, expires_at }, { wallet, now }) => {
    const part: Part = {
      compartment: 'pack',
      stars,
      ...(expires_at !== undefined && { expires_at }),
    };
    return given(wallet, [part], now);
  },

  'stars.spent': ({ stars }, { wallet, now }) => {
    const { taken } = take(freeParts(wallet), stars) ?? {};
    if (!taken) return 'insufficient_stars';
    return { wallet: moved(wallet, taken, { stars: -1 }, now), taken };
  },

  'stars.refunded': ({ stars }, { wallet, now, spend }) => {
    if (!spend) return 'not_a_spend';
    // Stars that were taken last come back first. Those that came back before do not come back again.
    const { rest } = take([...spend.parts].reverse(), spend.refunded) ?? { rest: [] };
    const { taken: parts } = take(rest, stars) ?? {};
    return parts ? given(wallet, parts, now) : 'more_than_spent';
  },

  'stars.adjusted': ({ monthly_change, pack_change }, { wallet, now }) => {
    if (monthly_change > 0 && !inPeriod(wallet, now)) return 'no_period';
    const monthly_stars = wallet.monthly_stars + monthly_change;
    if (monthly_stars < wallet.held.monthly) return 'insufficient_stars';
    const after = { ...wallet, monthly_stars };
    if (pack_change >= 0)
      return { wallet: { ...after, pack_stars: after.pack_stars + pack_change } };
    const packs = freeParts(wallet).filter(({ compartment }) => compartment === 'pack');
    const { taken } = take(packs, -pack_change) ?? {};
    return taken ? { wallet: moved(after, taken, { stars: -1 }, now) } : 'insufficient_stars';
  },
};

/** Adds the stars whose period or pack has not ended. The others are lost. */
const given = (wallet: Wallet, parts: readonly Part[], now: number): Change | Refusal => {
  const live = parts.filter((part) => isLive(wallet, part, now));
  const after = moved(wallet, live, { stars: 1 }, now);
  if (after.packs.length > mostPacks && after.packs.length > wallet.packs.length) {
    return 'too_many_packs';
  }
  return { wallet: after, lost: parts.filter((part) => !live.includes(part)) };
};
