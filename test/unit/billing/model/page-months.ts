// The lines and months of a subscription as docs/stars.md tells them, in the plainest way. It follows that page, imports nothing of
// lib, and must never be bent to the code.
import type { ModelLine } from '../../../support/wallet-model.ts';

/** A fraction, so that nothing is rounded but where the page says it. */
export interface Fraction {
  over: bigint;
  under: bigint;
}

const shortened = ({ over, under }: Fraction): Fraction => {
  let [a, b] = [over < 0n ? -over : over, under];
  while (b > 0n) {
    [a, b] = [b, a % b];
  }
  return { over: over / a, under: under / a };
};

export const fraction = (over: number, under = 1): Fraction => ({
  over: BigInt(over),
  under: BigInt(under),
});
export const plus = (a: Fraction, b: Fraction): Fraction =>
  b.over === 0n
    ? a
    : shortened({ over: a.over * b.under + b.over * a.under, under: a.under * b.under });
export const times = (a: Fraction, b: Fraction): Fraction =>
  a.over === 0n || b.over === 0n
    ? fraction(0)
    : shortened({ over: a.over * b.over, under: a.under * b.under });
export const minus = (a: Fraction, b: Fraction): Fraction =>
  plus(a, { over: -b.over, under: b.under });

/** Rounded down, and never below 0. */
export const stars = (sum: Fraction): number => (sum.over > 0n ? Number(sum.over / sum.under) : 0);

/** A line, with the id of its event. */
export interface PaidLine extends ModelLine {
  of: string;
  /** Whether it counts no more. */
  isOver?: boolean;
  /** Of what makes up for a former subscription's line: the share that counts, whatever is reversed later. */
  fixed?: Fraction;
}

/** A month, and the whole month of its period, of which it may be a part. */
export interface Month {
  start: number;
  end: number;
  whole: [from: number, until: number];
  /** Whether it is the month of a trial. */
  trial: boolean;
}

const dayMs = 86_400_000;

/** The same day and time so many months later. Where a month has no such day, its last one. */
export const monthsLater = (time: number, months: number): number => {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
};

export const isPeriod = (line: ModelLine) =>
  line.monthly_grant_stars > 0 && (!line.proration || line.part === true);

/** The whole months that a period is cut into. */
const wholeMonths = (period: ModelLine): [from: number, until: number][] => {
  const { from, until } = period;
  if (period.trial) {
    return [[from, until]];
  }
  const cuts: number[] = [];
  if (period.part) {
    for (let back = 0; cuts.length === 0 || (cuts[0] as number) > from; back += 1) {
      cuts.unshift(monthsLater(until, -back));
    }
  } else {
    const count = Math.max(1, Math.round((until - from) / dayMs / 30.436875));
    for (let month = 0; month < count; month += 1) {
      cuts.push(monthsLater(from, month));
    }
    cuts.push(until);
  }
  return cuts.slice(1).map((end, index) => [cuts[index] as number, end]);
};

const marksOf = ({ trial, part }: ModelLine) => (trial ? 2 : part ? 1 : 0);

/** All months of these lines, in their order, also those whose lines sum to nothing. */
export const monthsOf = (lines: readonly ModelLine[]): Month[] => {
  const periods = lines
    .filter(isPeriod)
    // The last to begin has the months; of equal ones, the last to end, then a plain one, a part, a trial.
    .sort((a, b) => b.from - a.from || b.until - a.until || marksOf(a) - marksOf(b))
    .map((period) => ({ ...period, months: wholeMonths(period) }));
  const times = new Set(
    periods.flatMap(({ from, until, months }) => [
      from,
      until,
      ...months.flat().filter((at) => at > from && at < until),
    ]),
  );
  const sorted = [...times].sort((a, b) => a - b);
  const found: (Month & { owner: string })[] = [];
  for (const [index, start] of sorted.entries()) {
    const end = sorted[index + 1];
    const period = periods.find(({ from, until }) => from <= start && start < until);
    const whole = period?.months.find(([from, until]) => from <= start && start < until);
    if (end !== undefined && period && whole) {
      const owner = `${period.from} ${period.until} ${whole[0]}`;
      const last = found.at(-1);
      if (last?.owner === owner && last.end === start) {
        last.end = end;
      } else {
        found.push({ start, end, whole, trial: period.trial === true, owner });
      }
    }
  }
  return found;
};

const overlap = (line: ModelLine, from: number, until: number) =>
  Math.max(0, Math.min(line.until, until) - Math.max(line.from, from));

/** What lines give in a month, or in its time up to `until`. `left` says which share of a line is not reversed. */
export const worthOf = (
  month: Month,
  lines: readonly PaidLine[],
  left: (line: PaidLine) => Fraction,
  until = month.whole[1],
): Fraction => {
  let sum = fraction(0);
  for (const line of lines) {
    if (line.from >= month.end) {
      continue; // Begins with the next month or later.
    }
    if (line.trial) {
      const own = month.start === line.from;
      sum = plus(sum, times(fraction(own ? line.monthly_grant_stars : 0), left(line)));
    } else {
      const share = fraction(overlap(line, month.start, until), month.whole[1] - month.whole[0]);
      sum = plus(sum, times(times(fraction(line.monthly_grant_stars), share), left(line)));
    }
  }
  return sum;
};

/**
 * What lines say of time before `start`, in calendar months counted back from there; without the time of a month that has had it
 * already. With `since`, also of the time in it, counted back from its end.
 */
export const pastOf = (
  lines: readonly ModelLine[],
  start: number,
  already?: { start: number; end: number },
  since?: { from: number; until: number },
): Fraction => {
  let sum = fraction(0);
  for (const line of lines.filter(({ trial }) => !trial)) {
    const add = (from: number, until: number, length: number) => {
      if (until > from) {
        sum = plus(
          sum,
          times(fraction(line.monthly_grant_stars), fraction(overlap(line, from, until), length)),
        );
      }
    };
    for (let back = 1; monthsLater(start, 1 - back) > line.from; back += 1) {
      const [from, until] = [monthsLater(start, -back), monthsLater(start, 1 - back)];
      if (already) {
        add(from, Math.min(until, already.start), until - from);
        add(Math.max(from, already.end), until, until - from);
      } else {
        add(from, until, until - from);
      }
    }
    for (let back = 0; since && monthsLater(since.until, -back) > since.from; back += 1) {
      const [from, until] = [monthsLater(since.until, -1 - back), monthsLater(since.until, -back)];
      add(Math.max(from, since.from), until, until - from);
    }
  }
  return sum;
};

/** What lines gave from one moment until another: a period in its own months, another line in those counted back from its end. */
export const givenBefore = (lines: readonly ModelLine[], since: number, time: number): Fraction => {
  let sum = fraction(0);
  for (const line of lines) {
    const [from, until] = [Math.max(line.from, since), Math.min(line.until, time)];
    if (line.trial || from >= until) {
      continue;
    }
    if (isPeriod(line)) {
      for (const [begin, end] of wholeMonths(line)) {
        const shared = fraction(
          Math.max(0, Math.min(end, until) - Math.max(begin, from)),
          end - begin,
        );
        sum = plus(sum, times(fraction(line.monthly_grant_stars), shared));
      }
    } else {
      sum = plus(sum, pastOf([{ ...line, from, until }], until));
    }
  }
  return sum;
};
