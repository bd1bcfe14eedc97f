import { describe, expect, test } from 'vitest';
import type { Payment } from '../../../lib/billing/stored/payment.ts';
import { dispute, move, refund, type stripeEvent, stripeId } from '../../support/stripe-events.ts';
import { read } from './read.ts';

const payment = stripeId('pi');
const purchase: Payment = {
  type: 'pack.purchased',
  organization_id: 'a',
  event_id: 'stripe:cs_1',
};

/** What an event about the payment reverses of the purchase. */
const reversalOf = (...given: Parameters<typeof stripeEvent>) => {
  const meaning = read(...given);
  if (!meaning || !('payment' in meaning)) return undefined;
  expect(meaning.payment).toBe(payment);
  return meaning.messageFor(purchase);
};

const amountOf = (...given: Parameters<typeof stripeEvent>) => reversalOf(...given)?.amount;

describe('a refund', () => {
  const created = 1_700_000_000;

  test('reverses its part of the purchase, as a source of its own', () => {
    const one = refund(payment, { amount: 250 });
    expect(reversalOf('refund.created', one, { id: 'evt_1', created })).toEqual({
      type: 'pack.reversed',
      organization_id: 'a',
      event_id: 'stripe:evt_1',
      purchase: 'stripe:cs_1',
      source: `stripe:${one.id}`,
      amount: 250,
      occurred_at: '2023-11-14T22:13:20.000Z',
    });
  });

  test.each([
    ['succeeded', 1000],
    ['pending', 1000],
    ['requires_action', 1000],
    [null, 1000],
    ['failed', 0],
    ['canceled', 0],
  ])('that is %s reverses %i', (status, amount) => {
    for (const type of ['refund.created', 'refund.updated', 'charge.refund.updated'] as const) {
      expect(amountOf(type, refund(payment, { status }))).toBe(amount);
    }
  });

  test.each(['failed', 'canceled'])('that is %s comes last of its second', (status) => {
    const at = (state: string) =>
      String(
        reversalOf('refund.updated', refund(payment, { status: state }), { created })?.occurred_at,
      );
    expect(at(status) > at('succeeded')).toBe(true);
    expect(at('succeeded')).toBe(at('pending'));
    expect(Date.parse(at(status))).toBeLessThan((created + 1) * 1000);
  });

  test('goes by the organization of the purchase, whatever its metadata says', () => {
    const one = refund(payment, { metadata: { organization_id: 'b', stars: '1' } });
    expect(reversalOf('refund.created', one)).toMatchObject({ organization_id: 'a', amount: 1000 });
  });

  test('of an invoice reverses its part of what that has paid', () => {
    const meaning = read('refund.created', refund(payment, { amount: 250 }));
    if (!meaning || !('payment' in meaning)) throw new Error('no reversal');
    const paid = { ...purchase, type: 'subscription.paid', event_id: 'stripe:in_1' } as const;
    expect(meaning.messageFor(paid)).toMatchObject({
      type: 'subscription.reversed',
      paid: 'stripe:in_1',
      amount: 250,
    });
  });

  test('of no payment is nothing to us', () => {
    expect(read('refund.created', refund(null))).toBeUndefined();
  });
});

describe('a dispute', () => {
  const withdrawn = 'charge.dispute.funds_withdrawn';
  const reinstated = 'charge.dispute.funds_reinstated';
  const of = (...amounts: number[]) =>
    dispute(payment, { balance_transactions: amounts.map((one) => move(one)) });

  test('that takes the money claws the stars back', () => {
    const one = of(-1000);
    expect(reversalOf(withdrawn, one)).toMatchObject({
      source: `stripe:${one.id}`,
      amount: 1000,
      claw_back: true,
    });
  });

  test.each<[string, typeof withdrawn | typeof reinstated, number[], number]>([
    ['won', reinstated, [-1000, 1000], 0],
    ['won in part', reinstated, [-1000, 600], 400],
    ['lost again', withdrawn, [-1000, 1000, -1000], 1000],
    ['of a part', withdrawn, [-500], 500],
    ['whose event tells no moves of money', withdrawn, [], 1000],
    ['won, whose event tells only what was taken', reinstated, [-1000], 0],
  ])('%s: %s, %j has taken %i', (_what, type, amounts, taken) => {
    expect(amountOf(type, of(...amounts))).toBe(taken);
  });

  test('that is won comes last of its second, and one that is lost again after it', () => {
    const created = 1_700_000_000;
    const at = (type: typeof withdrawn | typeof reinstated, ...amounts: number[]) =>
      String(reversalOf(type, of(...amounts), { created })?.occurred_at);
    expect(at(withdrawn, -1000) < at(reinstated, -1000, 1000)).toBe(true);
    expect(at(withdrawn) < at(reinstated)).toBe(true);
    expect(at(reinstated, -1000, 1000) < at(withdrawn, -1000, 1000, -1000)).toBe(true);
  });

  test('in an account of another currency takes all, and gives all back, whatever the rate', () => {
    const moves = [move(-1150, 'usd'), move(1080, 'usd')];
    const lost = dispute(payment, { balance_transactions: moves.slice(0, 1) });
    expect(amountOf(withdrawn, lost)).toBe(1000);
    expect(amountOf(reinstated, { ...lost, balance_transactions: moves })).toBe(0);
  });

  test.each(['charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.closed'] as const)(
    '%s takes nothing: an inquiry moves no money',
    (type) => {
      const inquiry = dispute(payment, {
        balance_transactions: [],
        status: 'warning_needs_response',
      });
      expect(read(type, inquiry)).toBeUndefined();
    },
  );
});
