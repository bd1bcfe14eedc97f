import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../lib/billing/stored/plan.ts';
import { walletLinesOf } from '../../../../lib/stripe/invoices/paid-lines.ts';
import { invoice, type Line, subscribed, versions } from '../../../support/stripe-events.ts';
import { faultOf, read } from '../read.ts';

// What the lines of an invoice give, whichever API version tells them.

const plan: Plan = {
  tier: 'basic',
  name: 'Basic',
  monthly_grant_stars: 100,
  price_cents: 2000,
  currency: 'EUR',
  stripe_prices: ['price_1'],
  trial_stars: 7,
};
const plans = new Map([['price_1', plan]]);
const [from, until] = [1_700_000_000, 1_702_592_000];
const line: Line = { price: 'price_1', from, until };

describe.each(versions)('of the API version %s', (version) => {
  const given = (change: Partial<Line>, reason: 'subscription_create' | 'subscription_update') =>
    invoice(subscribed(), version, { reason, lines: [{ ...line, ...change }] });
  const linesFrom = (
    change: Partial<Line>,
    reason: Parameters<typeof given>[1] = 'subscription_update',
  ) => {
    const meaning = read('invoice.paid', given(change, reason), { version });
    if (!meaning || !('invoice' in meaning)) throw new Error('no invoice');
    return walletLinesOf(meaning.invoice, plans);
  };
  const told = {
    from: '2023-11-14T22:13:20.000Z',
    until: '2023-12-14T22:13:20.000Z',
    tier: 'basic',
  };
  const proration = true;

  test.each<[string, Partial<Line>, object[]]>([
    ['a period', {}, [{ monthly_grant_stars: 100 }]],
    ['three seats', { quantity: 3 }, [{ monthly_grant_stars: 300 }]],
    ['a line without units', { quantity: null }, [{ monthly_grant_stars: 100 }]],
    ['no seats', { quantity: 0 }, []],
    ['a price of no plan', { price: 'price_2' }, []],
    ['a trial', { amount: 0 }, [{ monthly_grant_stars: 7, trial: true }]],
    [
      'a trial of three seats',
      { amount: 0, quantity: 3 },
      [{ monthly_grant_stars: 7, trial: true }],
    ],
    ['a coupon of 100 %', { discount: 2000 }, [{ monthly_grant_stars: 100 }]],
    ['more', { proration, amount: 700 }, [{ monthly_grant_stars: 100, proration }]],
    ['a credit', { proration, amount: -700 }, [{ monthly_grant_stars: -100, proration }]],
    ['a proration of nothing', { proration, amount: 0 }, []],
    [
      'more, by a coupon of 100 %',
      { proration, amount: 700, discount: 700 },
      [{ monthly_grant_stars: 100, proration }],
    ],
    [
      'a credit of what a coupon of 100 % has paid',
      { proration, amount: -700, discount: 700 },
      [{ monthly_grant_stars: -100, proration }],
    ],
    ['a period that is credited whole', { amount: -2000 }, [{ monthly_grant_stars: -100 }]],
  ])('%s', (_what, change, lines) => {
    expect(linesFrom(change)).toEqual(lines.map((one) => ({ ...told, ...one })));
  });

  test('a proration of the first invoice is the part of a month up to an anchor', () => {
    const part = { ...told, monthly_grant_stars: 100, proration, part: true };
    expect(linesFrom({ proration, amount: 700 }, 'subscription_create')).toEqual([part]);
    expect(linesFrom({}, 'subscription_create')).toEqual([{ ...told, monthly_grant_stars: 100 }]);
  });

  test.each([
    ['nothing', null],
    ['no amount', []],
    ['an amount of 0', [{ amount: 0, discount: 'di_1' }]],
  ])('a trial is a trial also where a coupon of which it tells %s comes later', (_, amounts) => {
    const whole = given({ amount: 0 }, 'subscription_create');
    const [first] = whole.lines.data;
    const discounted = { ...first, discounts: ['di_1'], discount_amounts: amounts };
    const lines = { ...whole.lines, data: [discounted] };
    const meaning = read('invoice.paid', { ...whole, lines }, { version });
    if (!meaning || !('invoice' in meaning)) throw new Error('no invoice');
    expect(walletLinesOf(meaning.invoice, plans)).toEqual([
      { ...told, monthly_grant_stars: 7, trial: true },
    ]);
  });

  test('half a seat is refused', () => {
    expect(() => linesFrom({ quantity: 1.5 })).toThrow(
      expect.objectContaining({
        details: [{ path: 'lines.data.0.quantity', message: 'must be a whole number' }],
      }),
    );
  });

  test.each(['period', 'amount'])('a line without its %s is an unknown shape', (field) => {
    const whole = given({}, 'subscription_create');
    const [first] = whole.lines.data;
    const lines = { ...whole.lines, data: [{ ...first, [field]: undefined }] };
    expect(faultOf('invoice.paid', { ...whole, lines })).toMatch(`lines.data.0.${field}`);
    expect(faultOf('invoice.paid', whole)).toBeUndefined();
  });
});

test('a line that tells neither price nor pricing is an unknown shape', () => {
  const whole = invoice(subscribed(), versions[1], { lines: [line] });
  const [{ pricing: _, ...without }] = whole.lines.data as unknown as [{ pricing?: unknown }];
  const changed = { ...whole, lines: { ...whole.lines, data: [without] } };
  expect(faultOf('invoice.paid', changed)).toBe('lines.data.0.pricing is required');
});

test('prices that stand whole are known by their ids', () => {
  const whole = invoice(subscribed(), versions[1], { lines: [line] });
  const [first] = whole.lines.data as unknown as { pricing: object }[];
  const price = { id: 'price_1', object: 'price', transform_quantity: null };
  const pricing = { ...first!.pricing, price_details: { price, product: 'prod_1' } };
  const changed = { ...whole, lines: { ...whole.lines, data: [{ ...first, pricing }] } };
  expect(read('invoice.paid', changed)).toEqual(read('invoice.paid', whole));
});
