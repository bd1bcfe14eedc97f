// The subscription of a wallet as docs/stars.md tells it: its months, and what its lines give. It follows that page, imports nothing
// of lib, and must never be bent to the code.
import type { ModelLine } from '../../../support/wallet-model.ts';
import {
  type Fraction,
  fraction,
  givenBefore,
  isPeriod,
  type Month,
  minus,
  monthsOf,
  type PaidLine,
  pastOf,
  plus,
  stars,
  times,
  worthOf,
} from './page-months.ts';
import { Reversible } from './page-reversals.ts';
import type { Stars } from './page-stars.ts';

interface RunningMonth extends Month {
  granted: number;
}

interface PaidEvent extends Reversible {
  lines: ModelLine[];
  /** What was for a time before it gave nothing, as no month ran. */
  servedFrom: number;
}

const statuses = ['canceled', 'paused', 'unpaid', 'past_due', 'active', 'trialing'];
const rankOf = (status: string) =>
  statuses.includes(status) ? statuses.indexOf(status) : statuses.length;

export class Subscription {
  id: string | undefined;
  readonly formerIds = new Set<string | undefined>();
  status = 'active';
  private statusAt = Number.NEGATIVE_INFINITY;
  readonly events = new Map<string, PaidEvent>();
  /** All lines, also those that count no more. */
  private told: PaidLine[] = [];
  /** Of this subscription, the last period to begin; before any, the last end of a line. */
  private period: { from: number | undefined; until: number } | undefined;
  grace = 0;
  private tier: string | undefined;
  /** All months that have begun. Whether the last one runs, the stars know. */
  readonly begun: RunningMonth[] = [];
  private known: Month[] | undefined;
  private readonly stars: Stars;

  constructor(stars: Stars) {
    this.stars = stars;
  }

  /** The lines that count. */
  get lines(): PaidLine[] {
    return this.told.filter(({ isOver }) => !isOver);
  }

  get month(): RunningMonth | undefined {
    return this.stars.monthRuns ? this.begun.at(-1) : undefined;
  }

  private get months() {
    this.known ??= monthsOf(this.lines);
    return this.known;
  }

  readonly left = (line: PaidLine) => line.fixed ?? minus(fraction(1), this.eventOf(line).share());

  worth(month: Month, until?: number) {
    return worthOf(month, this.lines, this.left, until);
  }

  /** What a month gives, as of a time in it. What begins with the next month is of that. */
  grantOf(month: Month, time = month.start) {
    return stars(worthOf({ ...month, end: this.endOf(month, time) }, this.lines, this.left));
  }

  /** A month ends by itself, or where a period begins a month that exists. */
  private endOf(month: Month, time: number) {
    // A part of the same month does not end it.
    const months: Month[] = [];
    const endsOf = (one: Month) =>
      months.filter(({ whole }) => whole.join() !== one.whole.join()).map(({ start }) => start);
    const begins = new Set(this.lines.filter(isPeriod).map(({ from }) => from));
    for (const begin of [...begins].sort((a, b) => b - a)) {
      const own = this.monthAt(begin) as Month;
      const end = Math.min(own.whole[1], ...endsOf(own));
      if (stars(worthOf({ ...own, end }, this.lines, this.left)) > 0) {
        months.push(own);
      }
    }
    return Math.min(month.whole[1], ...endsOf(month).filter((end) => end > time));
  }

  /** The first month that begins after a time, and exists. */
  nextAfter(time: number) {
    // What is left of the month that runs is no other one.
    const isOther = ({ whole }: Month) => whole.join() !== this.month?.whole.join();
    return this.months.find(
      (month) => month.start > time && isOther(month) && this.grantOf(month) > 0,
    );
  }

  private monthAt(time: number) {
    return this.months.find(({ start, end }) => start <= time && time < end);
  }

  /** When free stars of the month that runs lapse. */
  get lapseAt() {
    return this.month && this.month.whole[1] + this.grace;
  }

  /** What a month that another one ends still lacks (above 0), or has too much (below 0). */
  lacking(month: RunningMonth, end: number) {
    return stars(this.worth({ ...month, end }, Math.min(end, month.whole[1]))) - month.granted;
  }

  private give(more: number) {
    this.change(more);
    this.stars.pay();
  }

  /** More monthly stars, or fewer; what is missing is owed. */
  private change(more: number) {
    if (more >= 0) {
      this.stars.monthly += more;
    } else {
      this.stars.owed += -more - this.stars.takeMonthly(-more);
    }
  }

  private beginAt(now: number) {
    return this.month?.start ?? this.monthAt(now)?.whole[0] ?? now;
  }

  /** Lines that were over before the month count no more: that which runs, or could run now. */
  private forgetLines(now: number, begin = this.beginAt(now)) {
    for (const line of this.lines) {
      line.isOver = line.until <= begin;
    }
    this.known = undefined;
  }

  /** What a month that another one ends lacks then: it keeps what its time is worth. */
  private lacksAsEndedBy(next: Month) {
    const old = this.month;
    return old ? this.lacking(old, Math.min(old.whole[1], Math.max(old.start, next.start))) : 0;
  }

  /** Begins a month; what is free of the last one lapses. What is owed is paid afterwards. */
  begin(next: Month, now: number, lacks = this.lacksAsEndedBy(next)) {
    const old = this.month;
    if (old) {
      old.end = Math.min(old.whole[1], Math.max(old.start, next.start));
      old.granted += lacks;
      this.change(Math.min(lacks, 0));
    }
    this.lapse();
    this.tellTier(this.lines, now);
    this.forgetLines(now, next.start);
    const granted = this.grantOf(next, now);
    this.begun.push({ ...next, granted });
    this.stars.monthRuns = true;
    this.stars.month = this.begun.length - 1;
    this.change(granted + Math.max(lacks, 0));
  }

  lapse() {
    this.stars.monthly = 0;
    this.stars.monthRuns = false;
  }

  /** Changes what the month that runs gives. */
  private changeMonth(now: number) {
    const month = this.month;
    if (month) {
      month.end = this.endOf(month, now);
      const worth = this.grantOf(month, now);
      const change = worth - month.granted;
      month.granted = worth;
      return change;
    }
    return 0;
  }

  /** The month that exists now, and whether it begins: not if it is the one that runs, or began before that. */
  private monthNow(now: number): { current?: Month | undefined; begins?: Month | undefined } {
    const [old, current] = [this.month, this.monthAt(now)];
    if (!current || this.grantOf(current, now) === 0) {
      return {};
    }
    const isSame = old?.whole.join() === current.whole.join();
    return { current, begins: old && (isSame || current.start <= old.start) ? undefined : current };
  }

  add(id: string, amount: number | undefined, lines: ModelLine[], now: number) {
    const before = this.lines;
    this.forgetLines(now);
    const old = this.month;
    const event: PaidEvent = Object.assign(new Reversible(amount), {
      lines,
      servedFrom: Number.NEGATIVE_INFINITY,
    });
    this.events.set(id, event);
    this.told.push(...lines.map((line) => ({ ...line, of: id })));
    this.known = undefined;
    for (const line of lines) {
      this.tellPeriod(line);
    }
    const { current, begins } = this.monthNow(now);
    if (old && current?.start === old.start) {
      old.whole = current.whole;
      old.trial = current.trial;
    }
    let change = 0;
    if (begins) {
      this.begin(begins, now);
    } else {
      change = this.changeMonth(now);
    }
    const month = this.month;
    if (month) {
      const graceSince =
        old && !begins && old.whole[1] <= now ? { from: old.whole[1], until: now } : undefined;
      const sum = pastOf(event.lines, month.start, begins ? old : undefined, graceSince);
      this.give(change + stars(sum));
    } else {
      event.servedFrom = now;
    }
    this.tellTier([...before, ...this.told.filter(({ of }) => of === id)], now);
    this.forgetLines(now);
  }

  reverse(event: PaidEvent, id: string, now: number, tell: () => void) {
    this.tellTier(this.lines, now);
    this.forgetLines(now);
    const shareBefore = event.share();
    const candidate = this.monthAt(now);
    const lacks = candidate ? this.lacksAsEndedBy(candidate) : 0;
    tell();
    const { begins } = this.monthNow(now);
    if (begins) {
      // What of its stars the reversal gives is counted below.
      this.begin(begins, now, lacks);
    }
    const month = this.month;
    if (month) {
      month.end = this.endOf(month, now);
    }
    const own = this.told.filter(({ of, fixed }) => of === id && !fixed);
    const gave = own
      .map((line) =>
        givenBefore([line], event.servedFrom, line.isOver ? now : (month?.start ?? now)),
      )
      .reduce(plus, fraction(0));
    const grantWith = (share: Fraction) => {
      const left = (line: PaidLine) =>
        line.of === id && !line.fixed ? minus(fraction(1), share) : this.left(line);
      return month ? stars(worthOf(month, this.lines, left)) : 0;
    };
    // Of months that are over, and of the one that runs.
    const starsOf = (share: Fraction) =>
      stars(times(gave, share)) + grantWith(fraction(0)) - grantWith(share);
    const before = starsOf(shareBefore);
    const [had, worth] = [grantWith(shareBefore), grantWith(event.share())];
    const less = had - worth;
    if (month) {
      // Months to come may exist no more, or exist again: their lines are of this month, or not.
      this.change(had - month.granted);
      month.granted = worth;
    }
    const inMonth = (place: object) =>
      month !== undefined && 'month' in place && place.month === this.stars.month;
    const find = (atMost: number) => {
      const most = Math.min(atMost, Math.max(0, less));
      const free = Math.min(most, this.stars.monthly);
      return free + this.stars.markHeld(most - free, id, inMonth);
    };
    const change = event.settle(starsOf, before, find, (given) => this.stars.forgetHeld(given, id));
    if (change > 0) {
      this.stars.owed += change - this.stars.takeMonthly(change);
    } else {
      const back = -change;
      const paid = Math.min(back, this.stars.owed);
      this.stars.owed -= paid;
      const again = Math.min(back - paid, Math.max(0, -less));
      this.stars.monthly += again;
      if (back - paid - again > 0) {
        this.stars.addToPack(now + 90 * 86_400_000, back - paid - again);
      }
    }
    this.stars.pay();
    this.forgetLines(now);
  }

  /** The last moment for which anything is paid. */
  get paidUntil() {
    return this.lastPaid(this.lines);
  }

  /** Whether another subscription has to wait: something is paid beyond now. Trials that were canceled are not paid. */
  isPaidAfter(now: number) {
    const isCanceled = this.status === 'canceled';
    return (this.lastPaid(this.lines.filter(({ trial }) => !(trial && isCanceled))) ?? now) > now;
  }

  private lastPaid(lines: readonly PaidLine[]) {
    return this.levelsOf(lines).find(({ sum }) => sum.over > 0n)?.end;
  }

  /** What lines sum to until each of their ends, the last first. */
  private levelsOf(lines: readonly PaidLine[]) {
    const ends = [...new Set(lines.flatMap(({ from, until }) => [from, until]))];
    return ends
      .sort((a, b) => b - a)
      .map((end) => {
        let sum = fraction(0);
        for (const line of lines.filter(({ from, until }) => from < end && end <= until)) {
          sum = plus(sum, times(fraction(line.monthly_grant_stars), this.left(line)));
        }
        return { end, sum };
      });
  }

  /** The period that is paid until a time, and what credits all of it, plan by plan. */
  periodUntil(time: number, now: number) {
    const begin = this.beginAt(now);
    const isPaid = this.levelsOf(this.lines).some(({ end, sum }) => end === time && sum.over > 0n);
    if (!this.period || !isPaid) {
      return undefined; // Of this subscription no such period is paid.
    }
    const period = this.lines
      .filter((line) => isPeriod(line) && line.until === time && time > begin)
      .sort((a, b) => b.from - a.from)[0];
    const credits = this.lines
      .filter((line) => line.from === period?.from && line.until === time)
      .map(({ tier, monthly_grant_stars }) => ({
        tier,
        monthly_grant_stars: -monthly_grant_stars,
      }));
    return period && { from: period.from, credits };
  }

  /** Where a period told by hand begins: where what is paid ends, also in grace, or now. */
  defaultStart(now: number) {
    const end = this.paidUntil ?? now;
    return end > now || (this.month && this.month.whole[1] <= now) ? end : now;
  }

  /**
   * Another subscription takes the place of this one. Answers what undoes that.
   */
  replaceBy(id: string | undefined, now: number): () => void {
    const { id: former, status, statusAt, period, tier, told } = this;
    const formerIds = [...this.formerIds];
    this.formerIds.add(former);
    this.id = id;
    this.status = 'active';
    this.statusAt = Number.NEGATIVE_INFINITY;
    this.period = undefined;
    // What the former was credited beyond now is forgiven.
    const later = this.lines.filter(({ until, trial }) => until > now && !trial);
    if (this.levelsOf(later).some(({ end, sum }) => end > now && sum.over < 0n)) {
      const forgiving = later.map((line) => ({
        ...{ of: line.of, from: Math.max(line.from, now), until: line.until, proration: true },
        ...{ monthly_grant_stars: -line.monthly_grant_stars, fixed: this.left(line) },
      }));
      this.told = [...told, ...forgiving];
    }
    this.known = undefined;
    return () => {
      Object.assign(this, { id: former, status, statusAt, period, tier, told, known: undefined });
      this.formerIds.clear();
      for (const one of formerIds) {
        this.formerIds.add(one);
      }
    };
  }

  private eventOf({ of }: PaidLine) {
    return this.events.get(of) as PaidEvent;
  }

  private tellPeriod({ monthly_grant_stars, proration, part, from, until }: ModelLine) {
    const one = {
      from: monthly_grant_stars >= 0 && (!proration || part) ? from : undefined,
      until,
    };
    const last = this.period;
    const [a, b] = [one, last].map((period) => period?.from ?? Number.NEGATIVE_INFINITY) as [
      number,
      number,
    ];
    if (!last || a > b || (a === b && until > last.until)) {
      this.period = one;
    }
  }

  /** What has no time counts as it comes, and is not late. */
  tellStatus(status: string, at: number | undefined) {
    if (at === undefined) {
      this.status = status;
    } else if (
      at > this.statusAt ||
      (at === this.statusAt && rankOf(status) <= rankOf(this.status))
    ) {
      this.status = status;
      this.statusAt = at;
    }
  }

  balance(now: number) {
    const { status, period } = this;
    const tier = this.tierOf(this.lines, now) ?? this.tier;
    return tier === undefined ? null : { tier, status, current_period_end: period?.until ?? 0 };
  }

  /** Where no line is left, the tier stays that of the last event, or of the month that began last. */
  private tellTier(all: readonly PaidLine[], now: number) {
    this.tier = this.tierOf(all, now) ?? this.tier;
  }

  /** The tier of the last line to begin, of those begun and not credited whole. */
  private tierOf(all: readonly PaidLine[], now: number) {
    const told = all.filter((line) => line.tier !== undefined && !line.fixed);
    const sameAs = (line: PaidLine) =>
      told.filter(
        (one) => one.tier === line.tier && one.from === line.from && one.until === line.until,
      );
    const sumOf = (line: PaidLine) =>
      sameAs(line).reduce((sum, one) => sum + one.monthly_grant_stars, 0);
    const sorted = told
      .filter(
        (line) => sumOf(line) > 0 || sameAs(line).every((one) => one.monthly_grant_stars === 0),
      )
      .sort(
        (a, b) =>
          b.from - a.from || sumOf(b) - sumOf(a) || ((a.tier ?? '') < (b.tier ?? '') ? -1 : 1),
      );
    return (sorted.find(({ from }) => from <= now) ?? sorted.at(-1))?.tier;
  }
}
