import type { LedgerEntry } from './ledger.ts';
import type { Plan } from './plans.ts';
import { mostInCompartment } from './stars.ts';
import { inPeriod, monthlyStars, type Wallet } from './wallet.ts';
import type { WalletEvent, WalletEventOf, WalletEventType } from './wallet-events.ts';

/** Why an event is not applied, and because of which field. Nothing is stored then. */
export const refusals = {
  insufficient_stars: { path: 'stars', message: 'are more than there are' },
  too_many_stars: { path: 'stars', message: 'are more than a wallet can hold' },
  no_period: { path: 'stars', message: 'can be monthly only while a period runs' },
  no_subscription: { path: 'organization_id', message: 'is one without a subscription' },
  unknown_plan: { path: 'tier', message: 'has no plan, so monthly_grant_stars is required' },
} as const;
export type Refusal = keyof typeof refusals;

type Applied = { wallet: Wallet; entry: LedgerEntry };

/** What an event does: to each compartment, and to the subscription. */
interface Change {
  monthly?: number;
  pack?: number;
  /** What is left of the monthly stars lapses, though their period has not ended. */
  lapse?: boolean;
  wallet?: Partial<Wallet>;
}

interface Facts {
  wallet: Wallet;
  now: number;
  /** Monthly stars that still count. */
  monthly: number;
  plan: Plan | undefined;
}

type Rules = {
  [T in WalletEventType]: (event: WalletEventOf<T>, facts: Facts) => Change | Refusal;
};

const nothing: Change = {};

/** Of a period that is over already, nothing is left to give. */
const granted = (stars: number, end: number, now: number): number => (now < end ? stars : 0);

const isStale = ({ subscription }: Wallet, end: number): boolean =>
  subscription !== undefined && end <= subscription.current_period_end;

const rules: Rules = {
  'subscription.started': (event, { wallet, now, monthly, plan }) => {
    const { tier, status, current_period_end } = event;
    // After a canceled one, a new subscription may well end sooner.
    const running = wallet.subscription?.status !== 'canceled';
    if (running && isStale(wallet, current_period_end)) return nothing;
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    return {
      monthly: granted(grant, current_period_end, now) - monthly,
      wallet: {
        monthly_grant_stars: grant,
        next_grant_stars: undefined,
        subscription: { tier, status, current_period_end },
      },
    };
  },

  'subscription.renewed': (event, { wallet, now }) => {
    if (!wallet.subscription) return 'no_subscription';
    const { current_period_end } = event;
    if (isStale(wallet, current_period_end)) return nothing;
    const grant =
      event.monthly_grant_stars ?? wallet.next_grant_stars ?? wallet.monthly_grant_stars;
    return {
      lapse: true,
      monthly: granted(grant, current_period_end, now),
      wallet: {
        monthly_grant_stars: grant,
        next_grant_stars: undefined,
        subscription: { ...wallet.subscription, status: 'active', current_period_end },
      },
    };
  },

  'subscription.changed': (event, { wallet, now, plan }) => {
    if (!wallet.subscription) return 'no_subscription';
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    const subscription = { ...wallet.subscription, tier: event.tier };
    if (!inPeriod(wallet, now)) {
      return { wallet: { monthly_grant_stars: grant, next_grant_stars: undefined, subscription } };
    }
    // The grant of the period itself never shrinks, or going down and up again would give stars.
    const ofPeriod = Math.max(grant, wallet.monthly_grant_stars);
    return {
      monthly: ofPeriod - wallet.monthly_grant_stars,
      wallet: {
        monthly_grant_stars: ofPeriod,
        next_grant_stars: grant,
        subscription,
      },
    };
  },

  'subscription.canceled': (_event, { wallet }) =>
    wallet.subscription
      ? { wallet: { subscription: { ...wallet.subscription, status: 'canceled' } } }
      : 'no_subscription',

  'pack.purchased': ({ stars }) => ({ pack: stars }),

  'stars.spent': ({ stars }, { monthly }) => {
    const ofMonthly = Math.min(stars, monthly);
    return { monthly: -ofMonthly, pack: ofMonthly - stars };
  },

  'stars.refunded': ({ stars, compartment }, { wallet, now }) => {
    if (compartment === 'pack') return { pack: stars };
    return inPeriod(wallet, now) ? { monthly: stars } : 'no_period';
  },

  'stars.adjusted': ({ monthly_change, pack_change }, { wallet, now }) =>
    monthly_change > 0 && !inPeriod(wallet, now)
      ? 'no_period'
      : { monthly: monthly_change, pack: pack_change },
};

/**
 * What a wallet becomes by an event, and the entry that says so; or why the event is refused. `plan` is
 * the one of the event's tier. Pure: given the same, it answers the same.
 */
export const apply = (
  wallet: Wallet,
  event: WalletEvent,
  now: number,
  plan?: Plan,
): Applied | Refusal => {
  const monthly = monthlyStars(wallet, now);
  const rule = rules[event.type] as (event: WalletEvent, facts: Facts) => Change | Refusal;
  const change = rule(event, { wallet, now, monthly, plan });
  if (typeof change === 'string') return change;
  const monthly_lapsed = wallet.monthly_stars - (change.lapse ? 0 : monthly);
  // Never -0, which no number of stars is.
  const monthly_change = (change.monthly ?? 0) + 0;
  const pack_change = (change.pack ?? 0) + 0;
  const monthly_after = wallet.monthly_stars - monthly_lapsed + monthly_change;
  const pack_after = wallet.pack_stars + pack_change;
  if (Math.min(monthly_after, pack_after) < 0) return 'insufficient_stars';
  if (Math.max(monthly_after, pack_after) > mostInCompartment) return 'too_many_stars';
  const version = wallet.version + 1;
  return {
    wallet: {
      ...wallet,
      ...change.wallet,
      version,
      monthly_stars: monthly_after,
      pack_stars: pack_after,
    },
    entry: {
      version,
      at: new Date(now).toISOString(),
      type: event.type,
      event_id: event.event_id,
      reason: 'reason' in event ? (event.reason ?? null) : null,
      monthly_lapsed,
      monthly_change,
      pack_change,
      monthly_after,
      pack_after,
    },
  };
};
