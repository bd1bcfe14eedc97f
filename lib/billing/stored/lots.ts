import * as z from 'zod/mini';
import { maker } from '../../facts/origin.ts';
import { storedPiece } from '../terms/limit-terms.ts';
import { purposeInput } from '../terms/purpose.ts';

/** Stars that lapse together: of a month, of packs with one expiry, or of packs that stay. */
export const storedLot = z.object({
  compartment: z.enum(['monthly', 'pack']),
  /** The number of the wallet's month that monthly stars came with. */
  month: z.optional(z.number()),
  /** The end of the month, as it was known then, or the expiry of the pack; absent for pack stars that stay. */
  expires_at: z.optional(z.number()),
  stars: z.number(),
});
export type Lot = z.output<typeof storedLot>;
export type Compartment = Lot['compartment'];

export const sum = (lots: readonly Pick<Lot, 'stars'>[]): number =>
  lots.reduce((stars, { stars: more }) => stars + more, 0);

/** Stars that are reserved until the hold is captured or released, or expires. */
export const storedHold = z.object({
  /** Milliseconds since the epoch. */
  expires_at: z.number(),
  /** Where the stars were taken from, in that order. */
  lots: z.array(storedLot),
  /** What limits counted of it, the first stars first; undefined where none did. */
  counted: z.optional(z.array(storedPiece)),
  ...purposeInput,
});
export type Hold = z.output<typeof storedHold>;

/** A spend, or a captured hold: where its stars were taken from, and how many came back since. */
export const storedSpend = z.object({
  lots: z.array(storedLot),
  refunded: z.number(),
  /** As of a hold. Of what was captured: what the hold had, then what went beyond it. */
  counted: z.optional(z.array(storedPiece)),
  user_id: z.optional(maker()),
  ...purposeInput,
});
export type Spend = z.output<typeof storedSpend>;
