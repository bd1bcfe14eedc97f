import type { Month } from '../../stored/months/month.ts';
import type { PaidLine } from '../../stored/months/paid-line.ts';
import { emptySubscription, type Subscription, type Wallet } from '../../stored/wallet.ts';
import type { Effect } from '../causes.ts';
import { withStillHeld } from '../compartments.ts';
import { add, floor } from './fraction.ts';
import { endedGrantOf, exactStarsBefore, hasStarsAfter, starsBefore } from './grants.ts';
import { grantOfMonth, isSameMonth, monthAt, monthFrom, wholeMonthBegin } from './months.ts';
import { currentPeriodOf, withTier } from './subscription-of-lines.ts';

// docs/decisions/paid-lines.md

const minuteMs = 60_000;

/** The monthly stars that no hold has. */
export const freeMonthly = ({ monthly_stars, held }: Wallet): number =>
  monthly_stars - held.monthly;

/** The lines that still count: those of the current month, and of later months. */
export const keptLines = (wallet: Wallet, now: number): PaidLine[] =>
  withoutPast(wallet.subscription?.lines ?? [], wallet.month, now);

const withoutPast = (lines: readonly PaidLine[], month: Month | undefined, now: number) => {
  // Without a month that runs, lines that are over may have cut the month that could run now.
  const begin = month?.from ?? wholeMonthBegin(lines, now) ?? now;
  return lines.filter(({ until }) => until > begin);
};

/** The wallet in a month, or in none, with what follows from its lines. */
const inMonth = (wallet: Wallet, month: Month | undefined, now: number): Wallet => {
  const { lines, grace_minutes } = wallet.subscription ?? { lines: [], grace_minutes: 0 };
  const next = nextMonth(lines, month, now + 1);
  const monthly_grant_stars = month ? grantOfMonth(lines, month, now) : 0;
  return {
    ...wallet,
    month,
    monthly_grant_stars,
    monthly_lapse_at: month && month.until + grace_minutes * minuteMs,
    next_grant: next && {
      at: next.from,
      stars:
        grantOfMonth(lines, next) +
        (month ? Math.max(0, endedGrantOf(lines, month, next.from) - monthly_grant_stars) : 0),
    },
  };
};

/** The first month that begins at a time or later, other than the month that runs: not what is left of this. */
const nextMonth = (
  lines: readonly PaidLine[],
  running: Month | undefined,
  time: number,
): Month | undefined => {
  const next = monthFrom(lines, time);
  return next && running && isSameMonth(next, running)
    ? nextMonth(lines, running, next.from + 1)
    : next;
};

/** The wallet with other lines, in the same month. */
export const withLines = (wallet: Wallet, lines: readonly PaidLine[], now: number): Wallet => {
  const { month, subscription = emptySubscription } = wallet;
  const kept = withoutPast(lines, month, now);
  return inMonth({ ...wallet, subscription: { ...subscription, lines: kept } }, month, now);
};

/** Gives more monthly stars, or fewer. Fewer are taken from free stars, and what is missing is owed. */
export const changeMonthly = (wallet: Wallet, change: number): Wallet => {
  const taken = Math.min(Math.max(0, -change), freeMonthly(wallet));
  const owed = Math.max(0, -change) - taken;
  return {
    ...wallet,
    monthly_stars: wallet.monthly_stars + Math.max(0, change) - taken,
    owed_stars: wallet.owed_stars + owed,
  };
};

/**
 * Begins another month: free stars of the last month lapse, and the grant comes, with stars that come late. A month that
 * is cut short keeps only its share: the rest is taken from free stars, and what is missing is owed.
 */
export const beginMonth = (
  wallet: Wallet,
  subscription: Subscription,
  month: Month,
  late: { stars: number; most?: number },
): Effect => {
  const { lines } = subscription;
  const { month: last } = wallet;
  const change = last ? endedGrantOf(lines, last, month.from) - wallet.monthly_grant_stars : 0;
  const ended = changeMonthly(wallet, Math.min(0, change));
  const kept = { ...subscription, lines: lines.filter(({ until }) => until > month.from) };
  const months = wallet.months + 1;
  const begun = inMonth({ ...ended, subscription: kept, months }, month, month.from);
  const given = begun.monthly_grant_stars + late.stars + Math.max(0, change);
  const most = late.most ?? Number.POSITIVE_INFINITY;
  return {
    lapsed: { monthly: freeMonthly(ended) },
    wallet: withStillHeld({
      ...begun,
      monthly_stars: Math.min(ended.held.monthly + given, most),
      held_of_earlier_months: ended.held.monthly,
    }),
  };
};

/**
 * The month that lines have now, if it is not the one that runs: it begins. A period that is over as it is paid ends no month
 * that runs.
 */
export const monthToBegin = (
  lines: readonly PaidLine[],
  running: Month | undefined,
  now: number,
): Month | undefined => {
  const latest = monthAt(lines, now);
  if (!latest || !running) return latest;
  return latest.from <= running.from || isSameMonth(latest, running) ? undefined : latest;
};

/**
 * The wallet with more lines, paid or credited. What they change of the month that runs comes or goes at once, what they give
 * for the time before it comes now. `unserved`: they were paid, and no month can have what they give.
 */
export const addLines = (
  wallet: Wallet,
  subscription: Subscription,
  added: readonly PaidLine[],
  now: number,
): Effect => {
  const { month } = wallet;
  const lines = [...keptLines(wallet, now), ...added];
  const after: Subscription = {
    ...withTier({ ...subscription, lines: [...subscription.lines, ...added] }, now),
    ...currentPeriodOf(added, subscription),
    lines,
  };
  const next = monthToBegin(lines, month, now);
  if (next) {
    const stars = Math.max(0, starsBefore(outside(added, month), next.from));
    return beginMonth(wallet, after, next, { stars });
  }
  const latest = monthAt(lines, now);
  const running = month && (latest?.from === month.from ? latest : month);
  const changed = withLines({ ...wallet, month: running, subscription: after }, lines, now);
  const isOver = !running || running.until <= now;
  const hasNone = isOver && changed.next_grant === undefined;
  // Prorations alone make no month: the period that they change is not paid.
  const unserved = hasNone && [lines, added].every((some) => hasStarsAfter(some, now));
  if (!running) {
    const over = added.filter(({ until }) => until <= now);
    return { wallet: changed, unserved: unserved || starsBefore(over, now) > 0 };
  }
  // While grace runs, also what is over since the month ended comes late.
  const since = added.map((line) => ({ ...line, from: Math.max(line.from, running.until) }));
  const past = add(exactStarsBefore(added, running.from), exactStarsBefore(since, now));
  const late = Math.max(0, floor(past));
  const change = changed.monthly_grant_stars - wallet.monthly_grant_stars;
  return { wallet: changeMonthly(changed, change + late), unserved };
};

/** The lines without the time of a month. */
const outside = (lines: readonly PaidLine[], month: Month | undefined): PaidLine[] => {
  if (!month) return [...lines];
  return lines
    .flatMap((line) => [
      { ...line, until: Math.min(line.until, month.from) },
      { ...line, from: Math.max(line.from, month.until) },
    ])
    .filter(({ from, until }) => from < until);
};

/** Begins the next month, as the clock does; `most`: the most stars that the wallet can have. */
export const beginNextMonth = (wallet: Wallet, now: number, most: number): Effect => {
  const { subscription, monthly_lapse_at = 0 } = wallet;
  const next = subscription && monthFrom(subscription.lines, now);
  if (!subscription || next?.from !== now) throw new Error('no month begins now');
  // The last month may have been over before, with nothing left to lapse.
  const before = now > monthly_lapse_at ? { ...wallet, month: undefined } : wallet;
  const effect = beginMonth(before, withTier(subscription, now), next, { stars: 0, most });
  const owed_stars = Math.min(effect.wallet.owed_stars, most);
  return { ...effect, wallet: { ...effect.wallet, owed_stars } };
};
