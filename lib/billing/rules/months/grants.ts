import type { Month } from '../../stored/months/month.ts';
import type { PaidLine } from '../../stored/months/paid-line.ts';
import { addMonths, monthsBetween } from './calendar.ts';
import { type Fraction, floor, fraction, multiply, sumUp } from './fraction.ts';

// docs/decisions/paid-lines.md

/** The stars a month of a line. */
const starsOf = ({ monthly_grant_stars, share }: PaidLine): Fraction =>
  multiply(fraction(monthly_grant_stars), share ? fraction(share.amount, share.of) : fraction(1));

/** The stars that a line gives for the time that it shares with another, of a month that is so long. */
const starsWithin = (line: PaidLine, from: number, until: number, monthMs: number): Fraction => {
  const sharedMs = Math.max(0, Math.min(line.until, until) - Math.max(line.from, from));
  return multiply(starsOf(line), fraction(sharedMs, monthMs));
};

/** The stars that lines give in a month until an end, exact. */
export const exactStarsIn = (
  lines: readonly PaidLine[],
  { from, until, whole_from }: Month,
  end = until,
): Fraction =>
  sumUp(
    lines.map((line) => {
      if (line.trial) return line.from === from ? starsOf(line) : fraction(0);
      return starsWithin(line, from, Math.min(end, until), until - whole_from);
    }),
  );

/**
 * The stars of a month: rounded down once, never below 0. `next` is when another month begins: lines from then on are of that.
 * Pure: the order of the lines does not matter.
 */
export const grantOf = (
  lines: readonly PaidLine[],
  month: Month,
  next = Number.POSITIVE_INFINITY,
): number =>
  Math.max(
    0,
    floor(
      exactStarsIn(
        lines.filter(({ from }) => from < next),
        month,
      ),
    ),
  );

/** The stars of a month that ended early, as another month began: only its own time counts. */
export const endedGrantOf = (lines: readonly PaidLine[], month: Month, end: number): number =>
  Math.max(0, floor(exactStarsIn(lines, month, end)));

/** The stars that lines give for the time before a moment, in calendar months counted back from it, exact. Trials have none. */
export const exactStarsBefore = (lines: readonly PaidLine[], time: number): Fraction =>
  sumUp(lines.filter(({ trial }) => !trial).flatMap((line) => pastOf(line, time)));

/** The stars that lines give for the time before a moment, rounded down once. */
export const starsBefore = (lines: readonly PaidLine[], time: number): number =>
  floor(exactStarsBefore(lines, time));

/** Whether lines give a star for the time after a moment. */
export const hasStarsAfter = (lines: readonly PaidLine[], time: number): boolean => {
  const rest = lines
    .filter(({ until }) => until > time)
    .map((line) => ({ ...line, from: Math.max(line.from, time) }));
  return starsBefore(rest, Math.max(time, ...rest.map(({ until }) => until))) > 0;
};

/** How many stars a month lines are until an end, for each time in which that is the same: the last first. */
const levelsOf = (lines: readonly PaidLine[]): { end: number; stars: Fraction }[] =>
  lines
    .flatMap(({ from, until }) => [from, until])
    .sort((a, b) => b - a)
    .map((end) => {
      const last = lines.filter(({ from, until }) => from < end && end <= until);
      return { end, stars: sumUp(last.map(starsOf)) };
    });

/** The end of the last time for which lines sum to more than 0. */
export const paidUntil = (lines: readonly PaidLine[]): number | undefined =>
  levelsOf(lines).find(({ stars }) => stars.n > 0n)?.end;

/** Whether lines sum to more than 0 just before the end of one of them. */
export const isPaidAt = (lines: readonly PaidLine[], until: number): boolean =>
  levelsOf(lines).some(({ end, stars }) => end === until && stars.n > 0n);

/** Lines that make up for others after a time, if these sum to less than 0 then: a customer owes nothing for a time to come. */
export const forgivingLines = (lines: readonly PaidLine[], time: number): PaidLine[] => {
  const later = lines.filter(({ until, trial }) => until > time && !trial);
  if (!levelsOf(later).some(({ end, stars }) => end > time && stars.n < 0n)) return [];
  return later.map(({ from, until, monthly_grant_stars, share }) => ({
    from: Math.max(from, time),
    until,
    monthly_grant_stars: -monthly_grant_stars,
    proration: true,
    ...(share && { share }),
  }));
};

const pastOf = (line: PaidLine, time: number): Fraction[] => {
  const parts: Fraction[] = [];
  if (line.from >= time) return parts;
  let month = monthsBetween(time, Math.min(line.until, time) - 1);
  for (let end = addMonths(time, month + 1); line.from < end; month--) {
    const begin = addMonths(time, month);
    parts.push(starsWithin(line, begin, end, end - begin));
    end = begin;
  }
  return parts;
};
