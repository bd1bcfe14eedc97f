import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import { type Cause, expiryOf, reversedEventOf } from '../../../../lib/billing/rules/causes.ts';
import { apply, type RuleResult } from '../../../../lib/billing/rules/rules.ts';
import { passTime } from '../../../../lib/billing/rules/step.ts';
import type { Spend } from '../../../../lib/billing/stored/lots.ts';
import type { OpenHold } from '../../../../lib/billing/stored/open-hold.ts';
import type { SubscriptionPayment } from '../../../../lib/billing/stored/purchase.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { event, plan } from './wallets.ts';

// A wallet whose clock is moved, and words for what is paid. Days are counted from the first of January 2026.

export const day = (n: number): number => Math.round(Date.UTC(2026, 0, 1) + n * 86_400_000);
export const dayText = (n: number): string => new Date(day(n)).toISOString();

export const line = (from: number, until: number, stars: number, more: object = {}) => ({
  from: dayText(from),
  until: dayText(until),
  monthly_grant_stars: stars,
  ...(stars > 0 && { tier: `of-${stars}` }),
  ...more,
});
export const proration = (from: number, until: number, stars: number) =>
  line(from, until, stars, { proration: true });
/** From one plan to another, as far as the time goes. */
export const switched = (n: number, until: number, from: number, to: number) => [
  proration(n, until, -from),
  proration(n, until, to),
];

export const paid = (lines: object[], more: object = {}) =>
  event({ type: 'subscription.paid', lines, ...more });
export const spend = (stars: number, event_id = 's') =>
  event({ type: 'stars.spent', event_id, stars });

/** Held until the end of the days that are played. */
export const holdLong = (stars: number): Cause => ({
  type: 'stars.held',
  event_id: 'h',
  stars,
  expires_in_seconds: 400 * 86_400,
});

export class Played {
  wallet: Wallet;
  /** What has happened, the oldest first. */
  readonly steps: RuleResult[] = [];
  readonly payments = new Map<string, SubscriptionPayment>();
  readonly holds = new Map<string, OpenHold>();
  readonly spends = new Map<string, Spend>();

  constructor(fields: Partial<Wallet> = {}) {
    this.wallet = { ...emptyWallet, at: day(0), opened_at: day(0), ...fields };
  }

  /** Lets time pass until a day, and then does all of these. */
  at(n: number, ...causes: Cause[]): this {
    for (const step of passTime(this.wallet, { expired: [] }, day(n))) this.#add(step);
    for (const cause of causes) this.#do(cause, day(n));
    return this;
  }

  #do(cause: Cause, now: number): void {
    const id = reversedEventOf(cause) ?? cause.event_id;
    const hold = this.holds.get(id);
    const result = apply(this.wallet, cause, now, {
      plan,
      hold,
      payment: this.payments.get(id),
      spend: 'refunds' in cause ? this.spends.get(cause.refunds) : undefined,
    });
    if (typeof result === 'string') throw new Error(result);
    this.#add(result);
    const { takenLots: lots, payment } = result;
    if (payment) this.payments.set(id, payment);
    if (cause.type === 'stars.spent') this.spends.set(id, { lots, refunded: 0 });
    if (hold) this.holds.delete(id);
    if (cause.type === 'stars.held') {
      this.holds.set(id, { hold_id: id, at: now, lots, expires_at: expiryOf(cause, now) });
    }
  }

  #add(step: RuleResult): void {
    this.wallet = step.wallet;
    this.steps.push(step);
  }

  get types(): string[] {
    return this.steps.map(({ entry }) => entry.type);
  }

  get last(): RuleResult {
    return this.steps.at(-1)!;
  }

  /** The stars that can be spent, less those that are owed. */
  get stars(): number {
    const { available_stars, owed_stars } = toBalance(this.wallet, this.wallet.at);
    return available_stars - owed_stars;
  }

  balance(n: number) {
    return toBalance(this.at(n).wallet, day(n));
  }
}
