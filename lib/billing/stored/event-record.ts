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
  /** Of what was asked for: the same request again has the same. */
  fingerprint: z.string(),
  /** After the event, or the start of the hold. */
  balance: storedBalance,
  /** Of a spend, or of a hold that was captured: what can be refunded. */
  spend: z.optional(storedSpend),
  /** Of a purchase: what it gave, and what was reversed of it. */
  purchase: z.optional(storedPurchase),
  /** Of what was paid of a subscription: its lines, and what was reversed of them. */
  payment: z.optional(storedPayment),
  /** What this event was the first to name: so that their items are found by it. */
  payment_id: z.optional(z.string()),
  subscription_id: z.optional(z.string()),
  /** Of a hold: as it was made. */
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
