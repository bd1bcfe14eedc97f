import * as z from 'zod/mini';

/** A refund or dispute of something that was paid: of all that was told of it, the latest by `occurred_at`. */
const source = z.object({
  id: z.string(),
  /** How many stars it reverses in all, or how much of the money: what is told next replaces this, and is not added. */
  stars: z.optional(z.number()),
  amount: z.optional(z.number()),
  /** Whether stars are taken back also if they were spent or have lapsed. */
  claw_back: z.boolean(),
  /** When that was so: milliseconds since the epoch, where billing told. */
  occurred_at: z.optional(z.number()),
});
export type Source = z.output<typeof source>;

/** The fields of a payment that say what was reversed of it. */
export const reversalFields = {
  sources: z.array(source),
  /** Reversed stars that were free at the reversal, or were never given, as it came before their month. */
  unspent_free_stars: z.number(),
  /** Reversed stars that holds had at the reversal: it made them owed. */
  unspent_held_stars: z.number(),
  /** Reversed stars that were taken, became owed, or were never given. The other reversed stars are forgiven. */
  due_stars: z.number(),
};
const reversal = z.object(reversalFields);
export type ReversalState = z.output<typeof reversal>;

export const nothingReversed: ReversalState = {
  sources: [],
  unspent_free_stars: 0,
  unspent_held_stars: 0,
  due_stars: 0,
};
