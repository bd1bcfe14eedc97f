import type { AnyCause } from '../rules/causes.ts';
import type { WalletStep } from '../rules/step.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import type { Wallet } from '../stored/wallet.ts';
import type { CountedPiece } from '../terms/limit-terms.ts';
import { countingOf } from './counting.ts';
import { countStars, type LimitState, mostStarsLeft, type ReachedLimit } from './limit-rules.ts';

/** What a step is counted on: what was there before it. */
interface StateBefore {
  wallet: Wallet;
  limits: LimitState;
  /** The record of the event or hold itself. */
  record?: EventRecord | undefined;
  /** The record of the spend that is refunded. */
  target?: EventRecord | undefined;
}

/** The most that a capture with `up_to_available` may take beyond its hold; undefined where no limit bounds it. */
export const mostBeyondHold = (
  cause: AnyCause,
  { wallet, limits, record }: StateBefore,
  now: number,
): number | undefined => {
  if (cause.type !== 'hold.captured' || !cause.up_to_available) return undefined;
  const counting = countingOf(cause, { hold: record?.hold });
  return counting && counting.stars > 0 ? mostStarsLeft(limits, wallet, counting, now) : undefined;
};

/** A step with what it counts, in counters, record and notices; or the limit beyond which it would go. Pure. */
export const countStep = <S extends WalletStep>(
  step: S,
  cause: AnyCause,
  { wallet, limits, record, target }: StateBefore,
  now: number,
): S | { reached: ReachedLimit } => {
  const hold = record?.hold ?? step.expired;
  const counting = countingOf(cause, { hold, spend: target?.spend }, sum(step.takenLots));
  if (!counting) return step;
  const counted = countStars(limits, wallet, counting, now);
  if ('reached' in counted) return counted;
  return {
    ...step,
    ...(step.record && { record: withPieces(step.record, cause, counted.pieces) }),
    counters: counted.counters,
    notices: [...step.notices, ...counted.notices],
  };
};

/** The record of a spend or hold with what was counted of it. */
const withPieces = (
  record: EventRecord,
  { type }: AnyCause,
  counted: CountedPiece[] | undefined,
): EventRecord => {
  if (!counted) return record;
  if (type === 'stars.held' && record.hold) return { ...record, hold: { ...record.hold, counted } };
  if (record.spend && (type === 'stars.spent' || type === 'hold.captured'))
    return { ...record, spend: { ...record.spend, counted } };
  return record;
};
