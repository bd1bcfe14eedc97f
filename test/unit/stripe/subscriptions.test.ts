import { describe, expect, test } from 'vitest';
import {
  invoice,
  type Period,
  type Subscribed,
  session,
  stripeEvent,
  subscribed,
  subscription,
  versions,
} from '../../support/stripe-events.ts';
import { faultOf, messageOf, read } from './read.ts';

const created = 1_700_000_000;
const iso = (second: number) => new Date(second * 1000).toISOString();
const start = 1_699_999_990;
const end = start + 2_592_000;

describe.each(versions)('of the API version %s', (version) => {
  const about = { version, created, id: 'evt_1' };
  const one = subscribed();
  const of = one.metadata.organization_id;
  const paid = (period: Period = {}, subscribedTo: Subscribed = one) =>
    invoice(subscribedTo, version, { start, end, ...period });

  test('the first invoice that is paid starts the subscription', () => {
    const first = paid();
    expect(messageOf('invoice.paid', first, about)).toEqual({
      type: 'subscription.started',
      organization_id: of,
      event_id: `stripe:${first.id}`,
      subscription_id: one.id,
      tier: 'basic',
      current_period_end: iso(end),
      occurred_at: iso(created),
    });
  });

  test('that of the next period renews it, and tells no tier', () => {
    const next = paid({ reason: 'subscription_cycle' });
    const { type, tier } = messageOf('invoice.paid', next, about)!;
    expect({ type, tier }).toEqual({ type: 'subscription.renewed', tier: undefined });
  });

  test('that of an update renews it if a period begins by it, and else gives nothing', () => {
    const update = paid({ reason: 'subscription_update', prorations: [start, end] });
    expect(messageOf('invoice.paid', update, about)).toMatchObject({
      type: 'subscription.renewed',
      current_period_end: iso(end),
    });
    const prorations = { ...update, lines: { data: update.lines.data.slice(0, 2) } };
    expect(read('invoice.paid', prorations, about)).toBeUndefined();
  });

  test('that of an accepted quote starts it', () => {
    const accepted = paid({ reason: 'quote_accept' });
    expect(messageOf('invoice.paid', accepted, about)?.type).toBe('subscription.started');
  });

  test.each(['subscription_threshold', 'manual'] as const)(
    'one of “%s” gives nothing',
    (reason) => {
      expect(read('invoice.paid', paid({ reason }), about)).toBeUndefined();
    },
  );

  test('a period ends when the subscription’s last line does that is no proration', () => {
    const later = paid({ reason: 'subscription_cycle', prorations: [start, end + 999] });
    expect(messageOf('invoice.paid', later, about)?.current_period_end).toBe(iso(end));
    const fee = {
      ...later.lines.data[2],
      period: { start, end: end + 999 },
      ...(version === versions[0]
        ? { type: 'invoiceitem' }
        : { parent: { type: 'invoice_item_details', invoice_item_details: { proration: false } } }),
    };
    const withFee = { ...later, lines: { data: [fee, ...later.lines.data] } };
    expect(messageOf('invoice.paid', withFee, about)?.current_period_end).toBe(iso(end));
    const onlyProrations = { ...later, lines: { data: later.lines.data.slice(0, 2) } };
    expect(faultOf('invoice.paid', onlyProrations, about)).toMatch(/^lines /);
  });

  test.each([
    ['without metadata', {}, undefined],
    ['with the organization alone', { organization_id: 'o' }, /^metadata.tier is missing/],
    ['with the tier alone', { tier: 'basic' }, /^metadata.organization_id is missing/],
  ])('a start %s', (_which, metadata, fault) => {
    const first = paid({}, { ...one, metadata: metadata as Record<string, string> });
    if (fault) expect(faultOf('invoice.paid', first, about)).toMatch(fault);
    else expect(read('invoice.paid', first, about)).toBeUndefined();
  });

  test('a renewal needs no tier', () => {
    const next = paid(
      { reason: 'subscription_cycle' },
      { ...one, metadata: { organization_id: 'o' } },
    );
    expect(messageOf('invoice.paid', next, about)?.organization_id).toBe('o');
  });

  test('a change tells the tier and the status', () => {
    const meaning = read('customer.subscription.updated', subscription(one, version), about);
    expect(meaning).toEqual({
      message: {
        type: 'subscription.changed',
        organization_id: of,
        event_id: 'stripe:evt_1',
        subscription_id: one.id,
        tier: 'basic',
        status: 'active',
        occurred_at: iso(created + 0.002),
      },
      subscription: { id: one.id, occurredAt: created * 1000 + 2 },
    });
  });

  test('the price’s metadata wins for the tier, as the portal changes prices', () => {
    const changed = { ...one, price: { tier: 'pro' } };
    const message = messageOf(
      'customer.subscription.updated',
      subscription(changed, version),
      about,
    );
    expect(message?.tier).toBe('pro');
    const withoutTier = { ...changed, metadata: { organization_id: 'o' } };
    const other = messageOf('customer.subscription.updated', subscription(withoutTier, version));
    expect(other).toMatchObject({ tier: 'pro', organization_id: 'o' });
  });

  test('a price with a tier, of a subscription without an organization, is refused', () => {
    const half = { ...one, metadata: {}, price: { tier: 'pro' } };
    const fault = faultOf('customer.subscription.updated', subscription(half, version), about);
    expect(fault).toMatch(/^metadata.organization_id is missing/);
    const others = { ...half, price: {} };
    expect(read('customer.subscription.updated', subscription(others, version))).toBeUndefined();
  });

  test('its end cancels it', () => {
    const ended = subscription(one, version, 'canceled');
    const message = messageOf('customer.subscription.deleted', ended, about);
    expect(message).toEqual({
      type: 'subscription.canceled',
      organization_id: of,
      event_id: 'stripe:evt_1',
      subscription_id: one.id,
      occurred_at: iso(created + 0.006),
    });
    expect(messageOf('customer.subscription.updated', ended, about)).toEqual(message);
  });

  test.each(['incomplete', 'incomplete_expired'] as const)(
    'one that is %s never started',
    (status) => {
      const never = subscription(one, version, status);
      for (const type of ['created', 'updated', 'deleted'] as const) {
        expect(read(`customer.subscription.${type}`, never, about)).toBeUndefined();
      }
    },
  );

  test('of one second, canceled comes after paused, past_due and active, and any after the start', () => {
    const at = (status: Parameters<typeof subscription>[2]) =>
      String(
        messageOf('customer.subscription.updated', subscription(one, version, status), about)
          ?.occurred_at,
      );
    const order = ['trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled'] as const;
    const times = [String(messageOf('invoice.paid', paid(), about)?.occurred_at), ...order.map(at)];
    expect(new Set(times).size).toBe(7);
    expect(times.toSorted()).toEqual(times);
    expect(Date.parse(times.at(-1)!)).toBeLessThan((created + 1) * 1000);
  });

  test('an invoice of no subscription is nothing to us', () => {
    const { id, object, lines, billing_reason } = paid();
    const alone = { id, object, lines, billing_reason };
    expect(read('invoice.paid', alone, about)).toBeUndefined();
  });
});

test('before 2025-03-31, an invoice has the price’s object, whose tier wins', () => {
  const changed = subscribed({ price: { tier: 'pro' } });
  const [before, after] = versions.map((version) =>
    messageOf('invoice.paid', invoice(changed, version)),
  );
  expect([before?.tier, after?.tier]).toEqual(['pro', 'basic']);
});

test('a Checkout of a subscription says nothing that its invoice does not', () => {
  const one = session({ mode: 'subscription', subscription: 'sub_1' });
  expect(stripeEvent('checkout.session.completed', one).data.object).toBe(one);
  expect(read('checkout.session.completed', one)).toBeUndefined();
});
