/** A wallet as docs/stars.md tells it, written from that page alone: to check the rules by a second opinion. */
type Compartment = 'monthly' | 'pack';

/** `owed_for`: the purchase whose refund found these in a hold, so that they are not owed twice. */
type Lot = { of: Compartment; ends: number | null; stars: number; owed_for?: string };

type Hold = { lots: Lot[]; ends: number; state: 'open' | 'captured' | 'released' | 'expired' };
type Source = { at: number; stars: number; claw_back: boolean };

/** `total` is what is reversed, `unspent` what a refund found of it, `taken` and `owed` what it has cost the wallet. */
type Purchase = {
  id: string;
  gave: number;
  ends: number | null;
  sources: Map<string, Source>;
  total: number;
  unspent: number;
  taken: Lot[];
  owed: number;
};

type Subscription = {
  id: string;
  grant: number;
  started: number;
  grant_at: number;
  ends: number;
  granted: number;
};

type About = { subscription_id?: string; occurred_at?: number };
type Start = About & { current_period_end: number; monthly_grant_stars?: number };
type Renewal = About & { current_period_end: number; monthly_grant_stars?: number };

export type Step = { id: string } & (
  | ({ type: 'subscription.started' } & Start)
  | ({ type: 'subscription.renewed' } & Renewal)
  | ({ type: 'subscription.changed'; tier?: string; monthly_grant_stars?: number } & About)
  | ({ type: 'subscription.canceled' } & About)
  | { type: 'pack.purchased'; stars: number; expires_at?: number }
  | ({ type: 'pack.reversed'; purchase: string; occurred_at?: number } & Partial<
      Omit<Source, 'at'> & { source: string }
    >)
  | { type: 'stars.spent'; stars: number }
  | { type: 'stars.refunded'; stars: number; refunds: string }
  | {
      type: 'stars.adjusted';
      monthly_change?: number;
      pack_change?: number;
      owed_change?: number;
    }
  | { type: 'hold'; stars: number; expires_in: number }
  | { type: 'extend'; expires_in: number }
  | { type: 'capture'; stars?: number; up_to_available?: boolean }
  | { type: 'release' }
);

export type Ended = { captured: number; missing: number; returned: number };
export type Answer = { refused?: string; ended?: Ended };

/** SWITCHES. Each is a way to read the page that the rules have, where another reading is as good or better. */
export const switches = {
  /** `next_expiry` tells packs only. Else also the end of the period: it "says which stars will be gone next". */
  next_expiry_of_packs_only: true,
  /** A reversal without `occurred_at` counts as the earliest. Else as of when it comes, as a customer would think. */
  undated_reversal_is_earliest: true,
  /** Of a purchase that is disputed and refunded, the refund finds the free stars. Else "first those with claw_back". */
  refund_finds_before_dispute: true,
  /** Of held stars, the rules know how many of each expiry are owed, not which. Else each held star is marked. */
  owed_of_held_is_known_by_sum: true,
};

class Refused extends Error {}

const refuse = (why: string): never => {
  throw new Refused(why);
};

/** An event without `occurred_at` is never late. */
const isLate = ({ occurred_at: at }: { occurred_at?: number | undefined }, than: number) =>
  at !== undefined && at < than;

const sum = (lots: readonly Lot[]): number => lots.reduce((all, lot) => all + lot.stars, 0);

/** Monthly stars, then the packs that expire soonest, then those that stay. */
const asSpent = (a: Lot, b: Lot): number =>
  a.of === b.of
    ? (a.ends ?? Number.POSITIVE_INFINITY) - (b.ends ?? Number.POSITIVE_INFINITY) || 0
    : a.of === 'monthly'
      ? -1
      : 1;

/** Packs before monthly stars: as owed stars are paid, and a dispute takes. */
const asPaid = (a: Lot, b: Lot): number =>
  a.of === b.of ? asSpent(a, b) : a.of === 'pack' ? -1 : 1;

/** Splits the first `stars` off: what is taken, and what is left. */
const split = (lots: readonly Lot[], stars: number): [taken: Lot[], left: Lot[]] => {
  const taken: Lot[] = [];
  const left: Lot[] = [];
  let rest = stars;
  for (const lot of lots) {
    const now = Math.min(lot.stars, rest);
    rest -= now;
    if (now > 0) taken.push({ ...lot, stars: now });
    if (lot.stars > now) left.push({ ...lot, stars: lot.stars - now });
  }
  return [taken, left];
};

export class WalletModel {
  private now = 0;
  private free: Lot[] = [];
  private owed = 0;
  /** How many held stars of each expiry are owed. */
  private readonly reversedHeld = new Map<number | null, number>();
  private subscription: Subscription | null = null;
  /** The monthly stars of the one plan there is. */
  private readonly plan: number;
  private readonly earlier = new Set<string>();
  private readonly holds = new Map<string, Hold>();
  private readonly spent = new Map<string, { lots: Lot[]; refunded: number }>();
  private readonly purchases = new Map<string, Purchase>();

  constructor(plan: number) {
    this.plan = plan;
  }

  balance() {
    const held = this.openHolds().flatMap((hold) => hold.lots);
    const all = [...this.free, ...held];
    const ending = this.free.filter(
      (lot) => lot.of === 'pack' || !switches.next_expiry_of_packs_only,
    );
    const ends = ending.flatMap((lot) => lot.ends ?? []);
    const at = ends.length > 0 ? Math.min(...ends) : null;
    return {
      monthly_stars: sum(all.filter((lot) => lot.of === 'monthly')),
      pack_stars: sum(all.filter((lot) => lot.of === 'pack')),
      held_stars: sum(held),
      available_stars: sum(this.free),
      owed_stars: this.owed,
      next_expiry: at === null ? null : { at, stars: sum(ending.filter((lot) => lot.ends === at)) },
    };
  }

  /** Holds expire and stars lapse by the clock. */
  passTime(to: number): void {
    const isDue = (hold: Hold) => hold.state === 'open' && hold.ends <= to;
    const due = [...this.holds].filter(([, hold]) => isDue(hold));
    // Of one moment by their ids, as the world of the tests does it: the page does not say.
    due.sort(([a, one], [b, other]) => one.ends - other.ends || (a < b ? -1 : 1));
    for (const [, hold] of due) {
      this.now = hold.ends;
      this.free = this.free.filter((lot) => this.lives(lot));
      hold.state = 'expired';
      this.give(hold.lots);
      this.settlePledges();
    }
    this.now = to;
    this.free = this.free.filter((lot) => this.lives(lot));
  }

  private heldOf(ends: number | null): number {
    const lots = this.openHolds().flatMap((hold) => hold.lots);
    return sum(lots.filter((lot) => lot.of === 'pack' && lot.ends === ends));
  }

  /** No more held stars are owed than holds have. */
  private settlePledges(): void {
    for (const [ends, stars] of this.reversedHeld)
      this.reversedHeld.set(ends, Math.min(stars, this.heldOf(ends)));
  }

  do(at: number, step: Step): Answer {
    this.passTime(at);
    try {
      const ended = this.change(step);
      this.settlePledges();
      return ended ? { ended } : {};
    } catch (error) {
      if (error instanceof Refused) return { refused: error.message };
      throw error;
    }
  }

  private change(step: Step): Ended | undefined {
    switch (step.type) {
      case 'subscription.started':
        this.started(step);
        break;
      case 'subscription.renewed':
        this.renewed(step);
        break;
      case 'subscription.changed':
        this.changed(step);
        break;
      case 'subscription.canceled':
        this.about(step);
        break;
      case 'pack.purchased':
        this.purchased(step.id, step.stars, step.expires_at ?? null);
        break;
      case 'pack.reversed':
        this.reversed(
          this.purchases.get(step.purchase) ?? refuse('unknown purchase'),
          step.source ?? step.id,
          step.stars,
          { at: step.occurred_at ?? this.undated, claw_back: step.claw_back ?? false },
        );
        break;
      case 'stars.spent':
        this.spent.set(step.id, { lots: this.spend(step.stars), refunded: 0 });
        break;
      case 'stars.refunded':
        this.refunded(step.refunds, step.stars);
        break;
      case 'stars.adjusted':
        this.adjusted(step.monthly_change ?? 0, step.pack_change ?? 0, step.owed_change ?? 0);
        break;
      case 'hold': {
        const lots = this.spend(step.stars);
        this.holds.set(step.id, { lots, ends: this.now + step.expires_in, state: 'open' });
        break;
      }
      case 'extend': {
        const hold = this.openHold(step.id);
        hold.ends = Math.max(hold.ends, this.now + step.expires_in);
        break;
      }
      case 'capture':
        return this.captured(step.id, step.stars, step.up_to_available ?? false);
      case 'release':
        return this.captured(step.id, 0, false, 'released');
    }
    return undefined;
  }

  /** Monthly stars are of one period: they end with it, also when the next one begins early. */
  private lives(lot: Lot): boolean {
    if (lot.of === 'monthly' && lot.ends !== this.subscription?.ends) return false;
    return lot.ends === null || lot.ends > this.now;
  }

  private get undated(): number {
    return switches.undated_reversal_is_earliest ? Number.NEGATIVE_INFINITY : this.now;
  }

  private openHolds(): Hold[] {
    return [...this.holds.values()].filter((hold) => hold.state === 'open');
  }

  private openHold(id: string): Hold {
    const hold = this.holds.get(id) ?? refuse('unknown hold');
    return hold.state === 'open' ? hold : refuse(hold.state);
  }

  /** Whatever gives stars pays owed ones first; what has ended is lost. */
  private give(lots: readonly Lot[]): void {
    for (const { of, ends, stars } of lots.filter((lot) => this.lives(lot))) {
      const same = this.free.find((lot) => lot.of === of && lot.ends === ends);
      if (same) same.stars += stars;
      else this.free.push({ of, ends, stars });
    }
    this.owed -= sum(this.take(Math.min(this.owed, sum(this.free)), asPaid));
  }

  private take(stars: number, order: (a: Lot, b: Lot) => number): Lot[] {
    const [taken, left] = split(this.free.toSorted(order), stars);
    this.free = left;
    return taken;
  }

  private spend(stars: number): Lot[] {
    return stars > sum(this.free) ? refuse('too few stars') : this.take(stars, asSpent);
  }

  private captured(
    id: string,
    stars: number | undefined,
    upToAvailable: boolean,
    state: 'captured' | 'released' = 'captured',
  ): Ended {
    const hold = this.openHold(id);
    const wanted = stars ?? sum(hold.lots);
    const [within, back] = split(hold.lots, wanted);
    const beyond = wanted - sum(within);
    const missing = Math.max(0, beyond - sum(this.free));
    if (missing > 0 && !upToAvailable) refuse('too few stars');
    const lots = [...within, ...this.spend(beyond - missing)];
    hold.state = state;
    if (state === 'captured') this.spent.set(id, { lots, refunded: 0 });
    this.give(back);
    return { captured: sum(lots), missing, returned: sum(back) };
  }

  /** Fills first what the spend took last. */
  private refunded(id: string, stars: number): void {
    const spend = this.spent.get(id) ?? refuse('unknown spend');
    if (spend.refunded + stars > sum(spend.lots)) refuse('more than was spent');
    const [, left] = split(spend.lots.toReversed(), spend.refunded);
    spend.refunded += stars;
    this.give(split(left, stars)[0]);
  }

  private adjusted(monthly: number, pack: number, owed: number): void {
    const { ends } = this.subscription ?? { ends: 0 };
    const free = (of: Compartment) => sum(this.free.filter((lot) => lot.of === of));
    if (monthly > 0 && ends <= this.now) refuse('no period runs');
    if (free('monthly') + monthly < 0 || free('pack') + pack < 0 || this.owed + owed < 0)
      refuse('below zero');
    this.take(Math.max(0, -monthly), asSpent);
    this.take(Math.max(0, -pack), asPaid);
    this.owed += owed;
    this.give([
      { of: 'monthly', ends, stars: Math.max(0, monthly) },
      { of: 'pack', ends: null, stars: Math.max(0, pack) },
    ]);
  }

  private purchased(id: string, stars: number, ends: number | null): void {
    const gave = ends === null || ends > this.now ? stars : 0;
    const sources = new Map<string, Source>();
    this.purchases.set(id, { id, gave, ends, sources, total: 0, unspent: 0, taken: [], owed: 0 });
    this.give([{ of: 'pack', ends, stars: gave }]);
  }

  private reversed(
    purchase: Purchase,
    name: string,
    stars: number | undefined,
    { at, claw_back }: Omit<Source, 'stars'>,
  ): void {
    const source = { at, claw_back, stars: stars ?? purchase.gave };
    const known = purchase.sources.get(name);
    const rank = known
      ? Math.sign(source.at - known.at || 0) ||
        source.stars - known.stars ||
        Number(source.claw_back) - Number(known.claw_back)
      : 1;
    if (rank > 0) purchase.sources.set(name, source);
    const reverses = (clawing: boolean) =>
      [...purchase.sources.values()].reduce(
        (all, one) => all + (one.claw_back === clawing ? one.stars : 0),
        0,
      );
    const disputed = Math.min(purchase.gave, reverses(true));
    const total = Math.min(purchase.gave, disputed + reverses(false));
    this.find(purchase, total);
    // A dispute takes all of its own, a refund only what it found.
    const cost = switches.refund_finds_before_dispute
      ? disputed + Math.min(total - disputed, purchase.unspent)
      : Math.max(disputed, purchase.unspent);
    const has = sum(purchase.taken) + purchase.owed;
    if (cost > has) this.takeBack(purchase, cost - has);
    else this.giveBack(purchase, has - cost);
  }

  /** A refund finds what is free of the purchase's expiry, and what open holds have of it: each star once. */
  private find(purchase: Purchase, total: number): void {
    const mine = (lot: Lot) => lot.of === 'pack' && lot.ends === purchase.ends;
    let more = Math.max(0, total - purchase.total);
    purchase.total = total;
    const free = sum(this.free.filter(mine));
    if (switches.owed_of_held_is_known_by_sum) {
      const held = this.heldOf(purchase.ends);
      const [known, had] = [this.reversedHeld.get(purchase.ends) ?? 0, purchase.unspent];
      const fromHeld = Math.min(Math.max(0, more - free), held - known);
      purchase.unspent = Math.min(had + Math.min(more, free) + fromHeld, total);
      const less = Math.max(
        0,
        Math.min(had - purchase.unspent, had - sum(purchase.taken.filter(mine))),
      );
      this.reversedHeld.set(purchase.ends, Math.max(0, known + fromHeld - less));
      return;
    }
    purchase.unspent += Math.min(more, free);
    more -= Math.min(more, free);
    for (const hold of this.openHolds())
      hold.lots = hold.lots.flatMap((lot) => {
        if (!mine(lot) || lot.owed_for !== undefined) return [lot];
        const [found, left] = split([lot], more);
        more -= sum(found);
        purchase.unspent += sum(found);
        return [...found.map((one) => ({ ...one, owed_for: purchase.id })), ...left];
      });
  }

  /** First of the purchase's expiry, then of the other packs, the soonest first, then monthly stars; the rest is owed. */
  private takeBack(purchase: Purchase, stars: number): void {
    const isMine = (lot: Lot) => Number(lot.of === 'pack' && lot.ends === purchase.ends);
    const taken = this.take(Math.min(stars, sum(this.free)), (a, b) => {
      return isMine(b) - isMine(a) || asPaid(a, b);
    });
    for (const lot of taken) {
      const same = purchase.taken.find(({ of, ends }) => of === lot.of && ends === lot.ends);
      if (same) same.stars += lot.stars;
      else purchase.taken.push(lot);
    }
    purchase.owed += stars - sum(taken);
    this.owed += stars - sum(taken);
  }

  /** What is owed first, then from where it was taken last. It cancels owed stars, then goes to where it was taken from. */
  private giveBack(purchase: Purchase, stars: number): void {
    const fromOwed = Math.min(purchase.owed, stars);
    purchase.owed -= fromOwed;
    const [back, left] = split(purchase.taken.toReversed(), stars - fromOwed);
    purchase.taken = left.toReversed();
    const here = { of: 'pack', ends: purchase.ends } as const;
    const lots = [{ ...here, stars: fromOwed }, ...back];
    const canceled = Math.min(this.owed, stars);
    this.owed -= canceled;
    const [, rest] = split(lots, canceled);
    this.give(rest.map((lot) => (this.lives(lot) ? lot : { ...here, stars: lot.stars })));
  }

  /** The subscription an event is about; null if it is of an earlier one, which changes nothing. */
  private about({ subscription_id: id, occurred_at }: About): Subscription | null {
    if (id !== undefined && this.earlier.has(id)) return null;
    const now = this.subscription ?? refuse('unknown subscription');
    // What occurred before the start is of an earlier one, unless it has the same id.
    if (id !== now.id && isLate({ occurred_at }, now.started)) return null;
    return id === undefined || now.id === '' || now.id === id
      ? now
      : refuse('unknown subscription');
  }

  private started(step: Start): void {
    const at = step.occurred_at ?? Number.NEGATIVE_INFINITY;
    const before = this.subscription;
    const grant = step.monthly_grant_stars ?? this.plan;
    const isWithin = before && step.current_period_end <= before.ends;
    const id = step.subscription_id ?? (isWithin ? before.id : '');
    const isOther = before && before.id !== '' && id !== '' && id !== before.id;
    // One whose own period is over: without a time it is of an earlier subscription, else it adds no stars.
    const isOver = isWithin && step.current_period_end <= this.now;
    if (isOver && step.occurred_at === undefined) {
      if (id !== before.id) this.earlier.add(id);
      return;
    }
    if (before && isLate(step, before.started)) {
      if (isOther) this.earlier.add(id);
      return;
    }
    if (isOther) this.earlier.add(before.id);
    this.earlier.delete(id);
    const same = isWithin ? before : null;
    // A later grant of this subscription stays.
    const stays = before && id === before.id && isLate(step, before.grant_at);
    this.subscription = {
      id,
      grant: stays ? before.grant : grant,
      started: at,
      grant_at: stays ? before.grant_at : at,
      ends: same?.ends ?? step.current_period_end,
      granted: same?.granted ?? 0,
    };
    if (!isOver) this.grantUpTo(Math.max(grant, this.subscription.grant));
  }

  /** A period is granted once: only the difference to a larger grant is added. What is not of the period lapses. */
  private grantUpTo(grant: number): void {
    const { ends, granted } = this.subscription!;
    this.subscription!.granted = Math.max(grant, granted);
    this.free = this.free.filter((lot) => this.lives(lot));
    this.give([{ of: 'monthly', ends, stars: Math.max(0, grant - granted) }]);
  }

  private renewed(step: Renewal): void {
    const now = this.about(step);
    if (!now) return;
    const at = step.occurred_at ?? this.now;
    const grant = step.monthly_grant_stars;
    const begins = step.current_period_end > now.ends;
    // Without `occurred_at` it is not the latest, but for a period that it begins.
    const isDated = begins || step.occurred_at !== undefined;
    const counts = grant !== undefined && isDated && !isLate(step, now.grant_at);
    if (counts) Object.assign(now, { grant, grant_at: at });
    if (begins) Object.assign(now, { ends: step.current_period_end, granted: 0 });
    // One that began without an id gets that of its next period.
    if (begins && now.id === '') now.id = step.subscription_id ?? '';
    // A late one begins its period with the larger of its grant and the latest.
    if (begins || counts) this.grantUpTo(Math.max(grant ?? 0, now.grant));
  }

  private changed(step: About & { tier?: string; monthly_grant_stars?: number }): void {
    const now = this.about(step);
    const at = step.occurred_at ?? this.now;
    if (!now || step.tier === undefined || isLate(step, now.grant_at)) return;
    Object.assign(now, { grant: step.monthly_grant_stars ?? this.plan, grant_at: at });
    this.grantUpTo(now.grant);
  }
}
