import type { Compartment, Hold, Lot, Spend } from '../stored/lots.ts';
import type { Plan } from '../stored/plan.ts';
import type { Purchase, SubscriptionPayment } from '../stored/purchase.ts';
import type { ClockType } from '../stored/stored-entry.ts';
import type { Wallet } from '../stored/wallet.ts';
import type { Refusal } from '../terms/refusals.ts';
import type { HoldEvent } from './hold-events.ts';
import type { WalletEvent } from './wallet-events.ts';

/** Everything that somebody asks for. */
export type Cause = WalletEvent | HoldEvent;

/** The event that a cause reverses. */
export const reversedEventOf = (cause: AnyCause): string | undefined => {
  if (cause.type === 'pack.reversed') return cause.purchase;
  return cause.type === 'subscription.reversed' ? cause.paid : undefined;
};

/** The end of a hold by the clock. */
export interface HoldExpiry {
  type: 'hold.expired' & ClockType;
  event_id: string;
}

type TickType = Exclude<ClockType, HoldExpiry['type']>;

/** What the clock does to free stars. No id is needed for it: it happens once. */
export type Tick = { [T in TickType]: { type: T; event_id: null } }[TickType];

/** What changes a wallet: somebody, or the clock. */
export type AnyCause = Cause | HoldExpiry | Tick;

/** A rule for each type of cause: it returns the effect, or why the cause is refused. */
export type RulesOf<C extends AnyCause> = {
  [T in C['type']]: (event: Extract<C, { type: T }>, facts: Facts) => Effect | Refusal;
};

/** What a rule needs beside the wallet, for some causes. */
export interface RelatedFacts {
  /** The plan of the event's tier. */
  plan?: Plan | undefined;
  /** The spend that is refunded. */
  spend?: Spend | undefined;
  /** The purchase that is reversed. */
  purchase?: Purchase | undefined;
  /** What was paid of a subscription, and is reversed. */
  payment?: SubscriptionPayment | undefined;
  /** The hold that is captured or released, or expires. */
  hold?: Hold | undefined;
  /** The most that a capture may take beyond its hold, with `up_to_available`. */
  mostBeyond?: number | undefined;
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
  takenLots?: Lot[];
  /** Stars that did not come back, as their month or pack has ended. */
  lost?: readonly Lot[];
  /** The purchase that was made or reversed. */
  purchase?: Purchase;
  /** What was paid of a subscription, or was reversed of it. */
  payment?: SubscriptionPayment;
  /** Whether stars were paid that no month can have. */
  unserved?: boolean;
}

/** When a hold expires that is made or extended now, in milliseconds since the epoch. */
export const expiryOf = ({ expires_in_seconds }: { expires_in_seconds: number }, now: number) =>
  now + expires_in_seconds * 1000;
