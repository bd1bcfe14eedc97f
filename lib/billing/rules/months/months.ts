import type { Month } from '../../stored/months/month.ts';
import type { PaidLine } from '../../stored/months/paid-line.ts';
import { addMonths, countMonths, monthsBetween } from './calendar.ts';
import { type Fraction, sumUp } from './fraction.ts';
import { exactStarsBefore, exactStarsIn, grantOf } from './grants.ts';

// docs/decisions/paid-lines.md
// Which months a subscription's lines make. The order of the lines never matters.

/** Whether a line is a period: neither a change of months that others begin, nor a reversal. */
export const isPeriod = ({ proration, part, share }: PaidLine): boolean =>
  (!proration || part === true) && !share;

/** Whether a line has months of its own. What reverses a credit has none. */
const isWhole = (line: PaidLine): boolean => line.monthly_grant_stars > 0 && isPeriod(line);

/** What of equal lines has no months: a trial first, then a part. */
const marksOf = ({ trial, part }: PaidLine): number =>
  2 * Number(trial ?? false) + Number(part ?? false);

/** The lines that have months of their own. The line that began last is first, as it cuts the months of the others. */
export const wholeLines = (lines: readonly PaidLine[]): PaidLine[] =>
  lines
    .filter(isWhole)
    .sort((a, b) => b.from - a.from || b.until - a.until || marksOf(a) - marksOf(b));

/** The month of a line's own that has a time within the line. */
const cutAt = ({ from, until, part, trial }: PaidLine, time: number): Month => {
  if (part) {
    const back = monthsBetween(until, time);
    const [begin, end] = [addMonths(until, back), addMonths(until, back + 1)];
    return { from: Math.max(from, begin), until: end, whole_from: begin };
  }
  const last = trial ? 0 : countMonths(from, until) - 1;
  const k = Math.min(monthsBetween(from, time), last);
  const begin = addMonths(from, k);
  return { from: begin, until: k === last ? until : addMonths(from, k + 1), whole_from: begin };
};

/** The month that has a time, if anything is paid for it. */
export const monthAt = (lines: readonly PaidLine[], time: number): Month | undefined => {
  const whole = wholeLines(lines);
  const month = cutBy(whole, time);
  return month && grantOf(lines, month, nextBegin(whole, month)) > 0 ? month : undefined;
};

const cutBy = (whole: readonly PaidLine[], time: number): Month | undefined => {
  const line = whole.find(({ from, until }) => from <= time && time < until);
  if (!line) return undefined;
  const cut = cutAt(line, time);
  // Another line, which began later, has cut months until it ended.
  const ends = whole.filter((one) => one.from > line.from && one.until <= time);
  return { ...cut, from: Math.max(cut.from, ...ends.map(({ until }) => until)) };
};

/**
 * The first month for which something is paid, of those that begin at a time or later. `cutsAt`: whether the rest of a month
 * that has begun before the time is one of them.
 */
export const monthFrom = (
  lines: readonly PaidLine[],
  time: number,
  { cutsAt = true } = {},
): Month | undefined => {
  const whole = wholeLines(lines);
  let next: number | undefined = time;
  while (next !== undefined) {
    const begin: number = next;
    const month = cutBy(whole, begin);
    const own = month && { ...month, from: Math.max(month.from, begin) };
    const begins = cutsAt || (month && month.from >= begin);
    if (own && begins && grantOf(lines, own, nextBegin(whole, own)) > 0) return own;
    const later = whole.map(({ from }) => from).filter((from) => from > begin);
    next = own ? nextBegin(whole, own) : later.length > 0 ? Math.min(...later) : undefined;
  }
  return undefined;
};

/** When a month is over: as it ends, or as a line begins within it. */
const nextBegin = (whole: readonly PaidLine[], { from, until }: Month): number =>
  Math.min(until, ...whole.map((line) => line.from).filter((begin) => from < begin));

/** The stars of a month, by all lines: those that begin with another month are of that. */
export const grantOfMonth = (lines: readonly PaidLine[], month: Month): number =>
  grantOf(lines, month, nextBegin(wholeLines(lines), month));

/**
 * The month that follows a given month, but none that began before a time. It may begin within the given month, or after
 * a gap.
 */
export const monthAfter = (
  lines: readonly PaidLine[],
  month: Month,
  time = month.from,
): Month | undefined => monthFrom(lines, Math.max(nextBegin(wholeLines(lines), month), time));

/**
 * The stars that lines gave from one moment until another, exact: in their own months, so that a month that is over is all of
 * its stars, whatever its days. What has no months of its own is counted in calendar months back from its end.
 */
export const exactStarsGiven = (
  lines: readonly PaidLine[],
  since: number,
  time: number,
): Fraction =>
  sumUp(
    lines.flatMap((line) => {
      const [from, until] = [Math.max(line.from, since), Math.min(line.until, time)];
      if (line.trial || from >= until) return [];
      if (!isWhole(line)) return [exactStarsBefore([{ ...line, from, until }], until)];
      const parts: Fraction[] = [];
      for (let begin = from; begin < until; ) {
        const month = cutAt(line, begin);
        parts.push(exactStarsIn([line], { ...month, from: begin }, until));
        begin = month.until;
      }
      return parts;
    }),
  );
