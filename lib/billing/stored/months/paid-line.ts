import * as z from 'zod/mini';

/**
 * Stars a month, from a time until a later time, in milliseconds since the epoch: what was paid, or, below 0, what was
 * credited. A subscription is the sum of its lines.
 */
export const storedLine = z.object({
  from: z.number(),
  until: z.number(),
  monthly_grant_stars: z.number(),
  /** The plan, of a line above 0. */
  tier: z.optional(z.string()),
  /** Whether the line changes months that others begin. */
  proration: z.optional(z.literal(true)),
  /** Whether the line is the end of the month that ends with it: a first period up to an anchor. */
  part: z.optional(z.literal(true)),
  /** Whether the line is one month, however long, which has all of its stars. */
  trial: z.optional(z.literal(true)),
  /** Only in a reversal: the share of the stars that it reverses, by the amounts of money. */
  share: z.optional(z.object({ amount: z.number(), of: z.number() })),
});
export type PaidLine = z.output<typeof storedLine>;
