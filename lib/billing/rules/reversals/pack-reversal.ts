import { type Lot, sum } from '../../stored/lots.ts';
import type { Purchase } from '../../stored/purchase.ts';
import type { Source } from '../../stored/reversal.ts';
import { mostSources } from '../../terms/refusals.ts';
import type { Effect, Facts, RulesOf } from '../causes.ts';
import {
  countUnspent,
  freeLots,
  isOfPool,
  moveStars,
  type Pool,
  takeUpTo,
  withReversedHeld,
} from '../compartments.ts';
import { giveStars } from '../star-rules.ts';
import type { WalletEventOf } from '../wallet-events.ts';
import { amountOf, type Reversed, reversedBy, settleReversal, withSource } from './sources.ts';

type PackReversal = WalletEventOf<'pack.reversed'>;

/** How long stars last that come back when their own expiry has passed: 90 days. */
export const returnedForMs = 90 * 86_400_000;

// docs/decisions/paid-lines.md
export const packReversalRules: RulesOf<PackReversal> = {
  'pack.reversed': (event, { wallet, now, purchase: had }) => {
    if (!had) return 'unknown_purchase';
    const source = sourceOf(event, had);
    if (source.amount && !had.amount) return 'unknown_amount';
    const sources = withSource(had.sources, source, had);
    if (sources.length > mostSources) return 'too_many_sources';
    const [before, after] = [reversedOf(had), reversedOf({ ...had, sources })];
    const pool = poolOf(had);
    const unspent = countUnspent(wallet, pool, Math.max(0, after.all - before.all));
    const { change, ...settled } = settleReversal(had, after, unspent);
    const purchase = { ...had, sources, ...settled };
    // Marks the held stars that this reversal counted, so that no other counts them. `change` makes them owed.
    const held = settled.unspent_held_stars - had.unspent_held_stars;
    const facts = { wallet: withReversedHeld(wallet, pool, held), now, purchase };
    return change > 0 ? takeBack(facts, change) : giveBack(facts, -change);
  },
};

const poolOf = ({ expires_at }: Purchase): Pool => ({ compartment: 'pack', expires_at });

const sourceOf = (event: PackReversal, { stars }: Purchase): Source => ({
  id: event.source ?? event.event_id,
  ...(event.amount === undefined ? { stars: event.stars ?? stars } : { amount: event.amount }),
  claw_back: event.claw_back,
  occurred_at: event.occurred_at,
});

/** The stars that are reversed by now. Amounts are added before they are rounded down. */
const reversedOf = ({ stars, sources, ...paid }: Purchase): Reversed => {
  const amount = amountOf(paid);
  return reversedBy(sources, stars, (some) => {
    const totalOf = (of: (source: Source) => number | undefined) =>
      some.reduce((total, source) => total + (of(source) ?? 0), 0);
    const money = Math.min(
      totalOf((source) => source.amount),
      amount,
    );
    const bought = Number((BigInt(stars) * BigInt(money)) / BigInt(amount));
    return totalOf((source) => source.stars) + bought;
  });
};

type ReversalFacts = Pick<Facts, 'wallet' | 'now'> & { purchase: Purchase };

/**
 * Takes free stars that expire with those of the purchase, whichever purchase gave them. What is missing is owed: once the rule
 * has returned, `payOwed` pays it with other free stars.
 */
const takeBack = ({ wallet, purchase }: ReversalFacts, stars: number): Effect => {
  const lots = freeLots(wallet).filter((lot) => isOfPool(lot, poolOf(purchase)));
  const takenLots = takeUpTo(lots, stars);
  const owed_stars = wallet.owed_stars + stars - sum(takenLots);
  return { wallet: moveStars({ ...wallet, owed_stars }, takenLots, { stars: -1 }), purchase };
};

/** Gives stars back: cancels owed stars first, and gives the others as stars of the purchase. */
const giveBack = ({ wallet, now, purchase }: ReversalFacts, stars: number) => {
  const canceled = Math.min(stars, wallet.owed_stars);
  const { expires_at } = purchase;
  const returned: Lot = {
    compartment: 'pack',
    stars: stars - canceled,
    ...(expires_at !== undefined && {
      expires_at: expires_at > now ? expires_at : now + returnedForMs,
    }),
  };
  const after = { ...wallet, owed_stars: wallet.owed_stars - canceled };
  const effect = giveStars(after, returned.stars > 0 ? [returned] : [], now);
  return typeof effect === 'string' ? effect : { ...effect, purchase };
};
