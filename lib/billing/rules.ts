import type { ErrorCode } from '../operations/errors.ts';
import {
  type Compartment,
  freeParts,
  isLive,
  lapse,
  moved,
  type Part,
  returned,
  sum,
  take,
} from './compartments.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Plan } from './plans.ts';
import { mostInCompartment } from './stars.ts';
import { subscriptionRules } from './subscription-rules.ts';
import { availableStars, heldStars, inPeriod, timeOf, type Wallet } from './wallet.ts';
import type { WalletEvent } from './wallet-events.ts';

export const mostOpenHolds = 1000;
export const mostPacks = 100;

/** Why an event is not applied, and because of which field. Nothing is stored then. */
export const refusals = {
  insufficient_stars: { path: 'stars', message: 'are more than there are' },
  too_many_stars: { path: 'stars', message: 'are more than a wallet can hold' },
  no_period: { path: 'stars', message: 'can be monthly only while a period runs' },
  no_subscription: { path: 'organization_id', message: 'is one without a subscription' },
  other_subscription: { path: 'subscription_id', message: 'is not that of the subscription' },
  unknown_plan: { path: 'tier', message: 'has no plan, so monthly_grant_stars is required' },
  too_many_packs: {
    path: 'expires_at',
    message: `would be one more than the ${mostPacks} expiries that a wallet can have`,
  },
  not_a_spend: { path: 'refunds', message: 'is neither a spend nor a captured hold' },
  more_than_spent: { path: 'stars', message: 'are more than is left of the spend to refund' },
  too_many_holds: {
    code: 'limit_reached',
    path: 'hold_id',
    message: `would be one more than ${mostOpenHolds} open holds`,
  },
  more_than_held: { path: 'stars', message: 'are more than the hold has' },
  hold_expired: { code: 'hold_expired', path: 'hold_id', message: 'is of a hold that has expired' },
} as const satisfies Record<string, { path: string; message: string; code?: ErrorCode }>;
export type Refusal = keyof typeof refusals;

/** Stars that are reserved until the hold is captured or released, or expires. */
export interface Hold {
  /** Milliseconds since the epoch. */
  expires_at: number;
  /** Where they were taken from, in that order. */
  parts: readonly Part[];
}

/** A spend, or a captured hold: where its stars were taken from, and how many came back since. */
export interface Spend {
  parts: readonly Part[];
  refunded: number;
}

/** What happens to a hold. Its id is the `event_id` of all of it. */
export type HoldEvent =
  | {
      type: 'stars.held';
      event_id: string;
      stars: number;
      expires_at: number;
      reason?: string | undefined;
    }
  | { type: 'hold.captured'; event_id: string; stars?: number | undefined }
  | { type: 'hold.released'; event_id: string }
  | { type: 'hold.expired'; event_id: string };

/** Everything that changes a wallet. */
export type Cause = WalletEvent | HoldEvent;
type CauseType = Cause['type'];

/** What some causes are about, beside the wallet. */
export interface About {
  /** Of the event's tier. */
  plan?: Plan | undefined;
  /** Of a refund. */
  spend?: Spend | undefined;
  /** Of a capture, release or expiry. */
  hold?: Hold | undefined;
  /** Of an expiry: when the hold after it expires. */
  nextHoldExpiry?: number | undefined;
}

export interface Facts extends About {
  /** Without what has lapsed. */
  wallet: Wallet;
  now: number;
}

/** What a cause does. The entry's numbers follow from it. */
export interface Change {
  wallet: Wallet;
  /** What the cause itself makes lapse. */
  lapsed?: Partial<Record<Compartment, number>>;
  /** What it has spent or held, in the order in which it was taken. */
  taken?: readonly Part[];
  /** What it would have given, but to a period or pack that has ended. */
  lost?: readonly Part[];
}

export interface Applied {
  wallet: Wallet;
  entry: LedgerEntry;
  taken: readonly Part[];
  /** The alerts that it sets off: thresholds that the available stars fell to, 0 for the last star. */
  crossed: readonly number[];
}

type Rules = {
  [T in CauseType]: (event: Extract<Cause, { type: T }>, facts: Facts) => Change | Refusal;
};

/**
 * What each cause does to each compartment, hold and pack. Lapsed stars are never in the wallet that a rule
 * sees, and held ones never in its free parts.
 */
const rules: Rules = {
  ...subscriptionRules,

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
    // What was taken last comes back first, and what came back before does not again.
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

/** The wallet with stars that come in, and those that come too late. */
const given = (wallet: Wallet, parts: readonly Part[], now: number): Change | Refusal => {
  const live = parts.filter((part) => isLive(wallet, part, now));
  const after = moved(wallet, live, { stars: 1 }, now);
  if (after.packs.length > mostPacks && after.packs.length > wallet.packs.length) {
    return 'too_many_packs';
  }
  return { wallet: after, lost: parts.filter((part) => !live.includes(part)) };
};

/** The wallet after a hold has ended, with what comes back of it. */
const closed = (wallet: Wallet, back: readonly Part[], now: number): Change => {
  const { wallet: after, lapsed } = returned(wallet, back, now);
  const open_holds = wallet.open_holds - 1;
  const next_hold_expiry = open_holds > 0 ? wallet.next_hold_expiry : undefined;
  return { wallet: { ...after, open_holds, next_hold_expiry }, lapsed };
};

/**
 * What a wallet becomes by a cause, the entry that says so and what it sets off; or why it is refused.
 * Pure: given the same, it answers the same.
 */
export const apply = (
  wallet: Wallet,
  cause: Cause,
  clock: number,
  about: About = {},
): Applied | Refusal => {
  const now = timeOf(wallet, clock);
  const { current, lapsed } = lapse(wallet, now);
  const rule = rules[cause.type] as (cause: Cause, facts: Facts) => Change | Refusal;
  const change = rule(cause, { ...about, wallet: current, now });
  if (typeof change === 'string') return change;
  const after: Wallet = { ...change.wallet, version: wallet.version + 1, at: now };
  if (Math.max(after.monthly_stars, after.pack_stars) > mostInCompartment) return 'too_many_stars';
  const monthly_lapsed = lapsed.monthly + (change.lapsed?.monthly ?? 0);
  const pack_lapsed = lapsed.pack + (change.lapsed?.pack ?? 0);
  return {
    wallet: after,
    taken: change.taken ?? [],
    crossed: crossed(wallet, after),
    entry: {
      version: after.version,
      at: new Date(now).toISOString(),
      type: cause.type,
      event_id: cause.event_id,
      refunds: 'refunds' in cause ? cause.refunds : null,
      reason: 'reason' in cause ? (cause.reason ?? null) : null,
      monthly_lapsed,
      pack_lapsed,
      monthly_change: after.monthly_stars - wallet.monthly_stars + monthly_lapsed,
      pack_change: after.pack_stars - wallet.pack_stars + pack_lapsed,
      held_change: heldStars(after) - heldStars(wallet),
      monthly_after: after.monthly_stars,
      pack_after: after.pack_stars,
      held_after: heldStars(after),
      lost: (change.lost ?? []).map(({ expires_at = 0, ...part }) => ({
        ...part,
        expires_at: new Date(expires_at).toISOString(),
      })),
    },
  };
};

/** Only entries set off alerts: what lapses by the clock alone, the next entry tells of. */
const crossed = (wallet: Wallet, after: Wallet): number[] => {
  const [before, left] = [availableStars(wallet), availableStars(after)];
  return [...after.thresholds, 0].filter((threshold) => before > threshold && left <= threshold);
};
