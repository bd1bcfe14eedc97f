import { inPeriod, nextGrant, type Subscription, type Wallet } from '../stored/wallet.ts';
import type { RulesOf } from './causes.ts';
import {
  addFormer,
  grantsOf,
  isBefore,
  isEarlierStart,
  isNew,
  isNewGrant,
  isOutdated,
  latest,
  ownerOf,
  type SubscriptionEvent,
  startSubscription,
  updateSubscription,
} from './subscription-order.ts';

/** Of a period that is over already, nothing is left to give. */
const limitGrant = (stars: number, end: number, now: number): number => (now < end ? stars : 0);

/** The monthly stars of the current period that no hold has. */
const freeMonthly = ({ monthly_stars, held }: Wallet): number => monthly_stars - held.monthly;

const grantAt = ({ occurred_at }: SubscriptionEvent, { grant_at }: Subscription) =>
  latest(occurred_at, grant_at);

/**
 * The wallet with another grant. Within a period, a greater grant gives the difference at once. A smaller one waits for
 * the next period: else going down and up again would give stars.
 */
const withGrant = (grant: number, wallet: Wallet, now: number): Wallet => {
  if (!inPeriod(wallet, now)) return { ...wallet, monthly_grant_stars: grant };
  const more = Math.max(0, grant - wallet.monthly_grant_stars);
  return {
    ...wallet,
    monthly_stars: wallet.monthly_stars + more,
    monthly_grant_stars: wallet.monthly_grant_stars + more,
    next_grant_stars: grant,
  };
};

export const subscriptionRules: RulesOf<SubscriptionEvent> = {
  'subscription.started': (event, { wallet, now, plan }) => {
    const { current_period_end: end } = event;
    const before = wallet.subscription;
    const unchanged = { wallet: { ...wallet, former_subscriptions: addFormer(event, wallet) } };
    if (isEarlierStart(event, wallet)) return unchanged;
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    if (!before || end > before.current_period_end) {
      const grants = grantsOf(grant, event, wallet);
      return {
        wallet: {
          ...wallet,
          ...startSubscription(event, wallet, end),
          ...grants,
          monthly_stars: wallet.held.monthly + limitGrant(grants.monthly_grant_stars, end, now),
        },
      };
    }
    // The period was granted before: it is taken over whole, gives the larger grant, and that once.
    const isOver = now >= end || isBefore(event.occurred_at, before.occurred_at);
    if (isOver && !isNew(event, before)) return unchanged;
    const more = Math.max(0, limitGrant(grant - wallet.monthly_grant_stars, end, now));
    return {
      wallet: {
        ...wallet,
        ...startSubscription(event, wallet, before.current_period_end),
        monthly_stars: wallet.monthly_stars + more,
        monthly_grant_stars: wallet.monthly_grant_stars + more,
        next_grant_stars: isOutdated(event, before) ? nextGrant(wallet) : grant,
      },
    };
  },

  'subscription.renewed': (event, { wallet, now }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    const { current_period_end: end } = event;
    if (owner === 'earlier') return { wallet };
    const grant = event.monthly_grant_stars;
    if (end <= before.current_period_end) {
      if (grant === undefined || !isNewGrant(event, before)) return { wallet };
      // The renewal that followed it may have come first, and have given the grant that was known by then.
      const subscription = { ...before, grant_at: grantAt(event, before) };
      return { wallet: { ...withGrant(grant, wallet, now), subscription } };
    }
    const grants = grantsOf(grant ?? nextGrant(wallet), event, wallet);
    return {
      lapsed: { monthly: freeMonthly(wallet) },
      wallet: {
        ...wallet,
        ...grants,
        monthly_stars: wallet.held.monthly + limitGrant(grants.monthly_grant_stars, end, now),
        // A renewal was paid; but the subscription may have been canceled since.
        subscription: {
          ...updateSubscription(before, event, 'active'),
          current_period_end: end,
          ...(grant !== undefined && { grant_at: grantAt(event, before) }),
        },
      },
    };
  },

  'subscription.changed': (event, { wallet, now, plan }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    if (owner === 'earlier') return { wallet };
    const { tier, status, occurred_at } = event;
    const changed = updateSubscription(before, event, status);
    const tierAt = before.tier_at ?? before.started_at;
    if (tier === undefined || isBefore(occurred_at, tierAt)) {
      return { wallet: { ...wallet, subscription: changed } };
    }
    const grant = event.monthly_grant_stars ?? plan?.monthly_grant_stars;
    if (grant === undefined) return 'unknown_plan';
    const subscription = {
      ...changed,
      tier,
      tier_at: latest(occurred_at, tierAt),
      grant_at: grantAt(event, before),
    };
    // A renewal that told what it gives was later.
    if (isBefore(occurred_at, before.grant_at)) return { wallet: { ...wallet, subscription } };
    return { wallet: { ...withGrant(grant, wallet, now), subscription } };
  },

  'subscription.canceled': (event, { wallet }) => {
    const before = wallet.subscription;
    if (!before) return 'no_subscription';
    const owner = ownerOf(event, wallet);
    if (owner === 'unknown') return 'other_subscription';
    if (owner === 'earlier') return { wallet };
    return { wallet: { ...wallet, subscription: updateSubscription(before, event, 'canceled') } };
  },
};
