import * as z from 'zod/mini';
import { storedLine } from './months/paid-line.ts';
import { reversalFields } from './reversal.ts';

/** A pack that was purchased, and what was reversed of it since. */
export const storedPurchase = z.object({
  /** How many stars the purchase gave: none, if its pack had expired. */
  stars: z.number(),
  /** Milliseconds since the epoch. */
  expires_at: z.optional(z.number()),
  /** The amount that was paid, in the smallest unit, where billing told it. */
  amount: z.optional(z.number()),
  ...reversalFields,
});
export type Purchase = z.output<typeof storedPurchase>;

/** One payment of a subscription: the lines that it paid for, and what was reversed of it since. */
export const storedPayment = z.object({
  lines: z.array(storedLine),
  /** What was paid, in the smallest unit, where billing told. */
  amount: z.optional(z.number()),
  ...reversalFields,
  /** Up to here, what the reversed lines have not given is in `unspent_free_stars`: milliseconds since the epoch. */
  counted_until: z.number(),
});
export type SubscriptionPayment = z.output<typeof storedPayment>;
