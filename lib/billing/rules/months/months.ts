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

/** Where lines are equal otherwise, which has no months of its own: a trial first, then a part. */
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
  const month = cutBy(wholeLines(lines), time);
  return month && grantOfMonth(lines, month, time) > 0 ? month : undefined;
};

const cutBy = (whole: readonly PaidLine[], time: number): Month | undefined => {
  const line = whole.find(({ from, until }) => from <= time && time < until);
  if (!line) return undefined;
  const cut = cutAt(line, time);
  // Another line, which began later, has cut months until it ended.
  const ends = whole.filter((one) => one.from > line.from && one.until <= time);
  return { ...cut, from: Math.max(cut.from, ...ends.map(({ until }) => until)) };
};

/** When the whole month begins that has a time, also if nothing is paid for it, or another line has cut it. */
export const wholeMonthBegin = (lines: readonly PaidLine[], time: number): number | undefined =>
  cutBy(wholeLines(lines), time)?.whole_from;

/** The first month for which something is paid, of those that begin at a time or later. */
export const monthFrom = (lines: readonly PaidLine[], time: number): Month | undefined => {
  const whole = wholeLines(lines);
  const begins = beginsOf(lines);
  let begin = time;
  while (begin < Number.POSITIVE_INFINITY) {
    const month = cutBy(whole, begin);
    if (month && month.from >= begin) {
      if (grantOf(lines, month, nextOf(begins, month, begin)) > 0) return month;
    }
    const later = whole.map(({ from }) => from).filter((from) => from > begin);
    begin = Math.min(month?.until ?? Number.POSITIVE_INFINITY, ...later);
  }
  return undefined;
};

/** Whether two months belong to the same whole month: each may be only a part of it, or what is left of it. */
export const isSameMonth = (one: Month, other: Month): boolean =>
  one.until === other.until && one.whole_from === other.whole_from;

/** The months with which lines begin, and that can end others: those for which something is paid, the last first. */
const beginsOf = (lines: readonly PaidLine[]): Month[] => {
  const begins: Month[] = [];
  const whole = wholeLines(lines);
  for (const { from } of whole) {
    const month = cutBy(whole, from)!;
    if (grantOf(lines, month, nextOf(begins, month, from)) > 0) begins.push(month);
  }
  return begins;
};

/** When a month ends, as of a time in it: where another paid month begins within it, else at its own end. */
export const endOfMonth = (lines: readonly PaidLine[], month: Month, time: number): number =>
  nextOf(beginsOf(lines), month, time);

/** The first beginning after a time within a month, else the month’s end. */
const nextOf = (begins: readonly Month[], month: Month, time: number): number =>
  begins.findLast(
    (begin) => time < begin.from && begin.from < month.until && !isSameMonth(begin, month),
  )?.from ?? month.until;

/**
 * The stars of a month by all lines, as of a time in it. Lines that begin with another month, which ends this month later,
 * are of that month.
 */
export const grantOfMonth = (lines: readonly PaidLine[], month: Month, time = month.from): number =>
  grantOf(lines, month, endOfMonth(lines, month, time));

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
