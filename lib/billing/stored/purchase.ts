import * as z from 'zod/mini';
import { storedLot } from './lots.ts';

/** A refund or dispute of a purchase, as it was told last. */
const source = z.object({
  id: z.string(),
  /** How many stars it reverses by now. */
  stars: z.number(),
  claw_back: z.boolean(),
  /** When that was so: milliseconds since the epoch, where billing told. */
  occurred_at: z.optional(z.number()),
});
export type Source = z.output<typeof source>;

/** A purchase, and what was reversed of it since. */
export const storedPurchase = z.object({
  /** How many stars the purchase gave: none, if its pack had expired. */
  stars: z.number(),
  /** Milliseconds since the epoch. */
  expires_at: z.optional(z.number()),
  sources: z.array(source),
  /** Stars that were taken for it, in that order. What else was reversed is forgiven, or was owed. */
  taken: z.array(storedLot),
  /** How many of the reversed stars were there, free or held, as they were reversed. */
  found: z.number(),
});
export type Purchase = z.output<typeof storedPurchase>;
