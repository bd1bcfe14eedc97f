import type { PaidLine } from '../../stored/months/paid-line.ts';
import type { SubscriptionPayment } from '../../stored/purchase.ts';
import type { Wallet } from '../../stored/wallet.ts';
import { mostSources } from '../../terms/refusals.ts';
import type { Effect, RulesOf } from '../causes.ts';
import { countUnspent, withReversedHeld } from '../compartments.ts';
import { add, type Fraction, floor, fraction, multiply } from '../months/fraction.ts';
import { grantOf } from '../months/grants.ts';
import { endOfMonth, exactStarsGiven } from '../months/months.ts';
import { withTier } from '../months/subscription-of-lines.ts';
import {
  beginMonth,
  changeMonthly,
  keptLines,
  monthToBegin,
  withLines,
} from '../months/wallet-months.ts';
import { giveStars } from '../star-rules.ts';
import type { WalletEventOf } from '../wallet-events.ts';
import { returnedForMs } from './pack-reversal.ts';
import { amountOf, type Reversed, reversedBy, settleReversal, withSource } from './sources.ts';

const pool = { compartment: 'monthly' } as const;

// docs/decisions/paid-lines.md
export const subscriptionReversalRules: RulesOf<WalletEventOf<'subscription.reversed'>> = {
  'subscription.reversed': (event, { wallet: asked, now, payment: had }) => {
    if (!had) return 'unknown_payment';
    if (event.amount && !had.amount) return 'unknown_amount';
    const { source: id = event.event_id, amount = amountOf(had), claw_back, occurred_at } = event;
    const sources = withSource(had.sources, { id, amount, claw_back, occurred_at }, {});
    if (sources.length > mostSources) return 'too_many_sources';
    const [before, after] = [reversedOf(had), reversedOf({ ...had, sources })];

    // A month may begin that has no star before. Then the stars of the reversal are of that.
    const { wallet, lapsed } = inMonthOf(reversing(asked, had, now).at(after.all), asked, now);
    const { counted, at: linesAt } = reversing(wallet, had, now);
    const lines = linesAt(after.all);
    const { month } = wallet;
    const end = month && endOfMonth(lines, month, now);
    const grantAt = (money: number) => (month ? grantOf(linesAt(money), month, end) : 0);
    // This month may end elsewhere than before, as another that was to cut it short begins no more, or begins again. What that
    // alone changes is no reversed star: it comes or goes first.
    const moved = changeMonthly(wallet, grantAt(before.all) - wallet.monthly_grant_stars);
    const subscription = wallet.subscription && withTier(wallet.subscription, now);
    const changed = withLines({ ...moved, subscription }, lines, now);
    const rise = grantAt(after.all) - grantAt(before.all);

    // In stars: the share of what was given before this month, and what the month's grant falls by.
    const reversedGrant = (money: number) => grantAt(0) - grantAt(money);
    const over = had.lines.filter((line) => !counted.includes(line));
    const given = add(givenBy(had, counted, month?.from ?? now), givenBy(had, over, now));
    const inStars = (money: number) =>
      Math.max(0, floor(multiply(given, shareOf(had, money)))) + reversedGrant(money);
    const reversed = { clawed: inStars(after.clawed), all: inStars(after.all) };
    const unspent = countUnspent(moved, pool, Math.max(0, -rise));
    const { change, ...settled } = settleReversal(
      asOfNow(had, inStars(before.all)),
      reversed,
      unspent,
    );
    const held = settled.unspent_held_stars - had.unspent_held_stars;
    const forgiven_stars = reversed.all - settled.due_stars;
    const payment = { ...had, sources, ...settled, forgiven_stars };
    const effect = changeStars(withReversedHeld(changed, pool, held), -change, rise, now);
    return typeof effect === 'string' ? effect : { ...effect, payment, ...(lapsed && { lapsed }) };
  },
};

/** The lines that a payment still has, and all lines with so much of its money reversed. */
const reversing = (wallet: Wallet, had: SubscriptionPayment, now: number) => {
  // Lines of earlier reversals are among those that are kept: only the difference is added.
  const kept = keptLines(wallet, now);
  const counted = had.lines.filter((line) => kept.some((one) => isSame(one, line)));
  const { all } = reversedOf(had);
  const at = (money: number) => merged([...kept, ...reversalsOf(had, counted, money - all)]);
  return { counted, at };
};

/** The wallet in the month that lines have now. If that begins, it has the stars of the wallet's own lines. */
const inMonthOf = (lines: readonly PaidLine[], wallet: Wallet, now: number): Effect => {
  const { month, subscription } = wallet;
  const next = monthToBegin(lines, month, now);
  if (!next || !subscription) return { wallet };
  return beginMonth(wallet, withTier(subscription, now), next, { stars: 0 });
};

/** The part of the money that is reversed by now. */
const reversedOf = (payment: SubscriptionPayment): Reversed =>
  reversedBy(payment.sources, amountOf(payment), (some) =>
    some.reduce((total, { amount = 0 }) => total + amount, 0),
  );

const isSame = (one: PaidLine, other: PaidLine): boolean =>
  (['from', 'until', 'monthly_grant_stars', 'tier', 'trial', 'share'] as const).every(
    (name) => one[name] === other[name],
  );

/** A payment’s lines once more, with stars below 0, for so much of its money: below 0 if less is reversed than before. */
const reversalsOf = (
  payment: SubscriptionPayment,
  lines: readonly PaidLine[],
  money: number,
): PaidLine[] =>
  lines.map(({ monthly_grant_stars, ...line }) => ({
    ...line,
    monthly_grant_stars: -monthly_grant_stars,
    share: { amount: money, of: amountOf(payment) },
  }));

/** All lines. Reversals that are alike become one line; a reversal of nothing is left out. */
const merged = (lines: readonly PaidLine[]): PaidLine[] => {
  const reversals = Map.groupBy(
    lines.filter(({ share }) => share),
    ({ share, ...line }) => JSON.stringify([...Object.entries(line).sort(), share?.of]),
  );
  const sums = [...reversals.values()].map((same) => {
    const amount = same.reduce((total, { share }) => total + (share?.amount ?? 0), 0);
    return { ...same[0]!, share: { of: 1, ...same[0]!.share, amount } };
  });
  return [...lines.filter(({ share }) => !share), ...sums.filter(({ share }) => share.amount > 0)];
};

const shareOf = (payment: SubscriptionPayment, money: number): Fraction =>
  fraction(money, amountOf(payment));

/** The stars that lines of a payment gave until a time, exact. */
const givenBy = (had: SubscriptionPayment, lines: readonly PaidLine[], time: number): Fraction =>
  exactStarsGiven(lines, had.served_from ?? 0, time);

/**
 * The payment with `all`, the stars that its earlier reversals come to by now: months have passed since. What these did not give
 * counts as found free, and taken.
 */
const asOfNow = (had: SubscriptionPayment, all: number): SubscriptionPayment => {
  const { unspent_free_stars, unspent_held_stars: held } = had;
  const due_stars = all - Math.min(had.forgiven_stars, all);
  const spent = Math.min(had.due_stars - unspent_free_stars - held, due_stars);
  return { ...had, due_stars, unspent_free_stars: due_stars - spent - held };
};

/**
 * Takes stars (below 0): monthly stars, and what is missing is owed. Or gives them: owed stars are canceled first, then
 * come monthly stars, as many as the month's grant rises by, then pack stars.
 */
const changeStars = (wallet: Wallet, stars: number, rise: number, now: number) => {
  if (stars <= 0) return { wallet: changeMonthly(wallet, stars) };
  const canceled = Math.min(stars, wallet.owed_stars);
  const monthly = Math.min(stars - canceled, Math.max(0, rise));
  const pack = stars - canceled - monthly;
  const after = changeMonthly({ ...wallet, owed_stars: wallet.owed_stars - canceled }, monthly);
  const returned = { compartment: 'pack', stars: pack, expires_at: now + returnedForMs } as const;
  return giveStars(after, pack > 0 ? [returned] : [], now);
};
