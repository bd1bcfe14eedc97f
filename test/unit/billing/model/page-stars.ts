// The stars of a wallet as docs/stars.md tells them: free ones, held ones, owed ones. It follows that page, imports nothing of lib,
// and must never be bent to the code.

/** Where stars are or came from: a month, by its number, or packs, by their expiry (`Infinity`: they stay). */
export type Place = { month: number } | { expiry: number };

interface Part {
  place: Place;
  stars: number;
}

interface HeldPart extends Part {
  /** How many of them are owed already, by which reversal. */
  owed: { by: string; stars: number }[];
}

export interface Hold {
  id: string;
  stars: number;
  expiresAt: number;
  parts: HeldPart[];
  ended?: 'captured' | 'released' | 'expired';
}

const sumOf = (items: readonly { stars: number }[]) =>
  items.reduce((sum, item) => sum + item.stars, 0);

export class Stars {
  /** Free ones of the month that runs. */
  monthly = 0;
  /** The number of the month that runs, or ran last. */
  month = 0;
  monthRuns = false;
  /** Free ones by their expiry. */
  readonly packs = new Map<number, number>();
  owed = 0;
  readonly holds = new Map<string, Hold>();
  readonly spends = new Map<string, { parts: Part[]; refunded: number }>();

  get free() {
    return this.monthly + sumOf(this.lots());
  }

  /** Packs with free stars, the soonest to expire first. */
  lots() {
    return [...this.packs]
      .map(([expiry, stars]) => ({ expiry, stars }))
      .filter(({ stars }) => stars > 0)
      .sort((a, b) => (a.expiry < b.expiry ? -1 : 1));
  }

  openHolds() {
    return [...this.holds.values()].filter(({ ended }) => ended === undefined);
  }

  heldParts() {
    return this.openHolds().flatMap(({ parts }) => parts);
  }

  addToPack(expiry: number, stars: number) {
    this.packs.set(expiry, (this.packs.get(expiry) ?? 0) + stars);
  }

  takeFromPack(expiry: number, atMost: number) {
    const taken = Math.min(atMost, this.packs.get(expiry) ?? 0);
    this.addToPack(expiry, -taken);
    return taken;
  }

  takeMonthly(atMost: number) {
    const taken = Math.min(atMost, this.monthly);
    this.monthly -= taken;
    return taken;
  }

  /** Takes of all packs, the soonest to expire first. */
  takePacks(atMost: number): Part[] {
    let left = atMost;
    return this.lots().flatMap(({ expiry }) => {
      const stars = this.takeFromPack(expiry, left);
      left -= stars;
      return stars > 0 ? [{ place: { expiry }, stars }] : [];
    });
  }

  /** Takes monthly stars, then packs. */
  take(atMost: number): Part[] {
    const stars = this.takeMonthly(atMost);
    const monthly = stars > 0 ? [{ place: { month: this.month }, stars }] : [];
    return [...monthly, ...this.takePacks(atMost - stars)];
  }

  /** Puts stars back to where they came from, if that is not over. */
  putBack({ place, stars }: Part, now: number) {
    if ('month' in place) {
      this.monthly += this.monthRuns && place.month === this.month ? stars : 0;
    } else if (place.expiry > now) {
      this.addToPack(place.expiry, stars);
    }
  }

  /** Free stars pay what is owed, packs before monthly ones. */
  pay() {
    this.owed -= sumOf(this.takePacks(this.owed));
    this.owed -= this.takeMonthly(this.owed);
  }

  /** Marks what open holds have of a place as owed, each star once. Answers how many. */
  markHeld(atMost: number, by: string, isThere: (place: Place) => boolean) {
    let left = atMost;
    for (const part of this.heldParts().filter(({ place }) => isThere(place))) {
      const stars = Math.min(left, part.stars - sumOf(part.owed));
      part.owed.push({ by, stars });
      left -= stars;
    }
    return atMost - left;
  }

  /** Forgets that held stars are owed, as their reversal failed. */
  forgetHeld(atMost: number, by: string) {
    let left = atMost;
    for (const mark of this.heldParts().flatMap(({ owed }) => owed)) {
      if (mark.by === by) {
        const stars = Math.min(left, mark.stars);
        mark.stars -= stars;
        left -= stars;
      }
    }
  }

  hold(id: string, stars: number, expiresAt: number) {
    const parts = this.take(stars).map((part) => ({ ...part, owed: [] }));
    this.holds.set(id, { id, stars, expiresAt, parts });
  }

  /** Ends a hold. What is captured is a spend; the rest goes back. */
  end(hold: Hold, ended: 'captured' | 'released' | 'expired', captured: number, now: number) {
    hold.ended = ended;
    let left = captured;
    const spent: Part[] = [];
    for (const { place, stars } of hold.parts) {
      const used = Math.min(left, stars);
      left -= used;
      if (used > 0) {
        spent.push({ place, stars: used });
      }
      this.putBack({ place, stars: stars - used }, now);
    }
    if (ended === 'captured') {
      this.spends.set(hold.id, { parts: [...spent, ...this.take(left)], refunded: 0 });
    }
    this.pay();
  }

  /** Gives stars of a spend back: first what it took last. */
  refund(spend: { parts: Part[]; refunded: number }, stars: number, now: number) {
    let skip = spend.refunded;
    let left = stars;
    for (const part of [...spend.parts].reverse()) {
      const skipped = Math.min(skip, part.stars);
      skip -= skipped;
      const given = Math.min(left, part.stars - skipped);
      left -= given;
      this.putBack({ place: part.place, stars: given }, now);
    }
    spend.refunded += stars;
    this.pay();
  }

  held(inMonths: boolean) {
    return sumOf(this.heldParts().filter(({ place }) => 'month' in place === inMonths));
  }
}
