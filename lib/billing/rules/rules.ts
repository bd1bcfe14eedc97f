import type { LedgerEntry } from '../ledger.ts';
import type { Refusal } from '../refusals.ts';
import { mostInCompartment } from '../stars.ts';
import { availableStars, heldStars, timeOf, type Wallet } from '../wallet.ts';
import type { About, Cause, Change, Facts, RulesOf } from './causes.ts';
import { lapse, type Part } from './compartments.ts';
import { holdRules } from './hold-rules.ts';
import { starRules } from './star-rules.ts';
import { subscriptionRules } from './subscription-rules.ts';

export interface Applied {
  wallet: Wallet;
  entry: LedgerEntry;
  taken: readonly Part[];
  /** The alerts that it sets off: thresholds that the available stars fell to, 0 for the last star. */
  crossed: readonly number[];
}

/**
 * What each cause does to each compartment, hold and pack. Lapsed stars are never in the wallet that a rule
 * sees, and held ones never in its free parts.
 */
const rules: RulesOf<Cause> = { ...subscriptionRules, ...starRules, ...holdRules };

// docs/decisions/wallet-rules.md
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
      reason: reasonOf(cause, about),
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

/** What ends a hold, and a refund that gives no reason, has the reason of the hold or spend. */
const reasonOf = (cause: Cause, { hold, spend }: About): string | null =>
  ('reason' in cause ? cause.reason : undefined) ?? hold?.reason ?? spend?.reason ?? null;

/** Only entries set off alerts: what lapses by the clock alone, the next entry tells of. */
const crossed = (wallet: Wallet, after: Wallet): number[] => {
  const [before, left] = [availableStars(wallet), availableStars(after)];
  return [...after.thresholds, 0].filter((threshold) => before > threshold && left <= threshold);
};
