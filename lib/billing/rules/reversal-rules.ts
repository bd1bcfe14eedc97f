import { type Lot, sum } from '../stored/lots.ts';
import type { Purchase, Source } from '../stored/purchase.ts';
import type { Wallet } from '../stored/wallet.ts';
import { mostSources } from '../terms/refusals.ts';
import type { Facts, RulesOf } from './causes.ts';
import { freeLots, isLive, moveStars, payOwed, take } from './compartments.ts';
import { giveStars } from './star-rules.ts';
import type { WalletEventOf } from './wallet-events.ts';

type Reversal = WalletEventOf<'pack.reversed'>;

// docs/decisions/reversals.md
export const reversalRules: RulesOf<Reversal> = {
  'pack.reversed': (event, { wallet, now, purchase: before }) => {
    if (!before) return 'unknown_purchase';
    const sources = withSource(before.sources, sourceOf(event, before));
    if (sources.length > mostSources) return 'too_many_sources';
    const forgiven = forgivenAfter(before, { ...before, sources }, wallet);
    const purchase = { ...before, sources, forgiven };
    const more = takenOrOwed(purchase) - takenOrOwed(before);
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
    (by(({ occurred_at = -1 }) => occurred_at) ||
      by(({ stars }) => stars) ||
      by(({ claw_back }) => Number(claw_back))) > 0
  );
};

/** How many stars are taken back, also if they were spent; and how many of the rest are reversed without that. */
const sumsOf = ({ stars, sources }: Purchase) => {
  const of = (claw_back: boolean) => sum(sources.filter((one) => one.claw_back === claw_back));
  const clawed = Math.min(of(true), stars);
  return { clawed, reversed: Math.min(of(false), stars - clawed) };
};

/** How many stars a reversal has taken, or has made owed, by now. */
const takenOrOwed = (purchase: Purchase): number => {
  const { clawed, reversed } = sumsOf(purchase);
  return clawed + reversed - purchase.forgiven;
};

/**
 * How many stars are forgiven. More are, as far as the purchase's pool has neither free nor held stars for what is reversed
 * more; what is reversed less was forgiven first. Stars that were taken from the pool count as its own: so it does not matter
 * what came first.
 */
const forgivenAfter = (before: Purchase, after: Purchase, wallet: Wallet): number => {
  const [{ reversed: old }, { reversed }] = [sumsOf(before), sumsOf(after)];
  if (reversed <= old) return Math.max(0, before.forgiven - (old - reversed));
  const { free, held } = poolOf(wallet, before);
  const own = sum(before.taken.filter((lot) => isOfPool(lot, before)));
  const covered = Math.max(0, free + held + own - (old - before.forgiven));
  return before.forgiven + Math.max(0, reversed - old - covered);
};

type Pool = Pick<Purchase, 'expires_at'>;

const isOfPool = ({ compartment, expires_at }: Lot, pool: Pool): boolean =>
  compartment === 'pack' && expires_at === pool.expires_at;

/** The stars of one expiry, whichever purchase gave them. */
const poolOf = (wallet: Wallet, pool: Pool): { free: number; held: number } => {
  const { packs, held } = wallet;
  const heldOf = ({ held }: { held: number }) => held;
  const total = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  return {
    free: sum(freeLots(wallet).filter((lot) => isOfPool(lot, pool))),
    held:
      pool.expires_at === undefined
        ? held.pack - total(packs.map(heldOf))
        : total(packs.filter((one) => one.expires_at === pool.expires_at).map(heldOf)),
  };
};

type ReversalFacts = Pick<Facts, 'wallet' | 'now'> & { purchase: Purchase };

/** Takes free stars of the pool. What is missing is owed, and is paid at once with the other free stars. */
const takeBack = ({ wallet, purchase }: ReversalFacts, stars: number) => {
  const lots = freeLots(wallet).filter((lot) => isOfPool(lot, purchase));
  const { takenLots = [] } = take(lots, Math.min(stars, sum(lots))) ?? {};
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
