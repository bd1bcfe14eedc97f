import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toBalance } from '../../../lib/billing/rules/balance.ts';
import { stepOf } from '../../../lib/billing/rules/step.ts';
import type { EventRecord } from '../../../lib/billing/stored/event-record.ts';
import { paymentKind } from '../../../lib/billing/stored/payment.ts';
import { emptyWallet, type Wallet, walletKind } from '../../../lib/billing/stored/wallet.ts';
import { stripe } from '../../../lib/stripe/partner.ts';
import type { Item } from '../../../lib/table/table.ts';
import { fakeReads } from '../../support/fake-table.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import {
  dispute,
  invoice,
  move,
  refund,
  session,
  stripeEvent,
  subscribed,
  subscription,
  type Version,
  versions,
} from '../../support/stripe-events.ts';

// What events of Stripe make of a wallet, in any order in which they may come, each several times: the mapping and the rules
// in memory, and a queue that brings again what waits. A run is repeated with its SEED.

beforeAll(() => void vi.stubEnv('STRIPE_LIVEMODE', 'false'));
afterAll(() => void vi.unstubAllEnvs());

const organizationId = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const now = Date.now();
const second = Math.floor(now / 1000) - 1000;
const grants: Record<string, number> = { basic: 100, pro: 1000 };

type Event = ReturnType<typeof stripeEvent>;

/** The wallet once all events have come in this order; fails if one never can be done with. */
const arrive = async (events: readonly Event[], before: Partial<Wallet> = {}) => {
  let wallet: Wallet = { ...emptyWallet, ...before };
  let purchases = 0;
  const records = new Map<string, EventRecord>();
  const payments = new Map<string, Item>();
  const walletKey = walletKind.key({ organizationId });
  const table = fakeReads(({ pk, sk }) =>
    sk === walletKey.sk ? { ...walletKey, ...wallet } : payments.get(pk),
  );

  /** Whether the event has to come again. */
  const waits = async (event: Event): Promise<boolean> => {
    const told = await stripe.translate(JSON.parse(JSON.stringify(event)), table);
    if ('outcome' in told) return told.outcome === 'waiting';
    const { message } = told;
    if (records.has(message.event_id)) return false;
    const tier = 'tier' in message ? message.tier : undefined;
    const step = stepOf(
      {
        wallet,
        plan: tier === undefined ? undefined : planOf(tier),
        target: 'purchase' in message ? records.get(message.purchase) : undefined,
      },
      message,
      now,
    );
    // What is refused comes again, too, until it is a dead letter.
    if (typeof step === 'string') return true;
    wallet = step.wallet;
    records.set(message.event_id, step.record);
    if ('purchase' in message && step.target) records.set(message.purchase, step.target);
    if (message.type === 'pack.purchased') purchases++;
    if (step.paid) {
      const key = paymentKind.key({ payment: step.paid.id });
      payments.set(key.pk, { ...key, ...step.paid.by });
    }
    return false;
  };

  let left = events;
  for (let tries = 0; left.length > 0; tries++) {
    expect(tries).toBeLessThan(5);
    const again: Event[] = [];
    for (const event of left) if (await waits(event)) again.push(event);
    left = again;
  }
  return { ...toBalance(wallet, now), purchases };
};

const planOf = (tier: string) => ({
  tier,
  name: tier,
  monthly_grant_stars: grants[tier]!,
  price_cents: 1,
  currency: 'EUR',
  stripe_prices: [],
  trial_stars: 0,
});

const inAnyOrder = async (
  events: readonly Event[],
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
    const one = subscribed({ metadata: { organization_id: organizationId, tier: 'basic' } });
    const pro = { ...one, price: { tier: 'pro' } };
    const updated = 'customer.subscription.updated';
    const started = [
      stripeEvent('customer.subscription.created', subscription(one, version, 'incomplete'), at(0)),
      stripeEvent('invoice.paid', invoice(one, version, { start: second }), at(0, version)),
      stripeEvent(updated, subscription(one, version), at(0)),
    ];
    await inAnyOrder(started, { monthly_stars: 100, subscription: { status: 'active' } });
    const changed = [...started, stripeEvent(updated, subscription(pro, version), at(10))];
    await inAnyOrder(changed, { monthly_stars: 1000, subscription: { tier: 'pro' } });
    const cycle = { start: second, end: second + 9_000_000, reason: 'subscription_cycle' } as const;
    const renewed = [...changed, stripeEvent('invoice.paid', invoice(one, version, cycle), at(20))];
    const current_period_end = new Date((second + 9_000_000) * 1000).toISOString();
    await inAnyOrder(renewed, {
      monthly_stars: 1000,
      subscription: { tier: 'pro', status: 'active', current_period_end },
    });
    const statuses = ['active', 'past_due', 'paused'] as const;
    const ofOneSecond = statuses.map((status) =>
      stripeEvent(updated, subscription(pro, version, status), at(30)),
    );
    const paused = [...renewed, ...ofOneSecond];
    await inAnyOrder(paused, { subscription: { status: 'paused' } });
    const end = subscription(pro, version, 'canceled');
    const ended = [...paused, stripeEvent('customer.subscription.deleted', end, at(30))];
    await inAnyOrder(ended, {
      monthly_stars: 1000,
      subscription: { tier: 'pro', status: 'canceled', current_period_end },
    });
  },
);
