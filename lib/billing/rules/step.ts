import { type Origin, ofTime } from '../../facts/origin.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import type { Balance } from '../stored/balance.ts';
import type { Guard } from '../stored/guard.ts';
import { sum } from '../stored/lots.ts';
import { type OpenHold, openHoldOf } from '../stored/open-hold.ts';
import type { Plan } from '../stored/plan.ts';
import type { Wallet } from '../stored/wallet.ts';
import { purposeOf } from '../terms/purpose.ts';
import type { Refusal } from '../terms/refusals.ts';
import { toBalance } from './balance.ts';
import { type Cause, expiryOf } from './causes.ts';
import { apply, type RuleResult } from './rules.ts';

/** What a cause is decided on. No hold of the wallet has expired. */
export interface WalletState {
  wallet: Wallet;
  /** Of the event or hold itself; undefined if nothing is known of it yet. */
  guard?: Guard | undefined;
  /** The plan of the event's tier. */
  plan?: Plan | undefined;
  /** The guard of the spend that is refunded. */
  spend?: Guard | undefined;
}

/** What a cause makes of the state, and the entry that says so. */
export interface WalletStep extends RuleResult {
  guard?: Guard;
  spend?: Guard;
  /** The hold that the clock has ended. No guard says that. */
  expired?: OpenHold;
}

/**
 * What becomes of the state by a cause at the wallet's time; or why the cause is refused. `origin`: who asked for it,
 * and by which request. Pure.
 */
export const stepOf = (
  { wallet, guard, plan, spend }: WalletState,
  cause: Cause,
  now: number,
  origin: Origin = ofTime,
): (WalletStep & { guard: Guard }) | Refusal => {
  const hold = guard && openHoldOf(cause.event_id, guard);
  const step = apply(wallet, cause, now, { plan, spend: spend?.spend, hold });
  if (typeof step === 'string') return step;
  return {
    ...step,
    entry: { ...step.entry, user_id: origin.by, request_id: origin.requestId },
    guard: guardAfter(cause, guard, step, now, origin.by ?? undefined),
    ...(cause.type === 'stars.refunded' && spend && { spend: withRefund(spend, cause.stars) }),
  };
};

/** All refunds of a spend together never exceed it: each one counts those before it. */
const withRefund = (guard: Guard, stars: number): Guard => {
  const { spend } = guard;
  return {
    ...rewritten(guard),
    ...(spend && { spend: { ...spend, refunded: spend.refunded + stars } }),
  };
};

const rewritten = (guard: Guard): Guard => ({ ...guard, version: guard.version + 1 });

const guardAfter = (
  cause: Cause,
  before: Guard | undefined,
  { wallet, takenLots: lots }: RuleResult,
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
    case 'stars.held':
      return { ...guard, hold: { expires_at: expiryOf(cause, now), lots, ...purposeOf(cause) } };
    case 'hold.extended':
      return { ...guard, extended_to: expiryOf(cause, now) };
    case 'hold.captured':
    case 'hold.released':
      return {
        ...guard,
        hold_end: { type: cause.type, stars: sum(lots), balance },
        ...(lots.length > 0 && {
          spend: { lots, refunded: 0, user_id, ...purposeOf(guard.hold ?? {}) },
        }),
      };
    default:
      return guard;
  }
};

/**
 * What each of these holds does as it expires, the soonest first, each at its own time: as if a job had written it off
 * at that time. `next` is when the hold after them expires.
 */
export const expire = (
  wallet: Wallet,
  holds: readonly OpenHold[],
  next: number | undefined,
): WalletStep[] => {
  const steps: WalletStep[] = [];
  for (const [i, hold] of holds.entries()) {
    const before = steps.at(-1)?.wallet ?? wallet;
    const related = { hold, nextHoldExpiry: holds[i + 1]?.expires_at ?? next };
    const cause = { type: 'hold.expired', event_id: hold.hold_id } as const;
    const step = apply(before, cause, hold.expires_at, related);
    if (typeof step === 'string') throw new Error(`an expiry was refused: ${step}`);
    steps.push({ ...step, expired: hold });
  }
  return steps;
};
