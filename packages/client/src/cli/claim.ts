import { type Batch, valuesOf } from './batches.ts';
import type { Seen } from './seen.ts';

/** What a batch can compete for with others. */
export interface Claim {
  values: ReadonlySet<string>;
  /** Whether a batch before it has one of these. */
  repeats: boolean;
}

/** Of each batch of a file, in its order: `seen` has what was in those before. */
export const claimOf = (batch: Batch, seen: Seen): Claim => {
  const values = new Set(valuesOf(batch));
  return { values, repeats: [...values].filter((value) => seen.add(value)).length > 0 };
};

/**
 * Of two batches that share a value, the first is answered first. The same holds for two batches that each share a
 * value with an earlier batch: one may want a value of that batch's lead, and the other may make this value free.
 */
export const compete = (one: Claim, other: Claim): boolean =>
  (one.repeats && other.repeats) || [...one.values].some((value) => other.values.has(value));
