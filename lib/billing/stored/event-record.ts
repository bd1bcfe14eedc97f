import * as z from 'zod/mini';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import { storedHold, storedSpend } from './lots.ts';
import { storedPayment, storedPurchase } from './purchase.ts';
import { storedBalance } from './stored-balance.ts';
import { refuseStored } from './wallet-invariant.ts';

const fields = {
  /** How often it was written. */
  version: z.number(),
  /** Made of the request: the same request again has the same. */
  fingerprint: z.string(),
  /** The balance after the event, or after the start of the hold. */
  balance: storedBalance,
  /** What can be refunded of a spend, or of a captured hold. */
  spend: z.optional(storedSpend),
  /** What a purchase gave, and what was reversed of it. */
  purchase: z.optional(storedPurchase),
  /** The paid lines of a subscription, and what was reversed of them. */
  payment: z.optional(storedPayment),
  /** The payment and the subscription that this event was the first to name: their items are found by it. */
  payment_id: z.optional(z.string()),
  subscription_id: z.optional(z.string()),
  /** The hold as it was made. */
  hold: z.optional(storedHold),
  /** Until when a hold was extended, in milliseconds since the epoch. */
  extended_to: z.optional(z.number()),
  /** Tickets of the updates that made it what it is, where these waited: the last of them. An update knows its own. */
  tickets: z.optional(z.array(z.string())),
  /** How a hold ended, with how many stars were asked for and spent. An expiry is not written here. */
  hold_end: z.optional(
    z.object({
      type: z.enum(['hold.captured', 'hold.released']),
      asked: z.number(),
      stars: z.number(),
      balance: storedBalance,
    }),
  ),
};

/** What has become of an event or a hold: with it, each changes its wallet once. */
export type EventRecord = z.output<z.ZodMiniObject<typeof fields>>;

const stored = z.object(fields);

export const eventRecordKind = new Kind(places.eventRecord, {
  holds: 'was this event applied, and what has become of this hold?',
  attributes: stored,
  store: (record) => z.encode(stored, record),
  refuse: refuseStored,
});
