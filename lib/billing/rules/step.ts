import { type Origin, ofTime } from '../../facts/origin.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import type { Balance } from '../stored/balance.ts';
import type { EventRecord } from '../stored/event-record.ts';
import type { ChangedCounter } from '../stored/limits/spend-counter.ts';
import { sum } from '../stored/lots.ts';
import { type OpenHold, openHoldOf } from '../stored/open-hold.ts';
import type { Payment } from '../stored/payment.ts';
import type { Plan } from '../stored/plan.ts';
import type { Wallet } from '../stored/wallet.ts';
import { purposeOf } from '../terms/purpose.ts';
import type { Refusal } from '../terms/refusals.ts';
import { toBalance } from './balance.ts';
import { type Cause, expiryOf, reversedEventOf } from './causes.ts';
import { nextTick } from './compartments.ts';
import { afterTrial, withFirstTrial } from './first-trial.ts';
import { apply, type RuleResult } from './rules.ts';

/** What a cause is decided on. No hold of the wallet has expired. */
export interface WalletState {
  wallet: Wallet;
  /** The record of the event or hold itself; undefined if it is new. */
  record?: EventRecord | undefined;
  /** The plan of the event's tier. */
  plan?: Plan | undefined;
  /** The record of the event that the cause names: a spend that is refunded, a purchase that is reversed. */
  target?: EventRecord | undefined;
  /** Whether another purchase has the payment that the cause names. */
  isPaymentUsed?: boolean;
  /** The subscription of Stripe that the cause is about, and whose it is, if that is kept. */
  subscription?: { id: string; owner?: string | undefined } | undefined;
  /** The most that a capture may take beyond its hold, with `up_to_available`. */
  mostBeyond?: number | undefined;
  /** The fingerprint of the request, where the cause says more than the request did. */
  fingerprint?: string | undefined;
}

/** What a cause makes of the state, and the entry that says so. */
export interface WalletStep extends RuleResult {
  record?: EventRecord;
  target?: EventRecord | undefined;
  /** What a payment was for. */
  paid?: { id: string; by: Payment } | undefined;
  /** Whose a subscription is, which was not kept before. */
  owner?: { subscription: string; organization_id: string } | undefined;
  /** The hold that the clock has ended. No record says that. */
  expired?: OpenHold;
  /** The counters of spends that are others by now. */
  counters?: ReadonlyMap<string, ChangedCounter>;
}

/**
 * What becomes of the state by a cause at the wallet's time; or why the cause is refused. `origin`: who asked for it,
 * and by which request. Pure.
 */
export const stepOf = (
  { wallet, record, plan, target, isPaymentUsed, subscription, ...state }: WalletState,
  asked: Cause,
  now: number,
  origin: Origin = ofTime,
): (WalletStep & { record: EventRecord }) | Refusal => {
  if (isPaymentUsed) return 'payment_used';
  const owner = subscription && ownerOf(subscription, asked);
  if (owner === 'other_owner') return owner;
  const cause = withFirstTrial(asked, wallet);
  const fingerprint = state.fingerprint ?? fingerprintOf(asked);
  const hold = record && openHoldOf(cause.event_id, record);
  const { spend, purchase, payment } = target ?? {};
  const step = apply(wallet, cause, now, {
    ...{ plan, spend, purchase, payment, hold },
    mostBeyond: state.mostBeyond,
  });
  if (typeof step === 'string') return step;
  return {
    ...step,
    entry: { ...step.entry, user_id: origin.by, request_id: origin.requestId },
    wallet: afterTrial(cause, step.wallet),
    record: recordAfter(cause, record, { ...step, fingerprint }, now, origin.by ?? undefined),
    target: target && targetAfter(cause, target, step),
    paid: paidOf(cause),
    owner,
  };
};

type Owner = NonNullable<WalletStep['owner']>;

/** Whose a subscription is by a cause, if that has to be kept. */
const ownerOf = (
  { id, owner }: NonNullable<WalletState['subscription']>,
  cause: Cause,
): Owner | 'other_owner' | undefined => {
  if (!('organization_id' in cause)) return undefined;
  const { organization_id } = cause;
  if (owner === undefined) return { subscription: id, organization_id };
  return owner === organization_id ? undefined : 'other_owner';
};

const paidOf = (cause: Cause): WalletStep['paid'] => {
  if (!('payment' in cause) || cause.payment === undefined) return undefined;
  const { type, payment: id, organization_id, event_id } = cause;
  return { id, by: { type, organization_id, event_id } };
};

/** What is known of a spend or purchase after its refund or reversal: each counts those before it. */
const targetAfter = (
  cause: Cause,
  record: EventRecord,
  { purchase, payment }: RuleResult,
): EventRecord | undefined => {
  const { spend } = record;
  if (reversedEventOf(cause)) return { ...rewritten(record), purchase, payment };
  if (cause.type !== 'stars.refunded' || !spend) return undefined;
  return { ...rewritten(record), spend: { ...spend, refunded: spend.refunded + cause.stars } };
};

const askedStars = (cause: Cause, { hold }: EventRecord): number =>
  cause.type === 'hold.captured' ? (cause.stars ?? sum(hold?.lots ?? [])) : 0;

const rewritten = (record: EventRecord): EventRecord => ({
  ...record,
  version: record.version + 1,
});

const recordAfter = (
  cause: Cause,
  before: EventRecord | undefined,
  { wallet, takenLots: lots, purchase, payment, fingerprint }: RuleResult & { fingerprint: string },
  now: number,
  user_id: string | undefined,
): EventRecord => {
  const balance: Balance = toBalance(wallet, now);
  const record: EventRecord = before ? rewritten(before) : { version: 1, fingerprint, balance };
  switch (cause.type) {
    case 'stars.spent':
      return { ...record, spend: { lots, refunded: 0, user_id, ...purposeOf(cause) } };
    case 'pack.purchased':
      return { ...record, purchase };
    case 'subscription.paid':
      return { ...record, payment };
    case 'stars.held':
      return { ...record, hold: { expires_at: expiryOf(cause, now), lots, ...purposeOf(cause) } };
    case 'hold.extended':
      return { ...record, extended_to: expiryOf(cause, now) };
    case 'hold.captured':
    case 'hold.released':
      return {
        ...record,
        hold_end: { type: cause.type, asked: askedStars(cause, record), stars: sum(lots), balance },
        ...(lots.length > 0 && {
          spend: { lots, refunded: 0, user_id, ...purposeOf(record.hold ?? {}) },
        }),
      };
    default:
      return record;
  }
};

/** Holds that have expired by a time, the soonest first, and when the hold after them expires. */
export interface ExpiredHolds {
  expired: readonly OpenHold[];
  next?: number | undefined;
}

/**
 * What the clock does to a wallet until a time: months begin, stars lapse and holds expire, each at its own time and in that
 * order, as if a job had written each down then.
 */
export const passTime = (
  wallet: Wallet,
  { expired, next }: ExpiredHolds,
  until: number,
): WalletStep[] => {
  const steps: WalletStep[] = [];
  const now = () => steps.at(-1)?.wallet ?? wallet;
  const tickBy = (time: number) => {
    for (let next = nextTick(now()); next && next.at <= time; next = nextTick(now())) {
      steps.push(stepAt(next.at, now(), next.tick));
    }
  };
  for (const [i, hold] of expired.entries()) {
    tickBy(hold.expires_at);
    const related = { hold, nextHoldExpiry: expired[i + 1]?.expires_at ?? next };
    const cause = { type: 'hold.expired', event_id: hold.hold_id } as const;
    steps.push({ ...stepAt(hold.expires_at, now(), cause, related), expired: hold });
  }
  tickBy(until);
  return steps;
};

const stepAt = (
  at: number,
  wallet: Wallet,
  ...[cause, related]: [Parameters<typeof apply>[1], Parameters<typeof apply>[3]?]
) => {
  const step = apply(wallet, cause, at, related);
  if (typeof step === 'string') throw new Error(`${cause.type} was refused: ${step}`);
  return step;
};
