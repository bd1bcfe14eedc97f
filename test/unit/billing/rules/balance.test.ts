import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import { balance } from '../../../../lib/billing/stored/balance.ts';
import { ledgerEntry } from '../../../../lib/billing/stored/ledger-entry.ts';
import { applyCause, held, iso, later, now, soon, spend, wallet, withPacks } from './wallets.ts';

test('a balance tells the pack that lapses next, without what is held of it', () => {
  const nextExpiry = (of = withPacks(), at = now) => toBalance(of, at).next_expiry;
  expect(nextExpiry()).toEqual({ at: iso(soon), stars: 10 });
  expect(nextExpiry(withPacks(), soon)).toEqual({ at: iso(later), stars: 20 });
  expect(nextExpiry(held(65).wallet)).toEqual({ at: iso(later), stars: 5 });
  expect(nextExpiry(withPacks(), later)).toBeNull();
});

test('a balance tells the tier of the line that has begun last, else that which was told before', () => {
  const { subscription } = wallet();
  if (!subscription) throw new Error('the wallet has none');
  const [line] = subscription.lines;
  const upgrade = { ...line!, from: soon, monthly_grant_stars: 300, tier: 'max' };
  const tierAt = (at: number, lines = [line!, { ...upgrade, proration: true as const }]) =>
    toBalance(wallet({ subscription: { ...subscription, lines } }), at).subscription?.tier;
  expect([tierAt(soon - 1), tierAt(soon)]).toEqual(['pro', 'max']);
  expect(tierAt(soon, [])).toBe('pro');
});

const whole = toBalance(wallet(), now);

test.each<[string, z.ZodMiniType, object]>([
  ['a balance', balance, whole],
  ['a ledger entry', ledgerEntry, applyCause(wallet(), spend(1)).entry],
])('%s has all of its fields and no other', (_what, schema, one) => {
  const isTaken = (change: object) => z.safeParse(schema, { ...one, ...change }).success;
  expect([isTaken({}), isTaken({ x: 1 })]).toEqual([true, false]);
  for (const field of Object.keys(one)) {
    expect([field, isTaken({ [field]: undefined })]).toEqual([field, false]);
    expect([field, isTaken({ [field]: { x: 1 } })]).toEqual([field, false]);
  }
});

test.each<[boolean, object]>([
  [true, { subscription: null, total_stars: 0 }],
  [false, { total_stars: -1 }],
  [false, { total_stars: 0.5 }],
  [false, { as_of: 'now' }],
  [false, { subscription: { ...whole.subscription, x: 1 } }],
  [false, { subscription: { ...whole.subscription, tier: undefined } }],
  [false, { subscription: { ...whole.subscription, current_period_end: 'soon' } }],
])('it is %s that there is a balance with %j', (is, change) => {
  expect(z.safeParse(balance, { ...whole, ...change }).success).toBe(is);
});
