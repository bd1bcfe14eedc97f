import assert from 'node:assert/strict';
import { vi } from 'vitest';
import {
  dispute,
  invoice,
  invoicePayment,
  type Line,
  move,
  type OddPrice,
  refund,
  type Subscribed,
  stripeEvent,
  stripeId,
  subscribed,
  subscription,
  type Version,
  versions,
} from '../../support/stripe-events.ts';
import { type Outcome, type StripeEvent, StripeWorld } from './stripe-world.ts';

// A subscription's life in steps, each on a day. Day 0 is 2025-12-01: two months of 31 days come, then 28 and 31. Plan `basic`
// gives 310 stars a month, so 10 a day in these, `pro` 930, so 30 a day.

const secondOf = (day: number): number => Date.UTC(2025, 11, 1) / 1000 + Math.round(day * 86_400);

export const isoOf = (day: number): string => new Date(secondOf(day) * 1000).toISOString();

/** About when Stripe charges a renewal, after the period has ended. */
export const anHour = 1 / 24;

/** A line of an invoice, from one day to another. */
export type DayLine = Omit<Line, 'from' | 'until'> & { from: number; until: number };

export const whole = (
  price: string,
  from: number,
  until: number,
  more: Partial<DayLine> = {},
): DayLine => ({ price: `price_${price}`, from, until, ...more });

/** What a change of a subscription adds for the rest of a period, and what it credits. */
export const added = (...[price, from, until, more]: Parameters<typeof whole>): DayLine =>
  whole(price, from, until, { proration: true, amount: 700, ...more });
export const credited = (...[price, from, until, more]: Parameters<typeof whole>): DayLine =>
  whole(price, from, until, { proration: true, amount: -700, ...more });

export interface InvoiceTold {
  reason: NonNullable<Parameters<typeof invoice>[2]['reason']>;
  lines: DayLine[];
  total?: number;
  hasMore?: boolean;
  /** What the event comes to. */
  comesTo?: Outcome;
}

export class Scenario {
  readonly version: Version;
  readonly world: StripeWorld;
  /** That of all that is told. */
  subscription: Subscribed;
  /** The last event that was told. */
  last: StripeEvent | undefined;
  /** The payments of the last invoice. */
  payments: string[] = [];
  #refunds = new Map<string, object>();

  private constructor(version: Version) {
    this.version = version;
    this.world = new StripeWorld();
    this.subscription = this.newSubscription();
  }

  static async begin(version: Version): Promise<Scenario> {
    const one = new Scenario(version);
    one.goTo(0);
    const stripe_prices = ['price_basic', 'price_basic_year'];
    await one.world.putPlan('basic', { monthly_grant_stars: 310, stripe_prices, trial_stars: 50 });
    await one.world.putPlan('pro', { monthly_grant_stars: 930, stripe_prices: ['price_pro'] });
    return one;
  }

  /** That of the last invoice's event in the wallet. */
  get eventId(): string {
    return `stripe:${(this.last!.data.object as { id: string }).id}`;
  }

  newSubscription(): Subscribed {
    return subscribed({ metadata: { organization_id: this.world.organizationId } });
  }

  goTo(day: number): void {
    vi.setSystemTime(secondOf(day) * 1000);
  }

  async tell(
    day: number,
    type: StripeEvent['type'],
    object: object,
    comesTo: Outcome = 'applied',
  ): Promise<void> {
    this.goTo(day);
    this.last = stripeEvent(type, object, { version: this.version, created: secondOf(day) });
    assert.equal(await this.world.tell(this.last), comesTo, `${type} on day ${day}`);
  }

  /** An invoice that is paid, by as many payments as told. */
  async invoice(day: number, { lines, ...told }: InvoiceTold, payments = 1): Promise<void> {
    this.payments = Array.from({ length: payments }, () => stripeId('pi'));
    const { comesTo, ...given } = told;
    const paid = invoice(this.subscription, this.version, {
      ...given,
      payment: this.payments[0],
      lines: lines.map((one) => ({ ...one, from: secondOf(one.from), until: secondOf(one.until) })),
    });
    await this.tell(day, 'invoice.paid', paid, comesTo);
    const [invoicePaid] = [this.last];
    if (this.version === versions[1] && (comesTo ?? 'applied') === 'applied') {
      const isFree = paid.total <= 0;
      for (const payment of isFree ? [] : this.payments) {
        await this.tell(day, 'invoice_payment.paid', invoicePayment(paid.id, payment), 'kept');
      }
    }
    this.last = invoicePaid;
  }

  status(
    day: number,
    status: Parameters<typeof subscription>[2],
    {
      comesTo,
      type = 'updated',
      ...more
    }: {
      comesTo?: Outcome;
      type?: 'created' | 'updated' | 'paused' | 'resumed' | 'deleted';
      price?: string;
      odd?: OddPrice;
    } = {},
  ): Promise<void> {
    const told = subscription(this.subscription, this.version, status, more);
    return this.tell(day, `customer.subscription.${type}`, told, comesTo);
  }

  /** A refund of a payment of the last invoice; told again, in another state. */
  refund(day: number, amount: number, { of = 0, status = 'succeeded' } = {}): Promise<void> {
    const name = `${of} ${amount}`;
    const one = this.#refunds.get(name) ?? refund(this.payments[of]!, { amount });
    this.#refunds.set(name, one);
    const type = status === 'failed' ? 'refund.failed' : 'refund.created';
    return this.tell(day, type, { ...one, status });
  }

  /** A dispute of all of a payment of 20.00; won on another day. */
  dispute(day: number, wonOn?: number): Promise<void> {
    const taken = dispute(this.payments[0]!, { amount: 2000, balance_transactions: [move(-2000)] });
    const lost = this.tell(day, 'charge.dispute.funds_withdrawn', taken);
    if (wonOn === undefined) return lost;
    const won = { ...taken, status: 'won', balance_transactions: [move(-2000), move(2000)] };
    return lost.then(() => this.tell(wonOn, 'charge.dispute.funds_reinstated', won));
  }

  async spend(day: number, stars: number): Promise<void> {
    this.goTo(day);
    await this.world.send({ type: 'stars.spent', stars });
  }

  /** The last event once more. */
  async repeat(day: number): Promise<void> {
    this.goTo(day);
    assert.equal(await this.world.tell(this.last!), 'applied');
  }

  /** Looks at the balance of a day. */
  async has(day: number, wanted: number | Record<string, unknown>): Promise<void> {
    this.goTo(day);
    const balance: Record<string, unknown> = await this.world.balance();
    const all = typeof wanted === 'number' ? { monthly_stars: wanted, owed_stars: 0 } : wanted;
    const { status, tier, ends, ...fields } = all as Record<string, unknown>;
    const told = Object.fromEntries(Object.keys(fields).map((key) => [key, balance[key]]));
    assert.deepEqual(told, fields, `on day ${day}`);
    const own = balance.subscription as Record<string, unknown> | null;
    if (status !== undefined) assert.equal(own?.status, status, `on day ${day}`);
    if (tier !== undefined) assert.equal(own?.tier, tier, `on day ${day}`);
    if (ends !== undefined) {
      assert.equal(own?.current_period_end, isoOf(ends as number), `on day ${day}`);
    }
  }
}
