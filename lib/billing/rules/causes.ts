import type { Plan } from '../plans.ts';
import type { Purpose } from '../purpose.ts';
import type { Refusal } from '../refusals.ts';
import type { Wallet } from '../wallet.ts';
import type { WalletEvent } from '../wallet-events.ts';
import type { Compartment, Lot } from './compartments.ts';

/** Stars that are reserved until the hold is captured or released, or expires. */
export interface Hold extends Purpose {
  /** Milliseconds since the epoch. */
  expires_at: number;
  /** Where they were taken from, in that order. */
  lots: readonly Lot[];
}

/** A spend, or a captured hold: where its stars were taken from, and how many came back since. */
export interface Spend extends Purpose {
  lots: readonly Lot[];
  refunded: number;
}

/** What happens to a hold. Its id is the `event_id` of all of it. */
export type HoldEvent =
  | ({ type: 'stars.held'; event_id: string; stars: number; expires_at: number } & Purpose)
  | { type: 'hold.extended'; event_id: string }
  | { type: 'hold.captured'; event_id: string; stars?: number | undefined }
  | { type: 'hold.released'; event_id: string }
  | { type: 'hold.expired'; event_id: string };

/** Everything that changes a wallet. */
export type Cause = WalletEvent | HoldEvent;

/** A rule for each type of cause: it returns the effect, or why the cause is refused. */
export type RulesOf<C extends Cause> = {
  [T in C['type']]: (event: Extract<C, { type: T }>, facts: Facts) => Effect | Refusal;
};

/** What a rule needs beside the wallet, for some causes. */
export interface RelatedFacts {
  /** The plan of the event's tier. */
  plan?: Plan | undefined;
  /** The spend that is refunded. */
  spend?: Spend | undefined;
  /** The hold that is captured or released, or expires. */
  hold?: Hold | undefined;
  /** When a hold expires: the expiry of the hold after it. */
  nextHoldExpiry?: number | undefined;
}

export interface Facts extends RelatedFacts {
  /** Without what has lapsed. */
  wallet: Wallet;
  now: number;
}

/** What a cause does to the wallet. The entry's numbers follow from it. */
export interface Effect {
  wallet: Wallet;
  /** Stars that lapse because of the cause itself. */
  lapsed?: Partial<Record<Compartment, number>>;
  /** Stars that were spent or held, in the order in which they were taken. */
  takenLots?: readonly Lot[];
  /** Stars that did not come back, as their period or pack has ended. */
  lost?: readonly Lot[];
}
