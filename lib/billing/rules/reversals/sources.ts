import type { ReversalState, Source } from '../../stored/reversal.ts';

/**
 * The sources, with what is told of a source. If the same source is told of twice, what was told later counts, in whichever
 * order both come. `had`: all that sources can reverse.
 */
export const withSource = (
  sources: readonly Source[],
  added: Source,
  had: { stars?: number; amount?: number | undefined },
): Source[] => {
  const before = sources.find(({ id }) => id === added.id);
  if (before && !isLater(added, before, had)) return [...sources];
  return [...sources.filter(({ id }) => id !== added.id), added];
};

/** By time, no time being the earliest; then by size; then what is clawed back is later. */
const isLater = (
  one: Source,
  other: Source,
  { stars = 1, ...had }: Parameters<typeof withSource>[2],
): boolean => {
  const by = (of: (source: Source) => number) => of(one) - of(other);
  // Stars and money are compared by their shares of the whole.
  const sizeOf = (source: Source) =>
    source.stars === undefined
      ? BigInt(source.amount ?? 0) * BigInt(stars)
      : BigInt(source.stars) * BigInt(amountOf(had));
  return (
    (by(({ occurred_at = Number.NEGATIVE_INFINITY }) => occurred_at) ||
      Number(sizeOf(one) - sizeOf(other)) ||
      by(({ claw_back }) => Number(claw_back))) > 0
  );
};

/** The amount that was paid; 1 stands for the whole where it is not known, or was nothing. */
export const amountOf = ({ amount }: { amount?: number | undefined }): number => amount || 1;

/** How much is reversed by now, in stars or in money. */
export interface Reversed {
  /** The part that is taken back also if it was spent. */
  clawed: number;
  /** With that part. */
  all: number;
}

/** Adds up what sources reverse: `most` is all there is. If they tell more, the part that is clawed back counts first. */
export const reversedBy = (
  sources: readonly Source[],
  most: number,
  sumOf: (sources: readonly Source[]) => number,
): Reversed => {
  const clawed = sources.filter(({ claw_back }) => claw_back);
  return { clawed: Math.min(sumOf(clawed), most), all: Math.min(sumOf(sources), most) };
};

/**
 * Settles a reversal. `reversed`: stars in all by now; `unspent`: the unspent stars among those reversed since `before`.
 * `change`: how many more stars are taken or owed than `before`; below 0, how many come back.
 */
export const settleReversal = (
  before: ReversalState,
  reversed: Reversed,
  unspent: { free: number; held: number },
): Pick<ReversalState, 'unspent_free_stars' | 'unspent_held_stars' | 'due_stars'> & {
  change: number;
} => {
  const free = before.unspent_free_stars + unspent.free;
  const held = before.unspent_held_stars + unspent.held;
  // If more was found unspent than is still reversed, held stars come off first: they are owed, not taken.
  const excess = Math.max(0, free + held - reversed.all);
  const excessHeld = Math.min(excess, held);
  const unspent_held_stars = held - excessHeld;
  const unspent_free_stars = free - (excess - excessHeld);
  // Clawed back stars are due in any case, as spent stars are. The others are due as far as unspent stars were found.
  const forgivable = reversed.all - reversed.clawed;
  const due_stars = reversed.clawed + Math.min(forgivable, unspent_free_stars + unspent_held_stars);
  return {
    unspent_free_stars,
    unspent_held_stars,
    due_stars,
    change: due_stars - before.due_stars,
  };
};
