import type { AnyCause, RelatedFacts } from '../rules/causes.ts';
import { type Lot, sum } from '../stored/lots.ts';
import type { Wallet } from '../stored/wallet.ts';
import { type CountedPiece, type CounterName, counterKinds } from '../terms/limit-terms.ts';
import { type Purpose, purposeOf } from '../terms/purpose.ts';

/** What a cause counts. */
export interface Counting {
  /** Who spends, and for what. */
  purpose: Purpose;
  /** The stars that count now: those of a spend or hold, and what a capture takes beyond its hold. */
  stars: number;
  /** Pieces of a captured hold that stay spent. */
  kept: readonly CountedPiece[];
  /** Pieces that come back. */
  back: readonly CountedPiece[];
}

interface CountedStars {
  lots: readonly Lot[];
  counted?: readonly CountedPiece[] | undefined;
}

/** The pieces of a spend or hold: where nothing counted it, a piece that says so. */
const piecesOf = ({ lots, counted }: CountedStars): readonly CountedPiece[] =>
  counted ?? [{ at: 0, stars: sum(lots), kinds: [] }];

/** The first stars of some pieces, and the rest. */
const split = (pieces: readonly CountedPiece[], stars: number) => {
  let left = stars;
  const [first, rest]: [CountedPiece[], CountedPiece[]] = [[], []];
  for (const piece of pieces) {
    const taken = Math.min(piece.stars, left);
    left -= taken;
    if (taken > 0) first.push({ ...piece, stars: taken });
    if (taken < piece.stars) rest.push({ ...piece, stars: piece.stars - taken });
  }
  return { first, rest };
};

const nothing = { stars: 0, kept: [], back: [] };

/**
 * What a cause counts, if anything. `takenStars`: what a capture took, once that is known; until then it is what was asked
 * for.
 */
export const countingOf = (
  cause: AnyCause,
  { hold, spend }: Pick<RelatedFacts, 'hold' | 'spend'>,
  takenStars?: number,
): Counting | undefined => {
  switch (cause.type) {
    case 'stars.spent':
    case 'stars.held':
      return { ...nothing, purpose: purposeOf(cause), stars: cause.stars };
    case 'hold.captured': {
      if (!hold) return undefined;
      const held = sum(hold.lots);
      const wanted = takenStars ?? cause.stars ?? held;
      const { first: kept, rest: back } = split(piecesOf(hold), wanted);
      return { purpose: purposeOf(hold), stars: Math.max(0, wanted - held), kept, back };
    }
    case 'hold.released':
    case 'hold.expired':
      return hold && { ...nothing, purpose: purposeOf(hold), back: piecesOf(hold) };
    case 'stars.refunded': {
      if (!spend) return undefined;
      // As stars: those that were taken last come back first, and none comes back twice.
      const { rest } = split([...piecesOf(spend)].reverse(), spend.refunded);
      const { first: back } = split(rest, cause.stars);
      return { ...nothing, purpose: purposeOf(spend), back };
    }
    default:
      return undefined;
  }
};

/** The counters of which the wallet has any limit, for this purpose. */
export const countersOn = ({ limits }: Pick<Wallet, 'limits'>, purpose: Purpose): CounterName[] =>
  counterKinds.flatMap((kind) => {
    const name = purpose[kind];
    return name !== undefined && limits && limits[kind] > 0 ? [{ kind, name }] : [];
  });

/** The counters that a piece was counted by. */
export const countersOf = ({ kinds }: CountedPiece, purpose: Purpose): CounterName[] =>
  kinds.flatMap((kind) => {
    const name = purpose[kind];
    return name === undefined ? [] : [{ kind, name }];
  });

/** All counters that have to be known to decide. */
export const neededCounters = (
  wallet: Pick<Wallet, 'limits'>,
  { purpose, stars, back }: Counting,
): CounterName[] => [
  ...(stars > 0 ? countersOn(wallet, purpose) : []),
  ...back.flatMap((piece) => countersOf(piece, purpose)),
];
