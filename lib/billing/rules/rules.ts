import type { LedgerEntry } from '../stored/ledger-entry.ts';
import type { Lot } from '../stored/lots.ts';
import type { Notice } from '../stored/notice.ts';
import { availableStars, heldStars, timeOf, type Wallet } from '../stored/wallet.ts';
import { type Purpose, toldPurpose } from '../terms/purpose.ts';
import type { Refusal } from '../terms/refusals.ts';
import { mostInCompartment } from '../terms/stars.ts';
import type { Cause, Effect, Facts, RelatedFacts, RulesOf } from './causes.ts';
import { lapse } from './compartments.ts';
import { holdRules } from './hold-rules.ts';
import { starRules } from './star-rules.ts';
import { subscriptionRules } from './subscription-rules.ts';

export interface RuleResult {
  wallet: Wallet;
  entry: LedgerEntry;
  /** Stars that were spent or held. */
  takenLots: Lot[];
  /** What is told beside the entry. */
  notices: readonly Notice[];
}

/**
 * What each cause does to each compartment, hold and pack. Lapsed stars are never in the wallet that a rule
 * sees, and held ones never in its free lots.
 */
const rules: RulesOf<Cause> = { ...subscriptionRules, ...starRules, ...holdRules };

// docs/decisions/wallet-rules.md
/**
 * What a wallet becomes by a cause, the entry that says so and what it sets off; or why it is refused.
 * Pure: the same input has the same result.
 */
export const apply = (
  wallet: Wallet,
  cause: Cause,
  clock: number,
  related: RelatedFacts = {},
): RuleResult | Refusal => {
  const now = timeOf(wallet, clock);
  const { current, lapsed } = lapse(wallet, now);
  const rule = rules[cause.type] as (cause: Cause, facts: Facts) => Effect | Refusal;
  const effect = rule(cause, { ...related, wallet: current, now });
  if (typeof effect === 'string') return effect;
  const after: Wallet = { ...effect.wallet, version: wallet.version + 1, at: now };
  if (Math.max(after.monthly_stars, after.pack_stars) > mostInCompartment) return 'too_many_stars';
  const monthly_lapsed = lapsed.monthly + (effect.lapsed?.monthly ?? 0);
  const pack_lapsed = lapsed.pack + (effect.lapsed?.pack ?? 0);
  return {
    wallet: after,
    takenLots: effect.takenLots ?? [],
    notices: noticesOf(wallet, after),
    entry: {
      version: after.version,
      at: new Date(now).toISOString(),
      type: cause.type,
      event_id: cause.event_id,
      user_id: null,
      request_id: null,
      refunds: 'refunds' in cause ? cause.refunds : null,
      ...toldPurpose(cause as Purpose, related.hold, related.spend),
      monthly_lapsed,
      pack_lapsed,
      monthly_change: after.monthly_stars - wallet.monthly_stars + monthly_lapsed,
      pack_change: after.pack_stars - wallet.pack_stars + pack_lapsed,
      held_change: heldStars(after) - heldStars(wallet),
      monthly_after: after.monthly_stars,
      pack_after: after.pack_stars,
      held_after: heldStars(after),
      lost: (effect.lost ?? []).map(({ expires_at = 0, ...lot }) => ({
        ...lot,
        expires_at: new Date(expires_at).toISOString(),
      })),
    },
  };
};

/**
 * One for each threshold that the available stars fell to, `stars.depleted` for the last star. Only entries have them:
 * what lapses by the clock alone, the next entry tells of.
 */
const noticesOf = (wallet: Wallet, after: Wallet): Notice[] => {
  const [before, available_stars] = [availableStars(wallet), availableStars(after)];
  return [...after.thresholds, 0]
    .filter((threshold) => before > threshold && available_stars <= threshold)
    .map((threshold) =>
      threshold > 0
        ? { type: 'stars.low', threshold, available_stars }
        : { type: 'stars.depleted' },
    );
};
