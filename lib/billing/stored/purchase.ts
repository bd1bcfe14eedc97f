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
  /** What was reversed and is forgiven. */
  forgiven_stars: z.number(),
  /** No month ran until then, so earlier time that was paid gave nothing: milliseconds since the epoch. */
  served_from: z.optional(z.number()),
});
export type SubscriptionPayment = z.output<typeof storedPayment>;
