import * as z from 'zod/mini';

/** A refund or dispute of something that was paid, as it was told last. */
const source = z.object({
  id: z.string(),
  /** How many stars it reverses by now, or what of the money. */
  stars: z.optional(z.number()),
  amount: z.optional(z.number()),
  claw_back: z.boolean(),
  /** When that was so: milliseconds since the epoch, where billing told. */
  occurred_at: z.optional(z.number()),
});
export type Source = z.output<typeof source>;

/** What was reversed of something that was paid. */
export const reversalFields = {
  sources: z.array(source),
  /** Of the reversed stars, those that were free as they were reversed; or that were not given for it. */
  unspent_free_stars: z.number(),
  /** Of the reversed stars, those that holds had then: they are owed. */
  unspent_held_stars: z.number(),
  /** Stars that were taken for it, or are owed. The others that are reversed are forgiven. */
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
