import { type LedgerEntry, starsOf, withUsed } from '../stored/ledger-entry.ts';
import type { Lot } from '../stored/lots.ts';
import type { Notice } from '../stored/notice.ts';
import type { Purchase, SubscriptionPayment } from '../stored/purchase.ts';
import { availableStars, heldStars, timeOf, type Wallet } from '../stored/wallet.ts';
import { type Purpose, toldPurpose } from '../terms/purpose.ts';
import type { Refusal } from '../terms/refusals.ts';
import { mostInCompartment } from '../terms/stars.ts';
import {
  type AnyCause,
  type Effect,
  type Facts,
  type RelatedFacts,
  type RulesOf,
  reversedEventOf,
} from './causes.ts';
import { lapse, payOwed } from './compartments.ts';
import { holdRules } from './hold-rules.ts';
import { beginNextMonth } from './months/wallet-months.ts';
import { packReversalRules } from './reversals/pack-reversal.ts';
import { subscriptionReversalRules } from './reversals/subscription-reversal.ts';
import { starRules } from './star-rules.ts';
import { subscriptionRules } from './subscription-rules.ts';

export interface RuleResult {
  wallet: Wallet;
  entry: LedgerEntry;
  /** Stars that were spent or held. */
  takenLots: Lot[];
  /** The purchase that was made or reversed. */
  purchase?: Purchase | undefined;
  /** The payment of a subscription that was made, or was reversed. */
  payment?: SubscriptionPayment | undefined;
  /** Notices that go beside the entry. */
  notices: readonly Notice[];
  /** Whether stars were paid that no month can have. */
  unserved: boolean;
}

/**
 * What each cause does to each compartment, hold and pack. The wallet that a rule gets has no lapsed stars, and its free
 * lots have no held stars.
 */
const rules: RulesOf<AnyCause> = {
  ...subscriptionRules,
  ...starRules,
  ...packReversalRules,
  ...subscriptionReversalRules,
  ...holdRules,
  'stars.granted': (_tick, { wallet, now }) => beginNextMonth(wallet, now, mostInCompartment),
  'stars.lapsed': (_tick, { wallet }) => ({ wallet }),
};

// docs/decisions/wallet-rules.md
/**
 * What a wallet becomes by a cause, the entry that says so and what it sets off; or why it is refused.
 * Pure: the same input has the same result.
 */
export const apply = (
  wallet: Wallet,
  cause: AnyCause,
  clock: number,
  related: RelatedFacts = {},
): RuleResult | Refusal => {
  const now = timeOf(wallet, clock);
  const { current, lapsed } = lapse(wallet, now);
  const rule = rules[cause.type] as (cause: AnyCause, facts: Facts) => Effect | Refusal;
  const effect = rule(cause, { ...related, wallet: current, now });
  if (typeof effect === 'string') return effect;
  const { wallet: paid } = payOwed(effect.wallet);
  const after: Wallet = { ...paid, version: wallet.version + 1, at: now };
  const { monthly_stars, pack_stars, owed_stars } = after;
  if (Math.max(monthly_stars, pack_stars, owed_stars) > mostInCompartment) return 'too_many_stars';
  const monthly_lapsed = lapsed.monthly + (effect.lapsed?.monthly ?? 0);
  const pack_lapsed = lapsed.pack + (effect.lapsed?.pack ?? 0);
  const monthly_change = monthly_stars - wallet.monthly_stars + monthly_lapsed;
  const pack_change = pack_stars - wallet.pack_stars + pack_lapsed;
  const owed_change = owed_stars - wallet.owed_stars;
  const entry: LedgerEntry = {
    version: after.version,
    at: new Date(now).toISOString(),
    written_at: null,
    type: cause.type,
    event_id: cause.event_id,
    user_id: null,
    request_id: null,
    refunds: 'refunds' in cause ? cause.refunds : null,
    reverses: reversedEventOf(cause) ?? null,
    ...toldPurpose(cause as Purpose, related.hold, related.spend),
    stars: starsOf({ monthly_change, pack_change, owed_change }),
    monthly_lapsed,
    pack_lapsed,
    monthly_change,
    pack_change,
    held_change: heldStars(after) - heldStars(wallet),
    owed_change,
    monthly_after: monthly_stars,
    pack_after: pack_stars,
    held_after: heldStars(after),
    owed_after: owed_stars,
    lost: (effect.lost ?? []).map(({ compartment, stars, expires_at = 0 }) => ({
      compartment,
      stars,
      expires_at: new Date(expires_at).toISOString(),
    })),
  };
  return {
    wallet: { ...after, used: withUsed(wallet.used, entry) },
    entry,
    takenLots: effect.takenLots ?? [],
    purchase: effect.purchase,
    payment: effect.payment,
    notices: noticesOf(wallet, after),
    unserved: effect.unserved ?? false,
  };
};

/**
 * A notice for each threshold that the available stars fell to; `stars.depleted` for the last star. Only entries have
 * notices: for the clock's work, they come when its entry is written.
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
