import { ConflictError } from '../../table/retry.ts';
import type { ChangedCounter, SpendCounter } from '../stored/limits/spend-counter.ts';
import { limitKey, limitNamesOf, type SpendLimit } from '../stored/limits/spend-limit.ts';
import type { Notice } from '../stored/notice.ts';
import type { Wallet } from '../stored/wallet.ts';
import { type CountedPiece, type CounterName, counterKey } from '../terms/limit-terms.ts';
import { type Counting, countersOf, countersOn } from './counting.ts';
import { resetsAt } from './periods.ts';
import { count, usedStars } from './spend-counter.ts';

// docs/decisions/spend-limits.md

/** The limits and counters that were read, by their names. */
export interface LimitState {
  limits: ReadonlyMap<string, SpendLimit>;
  counters: ReadonlyMap<string, SpendCounter>;
}

/** Where nothing was read, as nothing counts. */
export const noLimits: LimitState = { limits: new Map(), counters: new Map() };

export const mergeLimits = (states: readonly LimitState[]): LimitState => ({
  limits: new Map(states.flatMap(({ limits }) => [...limits])),
  counters: new Map(states.flatMap(({ counters }) => [...counters])),
});

/** A limit as it holds for a counter. */
export interface OwnLimit extends CounterName {
  limit: SpendLimit;
  /** Whether the limit is the default of spenders. */
  by_default: boolean;
}

/** The limit of a counter: its own, else the default. */
export const limitOf = (
  { limits }: Pick<LimitState, 'limits'>,
  counter: CounterName,
): OwnLimit | undefined => {
  for (const name of limitNamesOf(counter)) {
    const limit = limits.get(limitKey(name));
    if (limit) return { ...counter, limit, by_default: name.kind === 'default' };
  }
  return undefined;
};

/** A limit beyond which a request would go. */
export interface ReachedLimit extends OwnLimit {
  left_stars: number;
  resets_at: string | null;
}

/** What a step counts. */
export interface CountResult {
  /** The counters that are others by now. */
  counters: ReadonlyMap<string, ChangedCounter>;
  /** What the record of the spend or hold keeps; undefined where nothing counted. */
  pieces: CountedPiece[] | undefined;
  notices: Notice[];
}

/** Counters and records may be read at two moments: then all is read again. */
const counterOf = ({ counters }: LimitState, one: CounterName): SpendCounter => {
  const counter = counters.get(counterKey(one));
  if (!counter) throw new ConflictError(new Error('a counter was not read'));
  return counter;
};

const leftOf = ({ stars, period }: SpendLimit, counter: SpendCounter, now: number): number =>
  Math.max(0, stars - usedStars(counter, period, now));

/** The limit that leaves the fewest stars, of those that refuse; of two that leave as few, the spender's. */
const tightestOf = (
  state: LimitState,
  counters: readonly CounterName[],
  now: number,
): ReachedLimit | undefined => {
  let tightest: ReachedLimit | undefined;
  for (const one of counters) {
    const own = limitOf(state, one);
    if (!own?.limit.enabled) continue;
    const left_stars = leftOf(own.limit, counterOf(state, one), now);
    if (tightest && tightest.left_stars <= left_stars) continue;
    tightest = { ...own, left_stars, resets_at: resetsAt(own.limit.period, now) };
  }
  return tightest;
};

/** The most stars that the limits still allow for this; undefined where none refuses. */
export const mostStarsLeft = (
  state: LimitState,
  wallet: Pick<Wallet, 'limits'>,
  { purpose }: Pick<Counting, 'purpose'>,
  now: number,
): number | undefined => tightestOf(state, countersOn(wallet, purpose), now)?.left_stars;

/** Counts at the wallet's time; or tells the tightest limit beyond which that would go. Pure. */
export const countStars = (
  state: LimitState,
  wallet: Pick<Wallet, 'limits'>,
  { purpose, stars, kept, back }: Counting,
  now: number,
): CountResult | { reached: ReachedLimit } => {
  const on = stars > 0 ? countersOn(wallet, purpose) : [];
  const tightest = tightestOf(state, on, now);
  if (tightest && stars > tightest.left_stars) return { reached: tightest };

  const counters = new Map<string, ChangedCounter>();
  const change = (counter: CounterName, piece: Pick<CountedPiece, 'at' | 'stars'>) => {
    const key = counterKey(counter);
    const before = counters.get(key)?.after ?? counterOf(state, counter);
    counters.set(key, { counter, after: count(before, piece, now) });
  };
  for (const piece of back) {
    for (const one of countersOf(piece, purpose)) change(one, { ...piece, stars: -piece.stars });
  }
  for (const one of on) change(one, { at: now, stars });
  const taken = { at: now, stars, kinds: on.map(({ kind }) => kind) };
  const pieces = stars > 0 ? [...kept, taken] : [...kept];
  return {
    counters,
    pieces: pieces.some(({ kinds }) => kinds.length > 0) ? pieces : undefined,
    notices: on.flatMap((one) =>
      noticesOf(limitOf(state, one), counterOf(state, one), counters.get(counterKey(one))!.after),
    ),
  };
};

/** What is told as the used stars of a period rise to `alert_at`, and to the limit. */
const noticesOf = (
  own: OwnLimit | undefined,
  before: SpendCounter,
  { at: now, ...after }: SpendCounter,
): Notice[] => {
  if (!own) return [];
  const { kind, name, by_default, limit } = own;
  const { period, stars, alert_at } = limit;
  const used = usedStars(before, period, now);
  const used_stars = after[period];
  const rises = (to: number | null): to is number => to !== null && used < to && used_stars >= to;
  const resets_at = resetsAt(period, now);
  const told = { kind, name, by_default, period, stars, used_stars, resets_at };
  return [
    ...(rises(alert_at) ? [{ type: 'spend_limit.low' as const, alert_at, ...told }] : []),
    ...(rises(stars) ? [{ type: 'spend_limit.reached' as const, ...told }] : []),
  ];
};

/** What was read, once something was counted. */
export const stateAfter = (state: LimitState, changed: CountResult['counters']): LimitState => ({
  ...state,
  counters: new Map([
    ...state.counters,
    ...[...changed].map(([key, { after }]) => [key, after] as const),
  ]),
});
