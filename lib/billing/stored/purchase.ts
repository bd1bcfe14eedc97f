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
  /**
   * How many of the reversed stars the wallet still had as they were reversed, free or in open holds. A refund takes no others:
   * what was spent or had lapsed it forgives.
   */
  unspent_stars: z.number(),
  /** What the wallet gave up for them at once, in that order: it is given back if less is reversed. The rest was owed. */
  taken_lots: z.array(storedLot),
});
export type Purchase = z.output<typeof storedPurchase>;
