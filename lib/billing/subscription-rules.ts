import type { RulesOf } from './causes.ts';
import { inPeriod, type Subscription, type Wallet } from './wallet.ts';
import type { WalletEventOf, WalletEventType } from './wallet-events.ts';

/** So many ids of subscriptions that were replaced are remembered, to know their late events by. */
const mostFormer = 20;

type SubscriptionEventType = Extract<WalletEventType, `subscription.${string}`>;
type SubscriptionEvent = WalletEventOf<SubscriptionEventType>;

/** Of a period that is over already, nothing is left to give. */
const granted = (stars: number, end: number, now: number): number => (now < end ? stars : 0);

/** The monthly stars of the current period that no hold has. */
const freeMonthly = ({ monthly_stars, held }: Wallet): number => monthly_stars - held.monthly;

const isBefore = (time: number | undefined, other: number | undefined): boolean =>
  time !== undefined && other !== undefined && time < other;

/**
 * Whose event it is: one of an earlier subscription changes nothing. One of another that is not known may
 * have come before its start, and is refused, so that it is tried again.
 */
const ownerOf = (
  { subscription_id: id, occurred_at }: SubscriptionEvent,
  { subscription, former_subscriptions }: Wallet,
): 'current' | 'earlier' | 'unknown' => {
  if (id !== undefined && id === subscription?.id) return 'current';
  if (id !== undefined && former_subscriptions.includes(id)) return 'earlier';
  if (isBefore(occurred_at, subscription?.started_at)) return 'earlier';
  return id !== undefined && subscription?.id !== undefined ? 'unknown' : 'current';
};

/** The subscription after an event about it, unless it was told of a later one before. */
const told = (
  before: Subscription,
  { subscription_id, occurred_at }: SubscriptionEvent,
  fields: Partial<Subscription>,
): Subscription => ({
  ...before,
  ...(isBefore(occurred_at, before.occurred_at) ? {} : fields),
  id: subscription_id ?? before.id,
  occurred_at: latest(occurred_at, before.occurred_at),
});

const latest = (time: number | undefined, other: number | undefined): number | undefined =>
  isBefore(time, other) ? other : (time ?? other);

const grantAt = ({ occurred_at }: SubscriptionEvent, { grant_at }: Subscription) =>
  latest(occurred_at, grant_at);

/** Whether a start was told before: of an earlier subscription, or of this one, of which more is known by now. */
const isRepeated = (
  { subscription_id: id, occurred_at }: SubscriptionEvent,
  before: Subscription,
): boolean =>
  isBefore(occurred_at, before.started_at) ||
  (id !== undefined && id === before.id && isBefore(occurred_at, before.occurred_at));

/** What a wallet becomes by the start of a subscription, its stars apart. */
const begun = (
  event: WalletEventOf<'subscription.started'>,
  wallet: Wallet,
  current_period_end: number,
): Partial<Wallet> => {
  const { subscription_id: id, tier, status, occurred_at } = event;
  const before = wallet.subscription?.id;
  const former = before === undefined || before === id ? [] : [before];
  return {
    subscription: {
      id,
      tier,
      status,
      current_period_end,
      started_at: occurred_at,
      occurred_at,
      tier_at: occurred_at,
      grant_at: occurred_at,
    },
    former_subscriptions: [...former, ...wallet.former_subscriptions]
      .filter((one) => one !== id)
      .slice(0, mostFormer),
  };
};

export const subscriptionRules: RulesOf<SubscriptionEvent> = {
  'subscription.started': (event, { wallet, now, plan }) => {
    const { current_period_end: end, occurred_at } = event;
    const before = wallet.subscription;
    const isAfter =
      occurred_at !== undefined && before?.started_at !== undefined && !isRepeated(event, before);
    if (before && !isAfter) {
      if (isRepeated(event, before) || ownerOf(event, wallet) === 'earlier') return { wallet };
    }
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    if (!before || end > before.current_period_end) {
      return {
        wallet: {
          ...wallet,
          ...begun(event, wallet, end),
          monthly_stars: wallet.held.monthly + granted(grant, end, now),
          monthly_grant_stars: grant,
          next_grant_stars: undefined,
        },
      };
    }
    // The period was granted before: however often it is started, it gives the larger grant, and once.
    const more = Math.max(0, granted(grant - wallet.monthly_grant_stars, end, now));
    const isAnother = isAfter || (before.status === 'canceled' && now < end);
    const next = wallet.next_grant_stars ?? wallet.monthly_grant_stars;
    return {
      wallet: {
        ...wallet,
        ...(isAnother && begun(event, wallet, before.current_period_end)),
        monthly_stars: wallet.monthly_stars + more,
        monthly_grant_stars: wallet.monthly_grant_stars + more,
        ...((isAnother || more > 0) && { next_grant_stars: isAnother ? grant : next }),
      },
    };
  },

  'subscription.renewed': (event, { wallet, now }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    const { current_period_end: end } = event;
    if (owner === 'earlier' || end <= before.current_period_end) return { wallet };
    const grant =
      event.monthly_grant_stars ?? wallet.next_grant_stars ?? wallet.monthly_grant_stars;
    return {
      lapsed: { monthly: freeMonthly(wallet) },
      wallet: {
        ...wallet,
        monthly_stars: wallet.held.monthly + granted(grant, end, now),
        monthly_grant_stars: grant,
        next_grant_stars: undefined,
        // It was paid; but it may have been canceled since.
        subscription: {
          ...told(before, event, { status: 'active' }),
          current_period_end: end,
          ...(event.monthly_grant_stars !== undefined && { grant_at: grantAt(event, before) }),
        },
      },
    };
  },

  'subscription.changed': (event, { wallet, now, plan }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    const { tier, occurred_at } = event;
    const tierAt = before.tier_at ?? before.started_at;
    if (owner === 'earlier' || isBefore(occurred_at, tierAt)) return { wallet };
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    const subscription = {
      ...told(before, event, {}),
      tier,
      tier_at: latest(occurred_at, tierAt),
      grant_at: grantAt(event, before),
    };
    // A renewal that told what it gives was later.
    if (isBefore(occurred_at, before.grant_at)) return { wallet: { ...wallet, subscription } };
    if (!inPeriod(wallet, now)) {
      return {
        wallet: {
          ...wallet,
          monthly_grant_stars: grant,
          next_grant_stars: undefined,
          subscription,
        },
      };
    }
    // The grant of the period itself never shrinks, or going down and up again would give stars.
    const more = Math.max(0, grant - wallet.monthly_grant_stars);
    return {
      wallet: {
        ...wallet,
        monthly_stars: wallet.monthly_stars + more,
        monthly_grant_stars: wallet.monthly_grant_stars + more,
        next_grant_stars: grant,
        subscription,
      },
    };
  },

  'subscription.canceled': (event, { wallet }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    if (owner === 'earlier') return { wallet };
    return { wallet: { ...wallet, subscription: told(before, event, { status: 'canceled' }) } };
  },
};
