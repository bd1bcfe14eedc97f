import type { Compartment, Part } from './compartments.ts';
import type { Plan } from './plans.ts';
import type { Refusal } from './refusals.ts';
import type { Wallet } from './wallet.ts';
import type { WalletEvent } from './wallet-events.ts';

/** Stars that are reserved until the hold is captured or released, or expires. */
export interface Hold {
  /** Milliseconds since the epoch. */
  expires_at: number;
  /** Where they were taken from, in that order. */
  parts: readonly Part[];
}

/** A spend, or a captured hold: where its stars were taken from, and how many came back since. */
export interface Spend {
  parts: readonly Part[];
  refunded: number;
}

/** What happens to a hold. Its id is the `event_id` of all of it. */
export type HoldEvent =
  | {
      type: 'stars.held';
      event_id: string;
      stars: number;
      expires_at: number;
      reason?: string | undefined;
    }
  | { type: 'hold.captured'; event_id: string; stars?: number | undefined }
  | { type: 'hold.released'; event_id: string }
  | { type: 'hold.expired'; event_id: string };

/** Everything that changes a wallet. */
export type Cause = WalletEvent | HoldEvent;

/** What such causes do: a change, or why they are refused. */
export type RulesOf<C extends Cause> = {
  [T in C['type']]: (event: Extract<C, { type: T }>, facts: Facts) => Change | Refusal;
};

/** What some causes are about, beside the wallet. */
export interface About {
  /** Of the event's tier. */
  plan?: Plan | undefined;
  /** Of a refund. */
  spend?: Spend | undefined;
  /** Of a capture, release or expiry. */
  hold?: Hold | undefined;
  /** Of an expiry: when the hold after it expires. */
  nextHoldExpiry?: number | undefined;
}

export interface Facts extends About {
  /** Without what has lapsed. */
  wallet: Wallet;
  now: number;
}

/** What a cause does. The entry's numbers follow from it. */
export interface Change {
  wallet: Wallet;
  /** What the cause itself makes lapse. */
  lapsed?: Partial<Record<Compartment, number>>;
  /** What it has spent or held, in the order in which it was taken. */
  taken?: readonly Part[];
  /** What it would have given, but to a period or pack that has ended. */
  lost?: readonly Part[];
}
