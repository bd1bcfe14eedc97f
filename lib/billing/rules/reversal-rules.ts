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

type PackReversal = WalletEventOf<'pack.reversed'>;

// docs/decisions/reversals.md
// Refunds and disputes are the *sources* of a purchase: each says how many of its stars it reverses by now. A dispute
// (`claw_back`) takes its stars back in any case. A refund takes only unspent ones, those that the wallet still has; it
// forgives what was spent or has lapsed. What is *due* in all, the wallet gives up: at once, or it owes it.
export const reversalRules: RulesOf<PackReversal> = {
  'pack.reversed': (event, { wallet: before, now, purchase: had }) => {
    if (!had) return 'unknown_purchase';
    const sources = withSource(had.sources, sourceOf(event, had));
    if (sources.length > mostSources) return 'too_many_sources';
    const { wallet, purchase } = countUnspent(before, had, sources);
    const more = dueStars(purchase) - dueStars(had);
    const facts = { wallet, now, purchase };
    return more > 0 ? takeBack(facts, more) : giveBack(facts, -more);
  },
};

const sourceOf = (event: PackReversal, purchase: Purchase): Source => ({
  id: event.source ?? event.event_id,
  stars: event.stars ?? purchase.stars,
  claw_back: event.claw_back,
  occurred_at: event.occurred_at,
});

/** The sources with one more. Of two words of the same source the later counts, so the order in which they come does not matter. */
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

/** How many stars are clawed back, and how many are reversed in all: together no more than the purchase gave. */
const sumsOf = ({ stars, sources }: Pick<Purchase, 'stars' | 'sources'>) => {
  const of = (claw_back: boolean) => sum(sources.filter((one) => one.claw_back === claw_back));
  const clawed = Math.min(of(true), stars);
  return { clawed, reversed: Math.min(clawed + of(false), stars) };
};

/** How many stars the wallet has to give up for a purchase: those that are clawed back, and of the others the unspent ones. */
const dueStars = (purchase: Purchase): number => {
  const { clawed, reversed } = sumsOf(purchase);
  return clawed + Math.min(reversed - clawed, purchase.unspent_stars);
};

/**
 * Counts how many of the stars that are reversed more are unspent. Free pack stars of the purchase's expiry are, whichever
 * purchase gave them; then those in holds, each for one reversal only. If fewer are reversed than before, it counts the last ones,
 * those in holds, no more.
 */
const countUnspent = (wallet: Wallet, had: Purchase, sources: Source[]) => {
  const { reversed } = sumsOf({ ...had, sources });
  const more = Math.max(0, reversed - sumsOf(had).reversed);
  const free = Math.min(more, sum(freeLotsOf(wallet, had)));
  const held = Math.min(more - free, heldOf(wallet, had) - reversedHeldOf(wallet, had));
  const unspent_stars = Math.min(had.unspent_stars + free + held, reversed);
  const fewer = Math.max(0, had.unspent_stars - unspent_stars);
  const taken = sum(had.taken_lots.filter((lot) => isOfPool(lot, had)));
  const wereHeld = Math.max(0, had.unspent_stars - taken);
  return {
    wallet: withReversedHeld(wallet, had, held - Math.min(fewer, wereHeld)),
    purchase: { ...had, sources, unspent_stars },
  };
};

const freeLotsOf = (wallet: Wallet, pool: Pool): Lot[] =>
  freeLots(wallet).filter((lot) => isOfPool(lot, pool));

const reversedHeldOf = ({ reversed_held }: Wallet, { expires_at }: Pool): number =>
  reversed_held.find((one) => one.expires_at === expires_at)?.stars ?? 0;

const withReversedHeld = (wallet: Wallet, pool: Pool, change: number): Wallet => {
  const { expires_at } = pool;
  const stars = Math.max(0, reversedHeldOf(wallet, pool) + change);
  const others = wallet.reversed_held.filter((one) => one.expires_at !== expires_at);
  const one = { ...(expires_at !== undefined && { expires_at }), stars };
  return { ...wallet, reversed_held: stars > 0 ? [...others, one] : others };
};

type ReversalFacts = Pick<Facts, 'wallet' | 'now'> & { purchase: Purchase };

/** Takes free stars of the purchase's expiry. What is missing is owed, and is paid at once with other free stars, if there are. */
const takeBack = ({ wallet, purchase }: ReversalFacts, stars: number) => {
  const takenLots = takeUpTo(freeLotsOf(wallet, purchase), stars);
  const owed_stars = wallet.owed_stars + stars - sum(takenLots);
  const taken = moveStars({ ...wallet, owed_stars }, takenLots, { stars: -1 });
  const { wallet: after, paidLots } = payOwed(taken);
  const taken_lots = joined([...purchase.taken_lots, ...takenLots, ...paidLots]);
  return { wallet: after, purchase: { ...purchase, taken_lots } };
};

/** The lots in their order, those that lapse together as one. */
const joined = (lots: readonly Lot[]): Lot[] =>
  [...Map.groupBy(lots, (lot) => `${lot.compartment} ${lot.expires_at}`).values()].map((same) => ({
    ...same[0]!,
    stars: sum(same),
  }));

/**
 * Gives stars back that are due no more: first those that were owed, then those that were taken last. They cancel what the
 * wallet owes. The rest goes to where it was taken from; where that has lapsed, or the owed ones were paid since, it becomes
 * stars of the purchase.
 */
const giveBack = ({ wallet, now, purchase }: ReversalFacts, stars: number) => {
  const { expires_at, taken_lots } = purchase;
  const own: Lot = {
    compartment: 'pack',
    stars: 0,
    ...(expires_at !== undefined && { expires_at }),
  };
  const wereOwed = Math.min(stars, dueStars(purchase) + stars - sum(taken_lots));
  const { takenLots: back, rest } = take([...taken_lots].reverse(), stars - wereOwed)!;
  const canceled = Math.min(stars, wallet.owed_stars);
  const { rest: given } = take([{ ...own, stars: wereOwed }, ...back], canceled)!;
  const lots = given.map((lot) => (isLive(wallet, lot, now) ? lot : { ...own, stars: lot.stars }));
  const after = { ...wallet, owed_stars: wallet.owed_stars - canceled };
  const effect = giveStars(after, lots, now);
  if (typeof effect === 'string') return effect;
  return { ...effect, purchase: { ...purchase, taken_lots: rest.reverse() } };
};
