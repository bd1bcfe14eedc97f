import { nothingReversed } from '../stored/reversal.ts';
import { emptySubscription, type Subscription, type Wallet } from '../stored/wallet.ts';
import { mostLines, type Refusal } from '../terms/refusals.ts';
import type { Effect, Facts, RulesOf } from './causes.ts';
import { forgivingLines, paidUntil } from './months/grants.ts';
import { linesOf, type SubscriptionPaid } from './months/paid-period.ts';
import { addLines, keptLines } from './months/wallet-months.ts';
import { withStatus } from './subscription-status.ts';
import type { WalletEventOf } from './wallet-events.ts';

type SubscriptionEvent = WalletEventOf<
  'subscription.paid' | 'subscription.changed' | 'subscription.canceled'
>;

/** How many ids of earlier subscriptions are remembered: their late statuses are known by these. */
const mostFormer = 20;

// docs/decisions/paid-lines.md
export const subscriptionRules: RulesOf<SubscriptionEvent> = {
  'subscription.paid': (event, { wallet, now, plan }) => {
    const owned = owner(event, wallet, now);
    if (typeof owned === 'string') return owned;
    const lines = linesOf(event, owned, now, plan);
    if (typeof lines === 'string') return lines;
    const kept = keptLines(owned, now).filter(({ share }) => !share);
    if (kept.length + lines.length > mostLines) return 'too_many_lines';
    const effect = addLines(owned, owned.subscription, lines, now);
    const payment = {
      lines: [...lines],
      amount: event.amount,
      ...nothingReversed,
      forgiven_stars: 0,
      ...(!effect.wallet.month && { served_from: now }),
    };
    return { ...effect, payment };
  },

  'subscription.changed': (event, facts) => setStatus(event, facts, event.status),

  'subscription.canceled': (event, facts) => setStatus(event, facts, 'canceled'),
};

type OwnedWallet = Wallet & { subscription: Subscription };

/**
 * The wallet with the subscription that is paid; without an id, that is the wallet's own. Another subscription takes over
 * the wallet if nothing that was paid is left of the wallet's own, as it is over or was credited.
 */
const owner = (
  { subscription_id: id, grace_minutes }: SubscriptionPaid,
  wallet: Wallet,
  now: number,
): OwnedWallet | Refusal => {
  const { subscription: own = emptySubscription, former_subscriptions } = wallet;
  const withGrace = (subscription: Subscription) => ({
    ...subscription,
    grace_minutes: grace_minutes ?? subscription.grace_minutes,
  });
  if (id === undefined || own.id === undefined || own.id === id) {
    return { ...wallet, subscription: withGrace({ ...own, id: id ?? own.id }) };
  }
  const lines = keptLines(wallet, now);
  // Nothing was paid for a trial: once a trial is canceled, another subscription may take over the wallet.
  const paid = own.status === 'canceled' ? lines.filter(({ trial }) => !trial) : lines;
  if ((paidUntil(paid) ?? now) > now) return 'other_subscription';
  const former = [own.id, ...former_subscriptions].filter((one) => one !== id);
  const subscription = {
    ...emptySubscription,
    id,
    tier: own.tier,
    grace_minutes: own.grace_minutes,
    // The last month's stars may not have lapsed yet. What was credited beyond is not for the new subscription to pay.
    lines: [...own.lines, ...forgivingLines(lines, now)],
  };
  return {
    ...wallet,
    subscription: withGrace(subscription),
    former_subscriptions: former.slice(0, mostFormer),
  };
};

const setStatus = (
  { subscription_id: id, occurred_at }: Omit<SubscriptionEvent, 'type'>,
  { wallet }: Pick<Facts, 'wallet'>,
  status: string,
): Effect | Refusal => {
  const { subscription: own, former_subscriptions } = wallet;
  if (!own) return 'no_subscription';
  if (id !== undefined && own.id !== undefined && id !== own.id) {
    return former_subscriptions.includes(id) ? { wallet } : 'other_subscription';
  }
  const subscription = withStatus({ ...own, id: id ?? own.id }, status, occurred_at);
  return { wallet: { ...wallet, subscription } };
};
