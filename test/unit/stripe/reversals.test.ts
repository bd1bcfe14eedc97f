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

const starsOf = (...given: Parameters<typeof stripeEvent>) => reversalOf(...given)?.stars;

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
      stars: 125,
      occurred_at: '2023-11-14T22:13:20.000Z',
    });
  });

  test.each([
    ['succeeded', 500],
    ['pending', 500],
    ['requires_action', 500],
    [null, 500],
    ['failed', 0],
    ['canceled', 0],
  ])('that is %s reverses %i stars', (status, stars) => {
    for (const type of ['refund.created', 'refund.updated', 'charge.refund.updated'] as const) {
      expect(starsOf(type, refund(payment, { status }))).toBe(stars);
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
    expect(reversalOf('refund.created', one)).toMatchObject({ organization_id: 'a', stars: 500 });
  });

  test('of no payment is nothing to us; nor is that of a connected account', () => {
    expect(read('refund.created', refund(null))).toBeUndefined();
    expect(read('refund.created', refund(payment), { account: 'acct_1' })).toBeUndefined();
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
      stars: 500,
      claw_back: true,
    });
  });

  test.each<[string, typeof withdrawn | typeof reinstated, number[], number]>([
    ['won', reinstated, [-1000, 1000], 0],
    ['won in part', reinstated, [-1000, 600], 200],
    ['lost again', withdrawn, [-1000, 1000, -1000], 500],
    ['of a part', withdrawn, [-500], 250],
    ['whose event tells no moves of money', withdrawn, [], 500],
    ['won, whose event tells only what was taken', reinstated, [-1000], 0],
  ])('%s: %s, %j has taken %i stars', (_what, type, amounts, stars) => {
    expect(starsOf(type, of(...amounts))).toBe(stars);
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
    expect(starsOf(withdrawn, lost)).toBe(500);
    expect(starsOf(reinstated, { ...lost, balance_transactions: moves })).toBe(0);
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
