import { type Lot, sum } from '../stored/lots.ts';
import type { Purchase, Source } from '../stored/purchase.ts';
import type { Wallet } from '../stored/wallet.ts';
import { mostSources } from '../terms/refusals.ts';
import type { Facts, RulesOf } from './causes.ts';
import {
  freeLots,
  heldOf,
  isLive,
  isOfPool,
  moveStars,
  type Pool,
  payOwed,
  take,
  takeUpTo,
} from './compartments.ts';
import { giveStars } from './star-rules.ts';
import type { WalletEventOf } from './wallet-events.ts';

type Reversal = WalletEventOf<'pack.reversed'>;

// docs/decisions/reversals.md
export const reversalRules: RulesOf<Reversal> = {
  'pack.reversed': (event, { wallet: before, now, purchase: had }) => {
    if (!had) return 'unknown_purchase';
    const sources = withSource(had.sources, sourceOf(event, had));
    if (sources.length > mostSources) return 'too_many_sources';
    const { wallet, purchase } = find({ ...had, sources }, reversedStars(had), before);
    const more = takenOrOwed(purchase) - takenOrOwed(had);
    const facts = { wallet, now, purchase };
    return more > 0 ? takeBack(facts, more) : giveBack(facts, -more);
  },
};

const sourceOf = (event: Reversal, purchase: Purchase): Source => ({
  id: event.source ?? event.event_id,
  stars: event.stars ?? purchase.stars,
  claw_back: event.claw_back,
  occurred_at: event.occurred_at,
});

/** The sources with one more, or with the later one of two of the same: so their order does not matter. */
const withSource = (sources: readonly Source[], one: Source): Source[] => {
  const before = sources.find(({ id }) => id === one.id);
  if (before && !isLater(one, before)) return [...sources];
  return [...sources.filter(({ id }) => id !== one.id), one];
};

/** What tells no time is earlier than what does; of one time, the greater reversal is later. */
const isLater = (one: Source, other: Source): boolean => {
  const by = (of: (source: Source) => number) => of(one) - of(other);
  return (
    (by(({ occurred_at = Number.NEGATIVE_INFINITY }) => occurred_at) ||
      by(({ stars }) => stars) ||
      by(({ claw_back }) => Number(claw_back))) > 0
  );
};

/** How many stars are taken back, also if they were spent; and how many are reversed in all. */
const sumsOf = ({ stars, sources }: Purchase) => {
  const of = (claw_back: boolean) => sum(sources.filter((one) => one.claw_back === claw_back));
  const clawed = Math.min(of(true), stars);
  return { clawed, reversed: Math.min(clawed + of(false), stars) };
};

const reversedStars = (purchase: Purchase): number => sumsOf(purchase).reversed;

/** How many stars a reversal has taken, or has made owed, by now. The others that are reversed are forgiven. */
const takenOrOwed = (purchase: Purchase): number => {
  const { clawed, reversed } = sumsOf(purchase);
  return clawed + Math.min(reversed - clawed, purchase.found);
};

/**
 * Finds the stars that are reversed more: free ones of the purchase's pool, then those that holds have of it, each once. The rest
 * was spent or has lapsed. What is reversed less was found last.
 */
const find = (purchase: Purchase, before: number, wallet: Wallet) => {
  const reversed = reversedStars(purchase);
  const free = sum(freeLots(wallet).filter((lot) => isOfPool(lot, purchase)));
  const held = heldOf(wallet, purchase) - pledgedOf(wallet, purchase);
  const more = Math.max(0, reversed - before);
  const pledged = Math.min(Math.max(0, more - free), held);
  const found = Math.min(purchase.found + Math.min(more, free) + pledged, reversed);
  const taken = sum(purchase.taken.filter((lot) => isOfPool(lot, purchase)));
  const less = Math.min(Math.max(0, purchase.found - found), Math.max(0, purchase.found - taken));
  return {
    wallet: withPledged(wallet, purchase, pledged - less),
    purchase: { ...purchase, found },
  };
};

const pledgedOf = ({ pledged }: Wallet, { expires_at }: Pool): number =>
  pledged.find((one) => one.expires_at === expires_at)?.stars ?? 0;

const withPledged = (wallet: Wallet, pool: Pool, change: number): Wallet => {
  const { expires_at } = pool;
  const stars = Math.max(0, pledgedOf(wallet, pool) + change);
  const others = wallet.pledged.filter((one) => one.expires_at !== expires_at);
  const one = { ...(expires_at !== undefined && { expires_at }), stars };
  return { ...wallet, pledged: stars > 0 ? [...others, one] : others };
};

type ReversalFacts = Pick<Facts, 'wallet' | 'now'> & { purchase: Purchase };

/** Takes free stars of the pool. What is missing is owed, and is paid at once with the other free stars. */
const takeBack = ({ wallet, purchase }: ReversalFacts, stars: number) => {
  const lots = freeLots(wallet).filter((lot) => isOfPool(lot, purchase));
  const takenLots = takeUpTo(lots, stars);
  const owed_stars = wallet.owed_stars + stars - sum(takenLots);
  const taken = moveStars({ ...wallet, owed_stars }, takenLots, { stars: -1 });
  const { wallet: after, paidLots } = payOwed(taken);
  const all = joined([...purchase.taken, ...takenLots, ...paidLots]);
  return { wallet: after, purchase: { ...purchase, taken: all } };
};

/** The lots in their order, those that lapse together as one. */
const joined = (lots: readonly Lot[]): Lot[] =>
  [...Map.groupBy(lots, (lot) => `${lot.compartment} ${lot.expires_at}`).values()].map((same) => ({
    ...same[0]!,
    stars: sum(same),
  }));

/** Cancels owed stars, then gives those back that were taken last; as stars of the purchase where these have lapsed since. */
const giveBack = ({ wallet, now, purchase }: ReversalFacts, stars: number) => {
  const { expires_at, taken } = purchase;
  const own: Lot = {
    compartment: 'pack',
    stars: 0,
    ...(expires_at !== undefined && { expires_at }),
  };
  // Of what was owed, all that is no longer owed was paid with stars that came later.
  const owed = takenOrOwed(purchase) + stars - sum(taken);
  const fromOwed = Math.min(stars, owed);
  const { takenLots: back, rest } = take([...taken].reverse(), stars - fromOwed)!;
  const canceled = Math.min(stars, wallet.owed_stars);
  const { rest: given } = take([{ ...own, stars: fromOwed }, ...back], canceled)!;
  const lots = given.map((lot) => (isLive(wallet, lot, now) ? lot : { ...own, stars: lot.stars }));
  const after = { ...wallet, owed_stars: wallet.owed_stars - canceled };
  const effect = giveStars(after, lots, now);
  if (typeof effect === 'string') return effect;
  return { ...effect, purchase: { ...purchase, taken: rest.reverse() } };
};
