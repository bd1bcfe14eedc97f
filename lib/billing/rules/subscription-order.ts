import { nextGrant, type Subscription, type Wallet } from '../stored/wallet.ts';
import type { WalletEventOf, WalletEventType } from './wallet-events.ts';

// docs/decisions/wallet-rules.md
// Which subscription an event is about, and what of it is known of a later moment: events come in any order.

/** How many ids of earlier subscriptions are remembered: their late events are known by these. */
const mostFormer = 20;

type SubscriptionEventType = Extract<WalletEventType, `subscription.${string}`>;
export type SubscriptionEvent = WalletEventOf<SubscriptionEventType>;
type Occurrence = Pick<SubscriptionEvent, 'subscription_id' | 'occurred_at'>;

/** Whether one time is before another. False if one of them is unknown. */
export const isBefore = (time: number | undefined, other: number | undefined): boolean =>
  time !== undefined && other !== undefined && time < other;

export const latest = (time: number | undefined, other: number | undefined): number | undefined =>
  isBefore(time, other) ? other : (time ?? other);

/**
 * Whose event it is: one of an earlier subscription changes nothing. One of another that is not known may
 * have come before its start, and is refused, so that it is tried again.
 */
export const ownerOf = (
  { subscription_id: id, occurred_at }: Occurrence,
  { subscription, former_subscriptions }: Wallet,
): 'current' | 'earlier' | 'unknown' => {
  if (id !== undefined && id === subscription?.id) return 'current';
  if (id !== undefined && former_subscriptions.includes(id)) return 'earlier';
  if (isBefore(occurred_at, subscription?.started_at)) return 'earlier';
  return id !== undefined && subscription?.id !== undefined ? 'unknown' : 'current';
};

/** Whether a start is surely earlier than what is known of the subscription. */
export const isEarlierStart = (event: Occurrence, wallet: Wallet): boolean => {
  const before = wallet.subscription;
  if (!before || isNew(event, before)) return false;
  return isRepeated(event, before) || ownerOf(event, wallet) === 'earlier';
};

const isSame = ({ subscription_id: id }: Occurrence, before: Subscription | undefined): boolean =>
  id !== undefined && id === before?.id;

/** Whether a start is old: it is earlier than the last start, or it is the last start again, after later events. */
export const isRepeated = (event: Occurrence, before: Subscription): boolean =>
  isBefore(event.occurred_at, before.started_at) ||
  (event.occurred_at === before.started_at &&
    isSame(event, before) &&
    isBefore(event.occurred_at, before.occurred_at));

/** Whether a start is surely new: it is later than the last start, or only later events of its subscription have come. */
export const isNew = (event: Occurrence, before: Subscription): boolean => {
  const startedAt = before.started_at ?? before.occurred_at;
  if (event.occurred_at === undefined || startedAt === undefined) return false;
  if (isRepeated(event, before)) return false;
  return isSame(event, before) || !isBefore(event.occurred_at, startedAt);
};

/** Of statuses that were told of the same moment, the first of these counts. */
const ranking = ['canceled', 'paused', 'past_due', 'active'];

const outranks = (status: string, other: string): boolean => {
  const [rank, rankOfOther] = [status, other].map((one) => ranking.indexOf(one));
  return rankOfOther === -1 || (rank !== -1 && rank! <= rankOfOther!);
};

/** The subscription after an event about it. A status of a later moment stays. */
export const updateSubscription = (
  before: Subscription,
  event: Occurrence,
  status?: string,
): Subscription => {
  const { subscription_id, occurred_at } = event;
  const statusAt = before.status_at ?? before.started_at;
  const isLater =
    status !== undefined &&
    !isBefore(occurred_at, statusAt) &&
    (occurred_at === undefined || occurred_at !== statusAt || outranks(status, before.status));
  return {
    ...before,
    ...(isLater && { status }),
    id: subscription_id ?? before.id,
    occurred_at: latest(occurred_at, before.occurred_at),
    status_at: status === undefined ? statusAt : latest(occurred_at, statusAt),
  };
};

/** What a wallet becomes by the start of a subscription, its stars apart. */
export const startSubscription = (
  event: WalletEventOf<'subscription.started'>,
  wallet: Wallet,
  current_period_end: number,
): Partial<Wallet> => {
  const { subscription_id: id, tier, status, occurred_at } = event;
  const before = wallet.subscription;
  const former = before?.id === undefined ? [] : [before.id];
  return {
    subscription: {
      id,
      tier,
      status,
      current_period_end,
      started_at: occurred_at,
      occurred_at,
      status_at: occurred_at,
      tier_at: occurred_at,
      grant_at: occurred_at,
      ...(before && isSame(event, before) && factsAfter(event, before)),
    },
    former_subscriptions: formerOf(wallet, former, id),
  };
};

/** What is known of a later moment than that of the event. */
const factsAfter = (
  { occurred_at: at }: Occurrence,
  { tier, tier_at, status, status_at, grant_at, occurred_at }: Subscription,
): Partial<Subscription> => ({
  ...(isBefore(at, occurred_at) && { occurred_at }),
  ...(isBefore(at, status_at) && { status, status_at }),
  ...(isBefore(at, tier_at) && { tier, tier_at }),
  ...(isBefore(at, grant_at) && { grant_at }),
});

/** The ids of earlier subscriptions, with that of a start that came late: its other events change nothing either. */
export const addFormer = ({ subscription_id: id }: Occurrence, wallet: Wallet): string[] =>
  formerOf(wallet, id === undefined ? [] : [id], wallet.subscription?.id);

const formerOf = (
  { former_subscriptions }: Wallet,
  ids: readonly string[],
  current: string | undefined,
): string[] =>
  [...new Set([...ids, ...former_subscriptions])]
    .filter((one) => one !== current)
    .slice(0, mostFormer);

/** Whether a grant of the same subscription is known of a later moment than that of this event. */
export const isOutdated = (event: SubscriptionEvent, before: Subscription | undefined): boolean =>
  (event.type !== 'subscription.started' || isSame(event, before)) &&
  isBefore(event.occurred_at, before?.grant_at);

/** Whether an event tells its moment, and no grant of a later one is known. */
export const isNewGrant = ({ occurred_at }: Occurrence, before: Subscription): boolean =>
  occurred_at !== undefined && !isBefore(occurred_at, before.grant_at);

/** The grants of a period that begins, and of those after it. A change that came too early is as if it came now. */
export const grantsOf = (grant: number, event: SubscriptionEvent, wallet: Wallet) => {
  const next = isOutdated(event, wallet.subscription) ? nextGrant(wallet) : undefined;
  return { monthly_grant_stars: Math.max(grant, next ?? 0), next_grant_stars: next };
};
