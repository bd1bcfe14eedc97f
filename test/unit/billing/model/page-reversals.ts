// What sources, such as refunds and disputes, reverse of a purchase or an invoice, as docs/stars.md tells it. It follows that page,
// imports nothing of lib, and must never be bent to the code.
import { type Fraction, fraction, plus } from './page-months.ts';

interface Source {
  at: number;
  share: Fraction;
  clawBack: boolean;
}

const isLarger = (a: Fraction, b: Fraction) => a.over * b.under > b.over * a.under;
const whole = fraction(1);
const smaller = (a: Fraction, b: Fraction) => (isLarger(a, b) ? b : a);

/** Something that gave stars and can be reversed. */
export class Reversible {
  /** What was paid for it, in money. */
  readonly amount: number | undefined;
  readonly sources = new Map<string, Source>();
  /** Of what is reversed by now: what nobody owes, and what was spent and is taken all the same. */
  forgiven = 0;
  clawedSpent = 0;

  constructor(amount: number | undefined) {
    this.amount = amount;
  }

  /** The share that sources reverse together; the whole, at most. */
  share(only: 'claw back' | 'all' = 'all'): Fraction {
    let sum = fraction(0);
    for (const source of this.sources.values()) {
      sum = only === 'all' || source.clawBack ? plus(sum, source.share) : sum;
    }
    return smaller(sum, whole);
  }

  /** Of one source, the latest counts, then the larger. */
  tell(name: string, told: Source) {
    const known = this.sources.get(name);
    const later = known && told.at !== known.at ? told.at > known.at : undefined;
    const larger =
      known &&
      (isLarger(told.share, known.share) || (told.clawBack && !isLarger(known.share, told.share)));
    if (!known || (later ?? larger)) {
      this.sources.set(name, told);
    }
  }

  /**
   * Settles what is reversed. `starsOf`: the stars that a share reverses; `before`: those that were until now. `find` says how many
   * are free or held, of so many at most; `forget` takes back what it said of held ones. Answers how many more stars are taken or
   * owed; below 0, how many come back.
   */
  settle(
    starsOf: (share: Fraction) => number,
    before: number,
    find: (atMost: number) => number,
    forget: (stars: number) => void,
  ): number {
    const all = starsOf(this.share());
    const clawed = starsOf(this.share('claw back'));
    this.forgiven = Math.min(this.forgiven, before);
    this.clawedSpent = Math.min(this.clawedSpent, before - this.forgiven);
    const unspentBefore = before - this.forgiven - this.clawedSpent;
    const kept = Math.min(unspentBefore, all);
    forget(unspentBefore - kept);
    const unspent = kept + find(all - kept);
    // Refunds are of the unspent stars first, disputes of the others.
    const due = clawed + Math.min(all - clawed, unspent);
    const change = due - (before - this.forgiven);
    this.forgiven = all - due;
    this.clawedSpent = due - unspent;
    return change;
  }
}
