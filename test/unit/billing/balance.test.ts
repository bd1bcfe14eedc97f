import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { balance, toBalance } from '../../../lib/billing/balance.ts';
import { ledgerEntry } from '../../../lib/billing/ledger.ts';
import { toWallet, walletItem } from '../../../lib/billing/wallet.ts';
import {
  applyCause,
  held,
  iso,
  later,
  now,
  organization_id,
  soon,
  spend,
  wallet,
  withPacks,
} from './rules/wallets.ts';

test('a balance tells the pack that lapses next, without what is held of it', () => {
  const nextExpiry = (of = withPacks(), at = now) => toBalance(of, at).next_expiry;
  expect(nextExpiry()).toEqual({ at: iso(soon), stars: 10 });
  expect(nextExpiry(withPacks(), soon)).toEqual({ at: iso(later), stars: 20 });
  expect(nextExpiry(held(65).wallet)).toEqual({ at: iso(later), stars: 5 });
  expect(nextExpiry(withPacks(), later)).toBeNull();
});

test('a stored wallet is read as it was written', () => {
  const item = walletItem(organization_id, wallet());
  expect(item).toMatchObject({ pk: `ORG#${organization_id}`, sk: 'WALLET', ...wallet() });
  expect(toWallet(item)).toEqual(wallet());
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

test('a balance has whole numbers from 0, and a whole subscription or none', () => {
  const isBalance = (change: object) => z.safeParse(balance, { ...whole, ...change }).success;
  expect(isBalance({ subscription: null, total_stars: 0 })).toBe(true);
  for (const change of [{ total_stars: -1 }, { total_stars: 0.5 }, { as_of: 'now' }]) {
    expect(isBalance(change)).toBe(false);
  }
  for (const change of [{ x: 1 }, { tier: undefined }, { current_period_end: 'soon' }]) {
    expect(isBalance({ subscription: { ...whole.subscription, ...change } })).toBe(false);
  }
});
