import type { ReversalState, Source } from '../../stored/reversal.ts';

/** The sources with one more, or with the later one of two of the same: so their order does not matter. */
export const withSource = (sources: readonly Source[], added: Source): Source[] => {
  const before = sources.find(({ id }) => id === added.id);
  if (before && !isLater(added, before)) return [...sources];
  return [...sources.filter(({ id }) => id !== added.id), added];
};

/** What tells no time is earlier than what does; of one time, the greater reversal is later. */
const isLater = (one: Source, other: Source): boolean => {
  const by = (of: (source: Source) => number) => of(one) - of(other);
  return (
    (by(({ occurred_at = Number.NEGATIVE_INFINITY }) => occurred_at) ||
      by(({ stars, amount }) => stars ?? amount ?? 0) ||
      by(({ claw_back }) => Number(claw_back))) > 0
  );
};

/** How much is reversed: of that, how much is taken back also if it was spent. In stars, or in money. */
export interface Reversed {
  clawed: number;
  all: number;
}

/** What sources reverse together: at most all of it, and first what is clawed back. */
export const reversedBy = (
  sources: readonly Source[],
  most: number,
  sumOf: (sources: readonly Source[]) => number,
): Reversed => {
  const of = (claw_back: boolean) => sumOf(sources.filter((one) => one.claw_back === claw_back));
  const clawed = Math.min(of(true), most);
  return { clawed, all: Math.min(clawed + of(false), most) };
};

/**
 * What a reversal comes to, by what is reversed now, and by the stars that were found of what is reversed more. `change`: how
 * many more stars are taken, or owed; below 0, how many come back.
 */
export const settleReversal = (
  before: ReversalState,
  reversed: Reversed,
  found: { free: number; held: number },
): Pick<ReversalState, 'unspent_free_stars' | 'unspent_held_stars' | 'due_stars'> & {
  change: number;
} => {
  const all = before.unspent_free_stars + found.free + before.unspent_held_stars + found.held;
  // What is reversed less was found last: held stars first, as they are still owed.
  const less = Math.max(0, all - reversed.all);
  const held = before.unspent_held_stars + found.held;
  const lessHeld = Math.min(less, held);
  const unspent_held_stars = held - lessHeld;
  const unspent_free_stars = before.unspent_free_stars + found.free - (less - lessHeld);
  const forgivable = reversed.all - reversed.clawed;
  const due_stars = reversed.clawed + Math.min(forgivable, unspent_free_stars + unspent_held_stars);
  return {
    unspent_free_stars,
    unspent_held_stars,
    due_stars,
    change: due_stars - before.due_stars,
  };
};
