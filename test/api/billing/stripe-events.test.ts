import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, inject, test } from 'vitest';
import type { Balance } from '../../../lib/billing/stored/balance.ts';
import { balanceOf, historyOf, putEvent, spend } from '../../support/billing.ts';
import { events as buses, deliver, putEvents, stripeBodyOf } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { callAsPlatform, type Organization, provision } from '../../support/organization.ts';
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
  versions,
} from '../../support/stripe-events.ts';

// From Stripe's bus, by the queue, into wallets. What each event means: test/unit/stripe/. What that does to a wallet, in any
// order: test/unit/stripe/any-order.test.ts.

const { stripeBusName, logFile } = inject('service');
type Event = ReturnType<typeof stripeEvent>;

/** Puts events on Stripe's bus, as Stripe does: each once more than it happened. */
const send = async (...events: Event[]) => {
  const entries = [...events, ...events].map((event) => ({
    EventBusName: stripeBusName,
    Source: stripeBusName,
    DetailType: event.type,
    Detail: JSON.stringify(event),
  }));
  const { FailedEntryCount } = await buses.send(new PutEventsCommand({ Entries: entries }));
  expect(FailedEntryCount).toBe(0);
};

const until = (organization: Organization, wanted: Partial<Record<keyof Balance, unknown>>) =>
  eventually(
    () => balanceOf(organization),
    (balance) => isMatch(balance, wanted),
  );

/** Whether an object has these fields, and theirs. */
const isMatch = (object: object, wanted: object): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const told = (object as Record<string, unknown>)[key];
    return typeof value === 'object' ? isMatch(told as object, value) : told === value;
  });

const sold = ({ id }: Organization, fields: Parameters<typeof session>[0] = {}) =>
  session({ metadata: { organization_id: id, stars: '500' }, ...fields });

test('a purchase, its refunds, one of which fails, and a dispute that is won: each counts once', async () => {
  const organization = await provision();
  const one = sold(organization);
  await send(
    stripeEvent('checkout.session.completed', { ...one, payment_status: 'unpaid' }),
    stripeEvent('checkout.session.completed', one),
    stripeEvent('checkout.session.async_payment_succeeded', one),
  );
  await until(organization, { pack_stars: 500 });
  const part = refund(one.payment_intent as string, { amount: 250, status: 'pending' });
  await send(stripeEvent('refund.created', part));
  await until(organization, { pack_stars: 375 });
  await spend(organization, 300);
  const later = Math.floor(Date.now() / 1000) + 1;
  await send(stripeEvent('refund.failed', { ...part, status: 'failed' }, { created: later }));
  await until(organization, { pack_stars: 200 });
  const lost = dispute(one.payment_intent as string);
  await send(stripeEvent('charge.dispute.funds_withdrawn', lost));
  await until(organization, { pack_stars: 0, owed_stars: 300 });
  const won = { ...lost, status: 'won', balance_transactions: [move(-1000), move(1000)] };
  await send(stripeEvent('charge.dispute.funds_reinstated', won));
  await until(organization, { pack_stars: 200, owed_stars: 0 });
  const types = (await historyOf(organization)).map(({ type }) => type);
  expect(types.filter((type) => type === 'pack.purchased')).toHaveLength(1);
  expect(types.filter((type) => type === 'pack.reversed')).toHaveLength(4);
});

test('a refund that comes before its purchase waits, and sets nothing off', async () => {
  const organization = await provision();
  const one = sold(organization);
  const all = stripeEvent('refund.created', refund(one.payment_intent as string));
  await send(all);
  await eventually(
    async () => (await readFile(logFile, 'utf8')).split('\n'),
    (lines) => lines.filter((line) => line.includes(all.id) && line.includes('waiting')).length > 1,
  );
  await send(stripeEvent('checkout.session.completed', one));
  await eventually(
    () => historyOf(organization),
    (entries) => entries.some(({ type }) => type === 'pack.reversed'),
  );
  expect((await balanceOf(organization)).pack_stars).toBe(0);
  const lines = (await readFile(logFile, 'utf8'))
    .split('\n')
    .filter((line) => line.includes(all.id));
  expect(new Set(lines.map((line) => JSON.parse(line).level))).toEqual(new Set(['INFO']));
});

/** Plans of a test's own, of 100 and 1,000 stars a month, and their prices. */
const putPlans = async () => {
  const [basic, pro] = [randomUUID(), randomUUID()];
  const [basicPrice, proPrice] = [stripeId('price'), stripeId('price')];
  for (const [tier, monthly_grant_stars, price] of [
    [basic, 100, basicPrice],
    [pro, 1000, proPrice],
  ] as const) {
    const plan = { name: tier, monthly_grant_stars, price_cents: 1, currency: 'EUR' };
    await callAsPlatform('PUT', `/billing/plans/${tier}`, { ...plan, stripe_prices: [price] });
  }
  return { basic, pro, basicPrice, proPrice };
};

const dayMs = 86_400_000;

describe.each(versions)('by the API version %s', (version) => {
  test('a subscription starts, is upgraded, renews, is refunded, past due, and ends', async () => {
    const organization = await provision();
    const { basic, pro, basicPrice, proPrice } = await putPlans();
    const one = subscribed({ metadata: { organization_id: organization.id } });
    const [start] = [Math.floor(Date.now() / 1000) - 100];
    const days = (n: number) => start + (n * dayMs) / 1000;
    const about = (seconds: number) => ({ version, created: start + seconds });
    const paid = async (
      after: number,
      reason: 'subscription_create' | 'subscription_update' | 'subscription_cycle',
      ...lines: Parameters<typeof invoice>[2]['lines']
    ) => {
      const payment = stripeId('pi');
      const told = invoice(one, version, { reason, lines, payment });
      const by = stripeEvent('invoice_payment.paid', invoicePayment(told.id, payment));
      const isNew = version === versions[1];
      await send(...(isNew ? [by] : []), stripeEvent('invoice.paid', told, about(after)));
      return payment;
    };
    // A line of 40 days is one month.
    await paid(0, 'subscription_create', { price: basicPrice, from: start, until: days(40) });
    await until(organization, { monthly_stars: 100, subscription: { tier: basic } });

    const upgrade = { from: start, until: days(40), proration: true };
    await paid(
      1,
      'subscription_update',
      { price: basicPrice, ...upgrade, amount: -2000 },
      { price: proPrice, ...upgrade, amount: 9000 },
    );
    await until(organization, { monthly_stars: 1000, subscription: { tier: pro } });

    const cycle = { price: proPrice, from: days(40), until: days(80) };
    const payment = await paid(2, 'subscription_cycle', cycle);
    const current_period_end = new Date(days(80) * 1000).toISOString();
    await until(organization, {
      subscription: { tier: pro, status: 'active', current_period_end },
    });
    const { next_grant } = await balanceOf(organization);
    expect(next_grant).toEqual({ at: new Date(days(40) * 1000).toISOString(), stars: 1000 });

    await send(stripeEvent('refund.created', refund(payment, { amount: 500 }), about(3)));
    await until(organization, { next_grant: { stars: 750 }, monthly_stars: 1000 });

    const pastDue = subscription(one, version, 'past_due');
    await send(stripeEvent('customer.subscription.updated', pastDue, about(4)));
    await until(organization, { subscription: { tier: pro, status: 'past_due' } });

    const ended = subscription(one, version, 'canceled');
    await send(stripeEvent('customer.subscription.deleted', ended, about(5)));
    await until(organization, { subscription: { status: 'canceled', current_period_end } });
    expect((await balanceOf(organization)).monthly_stars).toBe(1000);
  });
});

test('a thin event is a dead letter at once, and is not tried', async () => {
  const thin = { id: stripeId('evt'), object: 'v2.core.event', type: 'v1.invoice.paid' };
  await send(thin as unknown as Event);
  const lines = await eventually(
    async () =>
      (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes(thin.id)),
    (some) => some.length >= 2,
  );
  const queues = lines.map((line) => JSON.parse(line).message.queue);
  expect(queues).toEqual(queues.map(() => expect.stringContaining('DeadLetters')));
});

test('a refund takes from whoever bought, whatever organization its metadata names', async () => {
  const [buyer, other] = await Promise.all([provision(), provision()]);
  const [one, two] = [sold(buyer), sold(other)];
  const named = { metadata: { organization_id: other.id, stars: '1' } };
  const bought = [one, two].map((each) => stripeEvent('checkout.session.completed', each));
  expect(await deliver(bought.map(stripeBodyOf))).toEqual([]);
  const paidBack = stripeEvent('refund.created', refund(one.payment_intent as string, named));
  expect(await deliver([stripeBodyOf(paidBack)])).toEqual([]);
  const left = await Promise.all([buyer, other].map(balanceOf));
  expect(left.map(({ pack_stars }) => pack_stars)).toEqual([0, 500]);
});

const someLine = () => ({ price: stripeId('price'), from: 1_795_000_000, until: 1_797_592_000 });

test.each<[string, (organization: Organization) => Event]>([
  ['of live mode', (to) => stripeEvent('checkout.session.completed', sold(to), { livemode: true })],
  [
    'with half of the metadata',
    ({ id }) =>
      stripeEvent('checkout.session.completed', session({ metadata: { organization_id: id } })),
  ],
  ['of an unknown organization', () => stripeEvent('checkout.session.completed', session())],
  [
    'whose organization is no id',
    () =>
      stripeEvent(
        'checkout.session.completed',
        session({ metadata: { organization_id: 'Ipê', stars: '5' } }),
      ),
  ],
  [
    'of stars that are no number',
    ({ id }) =>
      stripeEvent(
        'checkout.session.completed',
        session({ metadata: { organization_id: id, stars: 'many' } }),
      ),
  ],
  [
    'of a price that no plan names',
    ({ id }) => {
      const one = subscribed({ metadata: { organization_id: id } });
      return stripeEvent('invoice.paid', invoice(one, versions[1], { lines: [someLine()] }));
    },
  ],
  [
    'that is a thin one',
    () => ({ id: 'evt_1', object: 'v2.core.event', type: 'v1.invoice.paid' }) as unknown as Event,
  ],
])('an event %s fails, and what is beside it does not', async (_which, made) => {
  const organization = await provision();
  const bodies = [
    made(organization),
    stripeEvent('checkout.session.completed', sold(organization)),
  ];
  expect(await deliver(bodies.map(stripeBodyOf))).toEqual([0]);
  expect((await balanceOf(organization)).pack_stars).toBe(500);
});

test('what is not ours is done with, and changes nothing', async () => {
  const organization = await provision();
  const none = subscribed({ metadata: {} });
  const events = [
    stripeEvent('checkout.session.completed', session({ metadata: {} })),
    stripeEvent('invoice.paid', invoice(none, versions[0], { lines: [someLine()] })),
    stripeEvent('customer.subscription.deleted', subscription(none, versions[1], 'canceled')),
    stripeEvent('customer.subscription.updated', subscription(none, versions[1])),
  ];
  expect(await deliver(events.map(stripeBodyOf))).toEqual([]);
  expect((await balanceOf(organization)).total_stars).toBe(0);
});

test.each(['incomplete', 'incomplete_expired'] as const)(
  'the end of a subscription that is %s is done with: it never started',
  async (status) => {
    const { id } = await provision();
    const one = subscribed({ metadata: { organization_id: id } });
    const ended = subscription(one, versions[1], status);
    expect(
      await deliver([stripeBodyOf(stripeEvent('customer.subscription.deleted', ended))]),
    ).toEqual([]);
    const canceled = subscription(one, versions[1], 'canceled');
    const waits = stripeEvent('customer.subscription.deleted', canceled);
    expect(await deliver([stripeBodyOf(waits)])).toEqual([0]);
  },
);

test('what is still unknown after an hour of tries is done with', async () => {
  const { id } = await provision();
  const one = subscribed({ metadata: { organization_id: id } });
  const events = [
    stripeEvent('refund.created', refund(stripeId('pi'))),
    stripeEvent('charge.dispute.funds_withdrawn', dispute(stripeId('pi'))),
    stripeEvent('customer.subscription.deleted', subscription(one, versions[1], 'canceled')),
  ];
  const first = (minutes: number) => ({
    ApproximateFirstReceiveTimestamp: String(Date.now() - minutes * 60_000),
  });
  expect((await deliver(events.map(stripeBodyOf), first(58))).sort()).toEqual([0, 1, 2]);
  expect(await deliver(events.map(stripeBodyOf), first(60))).toEqual([]);
});

describe('an id of Stripe’s form', () => {
  const id = `stripe:${stripeId('cs')}`;
  const field = expect.objectContaining({
    message: expect.stringContaining('not begin with stripe:'),
  });

  test('is refused by every request that makes one, and nothing happens', async () => {
    const organization = await provision({ wallet: { pack_stars: 10 } });
    const stars = 1;
    const put = (path: string, body: object) => organization.put(`/billing/${path}`, body);
    const answers = [
      await putEvent(organization, { event_id: id, type: 'pack.purchased', stars }),
      await put(`spends/${id}`, { stars }),
      await put(`spends/${id.replace(':', '%3A')}`, { stars }),
      await put(`holds/${id}`, { stars, expires_in_seconds: 9 }),
      await organization.post('/billing/spends', { spends: [{ event_id: id, stars }] }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.details]).toEqual([400, [field]]);
    }
    expect((await balanceOf(organization)).available_stars).toBe(10);
    expect((await put('spends/stripe', { stars })).status).toBe(201);
  });

  test('fails on billing’s own bus, and may be asked for', async () => {
    const organization = await provision();
    const one = sold(organization);
    const own = { type: 'pack.purchased', stars: 7, event_id: `stripe:${one.id}` };
    await putEvents(organization, [own]);
    await eventually(
      () => readFile(logFile, 'utf8'),
      (text) => text.includes(one.id),
    );
    await send(stripeEvent('checkout.session.completed', one));
    await until(organization, { pack_stars: 500 });
    expect((await organization.get(`/billing/spends/${own.event_id}`)).status).toBe(404);
  });
});
