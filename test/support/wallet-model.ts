// What a model of a wallet answers, so that it can be compared with the rules: test/unit/billing/model/side-by-side.ts. A model
// is written from docs/stars.md alone, and imports nothing of lib. Times are in milliseconds since the epoch, lengths too.

export interface ModelLine {
  from: number;
  until: number;
  monthly_grant_stars: number;
  tier?: string;
  proration?: boolean;
  part?: boolean;
  trial?: boolean;
}

interface OfSubscription {
  subscription_id?: string;
  occurred_at?: number;
}

interface OfReversal {
  /** By default the step's own id. */
  source?: string;
  amount?: number;
  claw_back?: boolean;
  occurred_at?: number;
}

interface Told {
  'subscription.paid': OfSubscription & { amount?: number; grace_minutes?: number } & (
      | { lines: ModelLine[] }
      /** The only plan is `pro`, of `planStars` a month. Another tier is refused. */
      | { tier: string; period_end: number; period_start?: number; quantity?: number }
    );
  'subscription.changed': OfSubscription & { status: string };
  'subscription.canceled': OfSubscription;
  'subscription.reversed': OfReversal & { paid: string };
  'pack.purchased': { stars: number; expires_at?: number; amount?: number };
  'pack.reversed': OfReversal & { purchase: string; stars?: number };
  'stars.spent': { stars: number };
  'stars.refunded': { stars: number; refunds: string };
  'stars.adjusted': { monthly_change?: number; pack_change?: number; owed_change?: number };
  hold: { stars: number; expires_in: number };
  extend: { expires_in: number };
  capture: { stars?: number; up_to_available?: boolean };
  release: object;
}
export type StepType = keyof Told;

/**
 * Something that is asked of the wallet. Events and holds have ids of their own; one that comes again with its id is a repeat.
 * `extend`, `capture` and `release` have the id of their hold. Names may be of nothing that is known.
 */
export type Step<T extends StepType = StepType> = {
  [K in T]: { type: K; id: string } & Told[K];
}[T];

export const planStars = 100;

export interface ModelBalance {
  monthly_stars: number;
  pack_stars: number;
  held_stars: number;
  available_stars: number;
  owed_stars: number;
  next_expiry: { at: number; stars: number } | null;
  monthly_grant_stars: number;
  monthly_lapse_at: number | null;
  next_grant: { at: number; stars: number } | null;
  subscription: { tier: string; status: string; current_period_end: number } | null;
}

/** What a capture or release answers. */
export interface ModelEnd {
  captured: number;
  missing: number;
  returned: number;
}

export interface WalletModel {
  /** Lets the clock go on to a time, which is never earlier than before. */
  passTime(to: number): void;
  /** Asks something now. A repeat is not refused, and changes nothing. */
  do(step: Step): { refused: boolean; end?: ModelEnd };
  balance(): ModelBalance;
}
