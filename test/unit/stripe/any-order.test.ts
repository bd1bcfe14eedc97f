import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Wallet } from '../../../lib/billing/stored/wallet.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import {
  dispute,
  invoice,
  invoicePayment,
  move,
  refund,
  session,
  stripeEvent,
  stripeId,
  subscribed,
  subscription,
  type Version,
  versions,
} from '../../support/stripe-events.ts';
import { type StripeEvent, StripeWorld } from './stripe-world.ts';

// What events of Stripe make of a wallet, in any order in which they may come, each several times, by a queue that brings again
// what waits. A run is repeated with its SEED.

beforeAll(() => void vi.stubEnv('STRIPE_LIVEMODE', 'false'));
afterAll(() => void vi.unstubAllEnvs());

const organizationId = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const second = Math.floor(Date.now() / 1000) - 1000;

/** The wallet once all events have come in this order; fails if one never can be done with. */
const arrive = async (events: readonly StripeEvent[], before: Partial<Wallet> = {}) => {
  const world = new StripeWorld({ ...before, organizationId });
  await world.putPlan('basic', { monthly_grant_stars: 100, stripe_prices: ['price_basic'] });
  await world.putPlan('pro', { monthly_grant_stars: 1000, stripe_prices: ['price_pro'] });
  await world.tellAll(events);
  const purchases = world.entries.filter(({ type }) => type === 'pack.purchased').length;
  return { ...(await world.balance()), purchases };
};

const inAnyOrder = async (
  events: readonly StripeEvent[],
  wanted: object,
  before?: Partial<Wallet>,
): Promise<void> => {
  expect(await arrive(events, before)).toMatchObject(wanted);
  const twice = [...events, ...events];
  const orders = fc.shuffledSubarray(twice, { minLength: twice.length });
  const comesToTheSame = fc.asyncProperty(orders, async (order) => {
    expect(await arrive(order, before)).toMatchObject(wanted);
  });
  await fc.assert(comesToTheSame, { seed, numRuns: times(50, 500) });
};

const sold = session({ metadata: { organization_id: organizationId, stars: '500' } });
const payment = sold.payment_intent as string;
const bought = [
  stripeEvent('checkout.session.completed', { ...sold, payment_status: 'unpaid' }),
  stripeEvent('checkout.session.completed', sold),
  stripeEvent('checkout.session.async_payment_succeeded', sold),
];
const at = (after: number, version: Version = versions[0]) => ({
  created: second + after,
  version,
});

test('a purchase is one, also after a delayed payment', async () => {
  await inAnyOrder(bought, { pack_stars: 500, purchases: 1 });
});

test('refunds in part, one of which fails in the second in which it was made', async () => {
  const [one, two] = [400, 100].map((amount) => refund(payment, { amount }));
  await inAnyOrder(
    [
      ...bought,
      stripeEvent('refund.created', { ...one, status: 'pending' }, at(1)),
      stripeEvent('refund.updated', one!, at(1)),
      stripeEvent('charge.refund.updated', one!, at(1)),
      stripeEvent('refund.failed', { ...one, status: 'failed' }, at(1)),
      stripeEvent('refund.created', two!, at(2)),
    ],
    { pack_stars: 450, owed_stars: 0, purchases: 1 },
  );
});

test('a dispute that is lost, of what was refunded in part', async () => {
  const part = refund(payment, { amount: 100 });
  const one = dispute(payment, { amount: 900, balance_transactions: [move(-900)] });
  await inAnyOrder(
    [
      ...bought,
      stripeEvent('refund.created', part, at(1)),
      stripeEvent('charge.dispute.created', one, at(2)),
      stripeEvent('charge.dispute.funds_withdrawn', one, at(2)),
      stripeEvent('charge.dispute.closed', { ...one, status: 'lost' }, at(3)),
    ],
    { pack_stars: 0, owed_stars: 0, purchases: 1 },
  );
});

test('a dispute that is won in the second in which it took the money, and an inquiry', async () => {
  const one = dispute(payment);
  const won = { ...one, status: 'won', balance_transactions: [move(-1000), move(1000)] };
  const inquiry = dispute(payment, { balance_transactions: [], status: 'warning_closed' });
  await inAnyOrder(
    [
      ...bought,
      stripeEvent('charge.dispute.created', inquiry, at(1)),
      stripeEvent('charge.dispute.closed', inquiry, at(1)),
      stripeEvent('charge.dispute.funds_withdrawn', one, at(1)),
      stripeEvent('charge.dispute.funds_reinstated', won, at(1)),
    ],
    { pack_stars: 500, owed_stars: 0, purchases: 1 },
  );
});

test.each(versions)(
  'a subscription and all that becomes of it, by the version %s',
  async (version) => {
    const one = subscribed({ metadata: { organization_id: organizationId } });
    const updated = 'customer.subscription.updated';
    const [start, middle, end] = [second, second + 20 * 86_400, second + 40 * 86_400];
    /** An invoice of 20.00 that is paid. */
    const paid = (
      after: number,
      lines: Parameters<typeof invoice>[2]['lines'],
      isFirst = false,
    ) => {
      const reason = isFirst ? 'subscription_create' : 'subscription_update';
      const given = invoice(one, version, { reason, lines, payment: stripeId('pi') });
      const payment = 'payment_intent' in given ? String(given.payment_intent) : stripeId('pi');
      const told = stripeEvent('invoice.paid', given, at(after, version));
      const by = stripeEvent('invoice_payment.paid', invoicePayment(given.id, payment));
      return { payment, events: version === versions[0] ? [told] : [told, by] };
    };
    // A line of 40 days is one month.
    const first = paid(0, [{ price: 'price_basic', from: start, until: end }], true);
    const started = [
      stripeEvent('customer.subscription.created', subscription(one, version, 'incomplete'), at(0)),
      ...first.events,
      stripeEvent(updated, subscription(one, version), at(0)),
    ];
    const current_period_end = new Date(end * 1000).toISOString();
    const basic = { tier: 'basic', status: 'active', current_period_end };
    await inAnyOrder(started, { monthly_stars: 100, subscription: basic });

    // 20 of the 40 days: 900 stars a month more give 450.
    const proration = true;
    const upgraded = paid(10, [
      { price: 'price_basic', from: middle, until: end, proration, amount: -1000 },
      { price: 'price_pro', from: middle, until: end, proration, amount: 9000 },
    ]);
    const changed = [...started, ...upgraded.events];
    await inAnyOrder(changed, { monthly_stars: 550, subscription: basic });

    const statuses = ['active', 'past_due', 'paused'] as const;
    const ofOneSecond = statuses.map((status) =>
      stripeEvent(updated, subscription(one, version, status), at(30)),
    );
    await inAnyOrder([...changed, ...ofOneSecond], {
      subscription: { ...basic, status: 'paused' },
    });

    const part = refund(upgraded.payment, { amount: 1000 });
    const lost = dispute(first.payment, { amount: 2000, balance_transactions: [move(-2000)] });
    const won = { ...lost, balance_transactions: [move(-2000), move(2000)] };
    const ended = [
      ...changed,
      ...ofOneSecond,
      stripeEvent('refund.created', part, at(40)),
      stripeEvent('charge.dispute.funds_withdrawn', lost, at(41)),
      stripeEvent('charge.dispute.funds_reinstated', won, at(42)),
      stripeEvent('customer.subscription.deleted', subscription(one, version, 'canceled'), at(30)),
    ];
    // Of the upgrade, a half was refunded: 225 of 450.
    await inAnyOrder(ended, {
      total_stars: 325,
      owed_stars: 0,
      subscription: { ...basic, status: 'canceled' },
    });
  },
);
