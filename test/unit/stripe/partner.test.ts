import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paymentKind } from '../../../lib/billing/stored/payment.ts';
import { emptySubscription, emptyWallet, walletKind } from '../../../lib/billing/stored/wallet.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { stripe } from '../../../lib/stripe/partner.ts';
import type { Item } from '../../../lib/table/table.ts';
import { fakeReads } from '../../support/fake-table.ts';
import {
  refund,
  session,
  stripeEvent,
  stripeId,
  subscribed,
  subscription,
  versions,
} from '../../support/stripe-events.ts';

// What an event comes to, by what the table knows.

beforeEach(() => void vi.stubEnv('STRIPE_LIVEMODE', 'false'));
afterEach(() => void vi.unstubAllEnvs());

const organizationId = crypto.randomUUID();

/** The type of the message, why there is none, or the field that is wrong. */
const outcomeOf = async (event: object, stored: readonly Item[] = []): Promise<string> => {
  const reads = fakeReads(({ pk, sk }) => stored.find((one) => one.pk === pk && one.sk === sk));
  const table = { ...reads, deadline: 0, transact: async () => {} };
  try {
    const told = await stripe.translate(event, table);
    return 'outcome' in told ? told.outcome : told.message.type;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.details?.[0]?.path} ${error.details?.[0]?.message}`;
  }
};

const bought = session({ metadata: { organization_id: organizationId, stars: '500' } });

test.each([
  ['false', false, 'pack.purchased'],
  ['false', true, 'livemode must be false here'],
  ['true', true, 'pack.purchased'],
  ['true', false, 'livemode must be true here'],
  [undefined, false, 'livemode has no setting here'],
])('where the mode is %s, an event of live mode %s is “%s”', async (mode, livemode, outcome) => {
  vi.stubEnv('STRIPE_LIVEMODE', mode);
  const event = stripeEvent('checkout.session.completed', bought, { livemode });
  expect(await outcomeOf(event)).toBe(outcome);
});

test('what is no event of Stripe is told by its field', async () => {
  const { created: _, ...event } = stripeEvent('checkout.session.completed', bought);
  expect(await outcomeOf(event)).toBe('created is required');
  expect(await outcomeOf({ ...event, created: 1.5 })).toMatch(/^created must be/);
});

test('a refund waits until the purchase of its payment is there', async () => {
  const payment = stripeId('pi');
  const event = stripeEvent('refund.created', refund(payment));
  const item = (id: string) => ({
    ...paymentKind.key({ payment: id }),
    type: 'pack.purchased',
    organization_id: organizationId,
    event_id: 'stripe:cs_1',
  });
  expect(await outcomeOf(event)).toBe('waiting');
  expect(await outcomeOf(event, [item(stripeId('pi'))])).toBe('waiting');
  expect(await outcomeOf(event, [item(payment)])).toBe('pack.reversed');
});

test.each(['updated', 'deleted'] as const)(
  'customer.subscription.%s waits until the wallet knows the subscription',
  async (what) => {
    const one = subscribed({ metadata: { organization_id: organizationId } });
    const event = stripeEvent(`customer.subscription.${what}`, subscription(one, versions[1]));
    const period = { ...emptySubscription, tier: 'basic' };
    const wallet = (fields: object = {}): Item[] => [
      { ...walletKind.key({ organizationId }), ...emptyWallet, ...fields },
    ];
    const type = what === 'updated' ? 'subscription.changed' : 'subscription.canceled';
    expect(await outcomeOf(event, wallet())).toBe('waiting');
    const other = { ...period, id: 'sub_other' };
    expect(await outcomeOf(event, wallet({ subscription: other }))).toBe('waiting');
    expect(await outcomeOf(event, wallet({ subscription: { ...period, id: one.id } }))).toBe(type);
    const former = { subscription: other, former_subscriptions: [one.id] };
    expect(await outcomeOf(event, wallet(former))).toBe(type);
    // Whoever handles the message refuses it.
    expect(await outcomeOf(event)).toBe(type);
  },
);

test.each(['v1.invoice.paid', 'v2.core.event_destination.ping'])(
  'the thin event %s is told as that, with what to choose',
  async (type) => {
    const thin = { id: 'evt_1', object: 'v2.core.event', type, created: '2026-11-28T00:00:00Z' };
    expect(await outcomeOf(thin)).toBe(
      'type is that of a thin event: in Stripe, make the destination anew with the payload style “Snapshot”',
    );
  },
);

test('a sale of a connected account is refused, and what is not ours is nobody’s', async () => {
  const [type, account] = ['checkout.session.completed', 'acct_1'] as const;
  expect(await outcomeOf(stripeEvent(type, bought, { account }))).toMatch(
    /^account is a connected account/,
  );
  expect(await outcomeOf(stripeEvent(type, bought))).toBe('pack.purchased');
  const other = { ...bought, metadata: {} };
  expect(await outcomeOf(stripeEvent(type, other, { account }))).toBe('ignored');
  const paidBack = refund(bought.payment_intent as string);
  expect(await outcomeOf(stripeEvent('refund.created', paidBack, { account }))).toBe('ignored');
});
