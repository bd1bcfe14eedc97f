import { type Origin, ofTime } from '../../facts/origin.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import type { Balance } from '../stored/balance.ts';
import type { Guard } from '../stored/guard.ts';
import { sum } from '../stored/lots.ts';
import { type OpenHold, openHoldOf } from '../stored/open-hold.ts';
import type { Payment } from '../stored/payment.ts';
import type { Plan } from '../stored/plan.ts';
import type { Wallet } from '../stored/wallet.ts';
import { purposeOf } from '../terms/purpose.ts';
import type { Refusal } from '../terms/refusals.ts';
import { toBalance } from './balance.ts';
import { type Cause, expiryOf } from './causes.ts';
import { nextLapse } from './compartments.ts';
import { apply, type RuleResult } from './rules.ts';

/** What a cause is decided on. No hold of the wallet has expired. */
export interface WalletState {
  wallet: Wallet;
  /** Of the event or hold itself; undefined if nothing is known of it yet. */
  guard?: Guard | undefined;
  /** The plan of the event's tier. */
  plan?: Plan | undefined;
  /** The guard of the event that the cause names: a spend that is refunded, a purchase that is reversed. */
  target?: Guard | undefined;
  /** Whether another purchase has the payment that the cause names. */
  isPaymentUsed?: boolean;
}

/** What a cause makes of the state, and the entry that says so. */
export interface WalletStep extends RuleResult {
  guard?: Guard;
  target?: Guard | undefined;
  /** What a payment was for. */
  payment?: { id: string; purchase: Payment } | undefined;
  /** The hold that the clock has ended. No guard says that. */
  expired?: OpenHold;
}

/**
 * What becomes of the state by a cause at the wallet's time; or why the cause is refused. `origin`: who asked for it,
 * and by which request. Pure.
 */
export const stepOf = (
  { wallet, guard, plan, target, isPaymentUsed }: WalletState,
  cause: Cause,
  now: number,
  origin: Origin = ofTime,
): (WalletStep & { guard: Guard }) | Refusal => {
  if (isPaymentUsed) return 'payment_used';
  const hold = guard && openHoldOf(cause.event_id, guard);
  const { spend, purchase } = target ?? {};
  const step = apply(wallet, cause, now, { plan, spend, purchase, hold });
  if (typeof step === 'string') return step;
  return {
    ...step,
    entry: { ...step.entry, user_id: origin.by, request_id: origin.requestId },
    guard: guardAfter(cause, guard, step, now, origin.by ?? undefined),
    target: target && targetAfter(cause, target, step),
    payment: paymentOf(cause),
  };
};

const paymentOf = (cause: Cause): WalletStep['payment'] => {
  if (cause.type !== 'pack.purchased' || cause.payment === undefined) return undefined;
  const { payment: id, organization_id, event_id, stars, amount } = cause;
  return { id, purchase: { organization_id, event_id, stars, amount } };
};

/** What is known of a spend or purchase after its refund or reversal: each one counts those before it. */
const targetAfter = (cause: Cause, guard: Guard, { purchase }: RuleResult): Guard | undefined => {
  const { spend } = guard;
  if (cause.type === 'pack.reversed') return { ...rewritten(guard), purchase };
  if (cause.type !== 'stars.refunded' || !spend) return undefined;
  return { ...rewritten(guard), spend: { ...spend, refunded: spend.refunded + cause.stars } };
};

const askedStars = (cause: Cause, { hold }: Guard): number =>
  cause.type === 'hold.captured' ? (cause.stars ?? sum(hold?.lots ?? [])) : 0;

const rewritten = (guard: Guard): Guard => ({ ...guard, version: guard.version + 1 });

const guardAfter = (
  cause: Cause,
  before: Guard | undefined,
  { wallet, takenLots: lots, purchase }: RuleResult,
  now: number,
  user_id: string | undefined,
): Guard => {
  const balance: Balance = toBalance(wallet, now);
  const guard: Guard = before
    ? rewritten(before)
    : { version: 1, fingerprint: fingerprintOf(cause), balance };
  switch (cause.type) {
    case 'stars.spent':
      return { ...guard, spend: { lots, refunded: 0, user_id, ...purposeOf(cause) } };
    case 'pack.purchased':
      return { ...guard, purchase };
    case 'stars.held':
      return { ...guard, hold: { expires_at: expiryOf(cause, now), lots, ...purposeOf(cause) } };
    case 'hold.extended':
      return { ...guard, extended_to: expiryOf(cause, now) };
    case 'hold.captured':
    case 'hold.released':
      return {
        ...guard,
        hold_end: { type: cause.type, asked: askedStars(cause, guard), stars: sum(lots), balance },
        ...(lots.length > 0 && {
          spend: { lots, refunded: 0, user_id, ...purposeOf(guard.hold ?? {}) },
        }),
      };
    default:
      return guard;
  }
};

/** Holds that have expired by a time, the soonest first, and when the hold after them expires. */
export interface ExpiredHolds {
  expired: readonly OpenHold[];
  next?: number | undefined;
}

/**
 * What the clock does to a wallet until a time: stars lapse and holds expire, each at its own time and in that order, as if a
 * job had written each down then.
 */
export const passTime = (
  wallet: Wallet,
  { expired, next }: ExpiredHolds,
  until: number,
): WalletStep[] => {
  const steps: WalletStep[] = [];
  const now = () => steps.at(-1)?.wallet ?? wallet;
  const lapseBy = (time: number) => {
    for (let at = nextLapse(now()); at !== undefined && at <= time; at = nextLapse(now())) {
      steps.push(stepAt(at, now(), { type: 'stars.lapsed', event_id: null }));
    }
  };
  for (const [i, hold] of expired.entries()) {
    lapseBy(hold.expires_at);
    const related = { hold, nextHoldExpiry: expired[i + 1]?.expires_at ?? next };
    const cause = { type: 'hold.expired', event_id: hold.hold_id } as const;
    steps.push({ ...stepAt(hold.expires_at, now(), cause, related), expired: hold });
  }
  lapseBy(until);
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
