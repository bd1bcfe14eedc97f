import { expect, test } from 'vitest';
import { session } from '../../support/stripe-events.ts';
import { faultOf, messageOf, read } from './read.ts';

const completed = 'checkout.session.completed';
const succeeded = 'checkout.session.async_payment_succeeded';
const sold = session();

test('a Checkout that is paid is a purchase, with what refunds need to find it', () => {
  expect(read(completed, sold)).toEqual({
    message: {
      type: 'pack.purchased',
      organization_id: sold.metadata!.organization_id,
      event_id: `stripe:${sold.id}`,
      stars: 500,
      payment: sold.payment_intent,
      amount: 1000,
    },
  });
});

test('a delayed payment is one once it is paid, and both events say the same', () => {
  expect(read(completed, { ...sold, payment_status: 'unpaid' })).toBeUndefined();
  const [first, second] = [completed, succeeded].map((type, i) =>
    read(type as typeof completed, sold, { created: 1_700_000_000 + i }),
  );
  expect(first).toBeDefined();
  expect(second).toEqual(first);
});

test('a Checkout of nothing to pay is one, without a payment', () => {
  const free = { payment_status: 'no_payment_required', payment_intent: null, amount_total: 0 };
  const { payment: _, amount: __, ...message } = messageOf(completed, sold)!;
  expect(messageOf(completed, { ...sold, ...free })).toEqual(message);
});

test('a payment that stands whole in the event is known by its id', () => {
  const whole = { ...sold, payment_intent: { id: sold.payment_intent, object: 'payment_intent' } };
  expect(messageOf(completed, whole)).toEqual(messageOf(completed, sold));
});

test.each([
  ['of a subscription', { mode: 'subscription' }],
  ['that saves a card', { mode: 'setup', payment_status: 'no_payment_required' }],
  ['without metadata', { metadata: {} }],
  ['whose metadata is null', { metadata: null }],
  ['with metadata of others', { metadata: { order: '7' } }],
])('a Checkout %s is none', (_which, change) => {
  expect(read(completed, { ...sold, ...change })).toBeUndefined();
});

test.each([
  ['the stars', { stars: '500' }, /^metadata.organization_id is missing/],
  ['the organization', { organization_id: 'o' }, /^metadata.stars is missing/],
  ['stars that are empty', { organization_id: 'o', stars: '' }, /^metadata.stars is missing/],
])('one with only %s is refused', (_what, metadata, fault) => {
  expect(faultOf(completed, { ...sold, metadata })).toMatch(fault);
});

test.each(['1e3', '5.5', '-5', ' 500', '0x10', 'many'])(
  'stars of “%s” stay as they are, and are refused as no number',
  (stars) => {
    const metadata = { ...sold.metadata, stars };
    expect(messageOf(completed, { ...sold, metadata })?.stars).toBe(stars);
  },
);

test('an event of another type means nothing', () => {
  expect(read('checkout.session.expired', sold)).toBeUndefined();
  expect(read('checkout.session.async_payment_failed', sold)).toBeUndefined();
});
