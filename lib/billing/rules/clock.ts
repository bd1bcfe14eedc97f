import type { OpenHold } from '../stored/open-hold.ts';
import type { Wallet } from '../stored/wallet.ts';
import { nextLapse } from './compartments.ts';
import { apply } from './rules.ts';
import type { WalletStep } from './step.ts';

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
