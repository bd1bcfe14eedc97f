import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toBalance } from '../../../../lib/billing/balance.ts';
import type { RelatedFacts } from '../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { mostInCompartment, mostStars } from '../../../../lib/billing/stars.ts';
import { emptyWallet as none, type Wallet } from '../../../../lib/billing/wallet.ts';
import { type WalletEvent, walletEvent } from '../../../../lib/billing/wallet-events.ts';

const now = Date.parse('2026-11-21T00:00:00Z');
const end = now + 1000;

const wallet = (fields: Partial<Wallet> = {}): Wallet => ({
  ...none,
  version: 7,
  at: now,
  monthly_stars: 40,
  pack_stars: 25,
  monthly_grant_stars: 100,
  subscription: { tier: 'pro', status: 'active', current_period_end: end },
  ...fields,
});

const event = (fields: object): WalletEvent =>
  z.parse(walletEvent, {
    event_id: 'e',
    organization_id: '0cb252aa-aeea-5e6d-91d6-71543bd1ece2',
    ...fields,
  });

const applyCause = (before: Wallet, fields: object, at = now, related?: RelatedFacts) => {
  const result = apply(before, event(fields), at, related);
  if (typeof result === 'string') throw new Error(`refused: ${result}`);
  return result;
};

const iso = (at: number) => new Date(at).toISOString();
const plan = { tier: 'pro', name: 'Pro', price_cents: 1, currency: 'USD' };

describe('spending', () => {
  test('takes monthly stars first, then packs', () => {
    const { wallet: after, entry } = applyCause(wallet(), { type: 'stars.spent', stars: 50 });
    expect(after).toMatchObject({ version: 8, monthly_stars: 0, pack_stars: 15 });
    expect(entry).toMatchObject({ monthly_change: -40, pack_change: -10, monthly_lapsed: 0 });
  });

  test('is refused beyond what there is, and takes the last star', () => {
    expect(apply(wallet(), event({ type: 'stars.spent', stars: 66 }), now)).toBe(
      'insufficient_stars',
    );
    const { wallet: after } = applyCause(wallet(), { type: 'stars.spent', stars: 65 });
    expect(toBalance(after, now).total_stars).toBe(0);
  });

  test('never takes monthly stars from the moment at which they lapse', () => {
    const spend = event({ type: 'stars.spent', stars: 26 });
    expect(apply(wallet(), spend, end)).toBe('insufficient_stars');
    expect(apply(wallet(), spend, end - 1)).not.toBe('insufficient_stars');
    const { entry } = applyCause(wallet(), { type: 'stars.spent', stars: 25 }, end);
    expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 0, pack_change: -25 });
  });
});

describe('a subscription', () => {
  const later = iso(end + 1000);

  test('starts with the grant of the event, else of the plan, else not at all', () => {
    const start = { type: 'subscription.started', tier: 'pro', current_period_end: later };
    const related = { plan: { ...plan, monthly_grant_stars: 9 } };
    const told = applyCause(none, { ...start, monthly_grant_stars: 7 }, now, related);
    expect(told.wallet).toMatchObject({ monthly_stars: 7, monthly_grant_stars: 7 });
    const planned = applyCause(none, start, now, related);
    expect(planned.wallet.subscription).toMatchObject({ tier: 'pro', status: 'active' });
    expect(planned.wallet.monthly_grant_stars).toBe(9);
    expect(planned.wallet.monthly_stars).toBe(9);
    expect(apply(none, event(start), now)).toBe('unknown_plan');
  });

  test('starting replaces what monthly stars were left', () => {
    const { entry } = applyCause(wallet(), {
      type: 'subscription.started',
      tier: 'big',
      current_period_end: later,
      monthly_grant_stars: 30,
    });
    expect(entry).toMatchObject({ monthly_lapsed: 0, monthly_change: -10, monthly_after: 30 });
  });

  test('renewing lapses what is left, before or after the end of the period', () => {
    for (const at of [now, end]) {
      const renewed = { type: 'subscription.renewed', current_period_end: later };
      const { wallet: after, entry } = applyCause(wallet(), renewed, at);
      expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 100, monthly_after: 100 });
      expect(after.subscription?.current_period_end).toBe(end + 1000);
    }
  });

  test('renewing makes it active, for it was paid', () => {
    const canceled = applyCause(wallet(), { type: 'subscription.canceled' }).wallet;
    const renewed = { type: 'subscription.renewed', current_period_end: later };
    expect(applyCause(canceled, renewed).wallet.subscription).toEqual({
      tier: 'pro',
      status: 'active',
      current_period_end: end + 1000,
    });
  });

  test('a renewal that ends no later than the period is an entry that changes nothing', () => {
    const renewed = { type: 'subscription.renewed', current_period_end: iso(end) };
    const { wallet: after, entry } = applyCause(wallet(), renewed);
    expect(entry).toMatchObject({ monthly_change: 0, pack_change: 0, monthly_after: 40 });
    expect(after).toEqual(wallet({ version: 8 }));
    const next = applyCause(wallet(), { ...renewed, current_period_end: iso(end + 1) });
    expect(next.entry.monthly_after).toBe(100);
  });

  test('a period that is over when it is told of gives nothing', () => {
    const late = { type: 'subscription.renewed', current_period_end: iso(end + 1000) };
    expect(applyCause(wallet(), late, end + 1000).entry.monthly_after).toBe(0);
  });

  test('a greater grant gives the difference at once', () => {
    const change = { type: 'subscription.changed', tier: 'big', monthly_grant_stars: 250 };
    const { wallet: after, entry } = applyCause(wallet(), change);
    expect(entry).toMatchObject({ monthly_change: 150, monthly_after: 190 });
    expect(after).toMatchObject({ monthly_grant_stars: 250, subscription: { tier: 'big' } });
  });

  test('a smaller grant waits for the renewal, and up again gives nothing twice', () => {
    const to = (grant: number) => ({
      type: 'subscription.changed',
      tier: `t${grant}`,
      monthly_grant_stars: grant,
    });
    const down = applyCause(wallet(), to(10));
    expect(down.entry.monthly_change).toBe(0);
    expect(down.wallet).toMatchObject({ monthly_grant_stars: 100, subscription: { tier: 't10' } });
    const renewed = { type: 'subscription.renewed', current_period_end: later };
    expect(applyCause(down.wallet, renewed).wallet).toMatchObject({
      monthly_stars: 10,
      monthly_grant_stars: 10,
    });
    const up = applyCause(down.wallet, to(100));
    expect(up.entry.monthly_change).toBe(0);
    expect(applyCause(up.wallet, renewed).wallet.monthly_stars).toBe(100);
  });

  test('a change outside of a period gives nothing, and is what the next period grants', () => {
    const next = wallet({ next_grant_stars: 5 });
    for (const grant of [10, 250]) {
      const change = { type: 'subscription.changed', tier: 'big', monthly_grant_stars: grant };
      const { wallet: after, entry } = applyCause(next, change, end);
      expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 0, monthly_after: 0 });
      expect(after).toMatchObject({ monthly_grant_stars: grant, subscription: { tier: 'big' } });
      const renewed = { type: 'subscription.renewed', current_period_end: later };
      expect(applyCause(after, renewed, end).wallet.monthly_stars).toBe(grant);
    }
  });

  test('canceling keeps the stars until the period ends', () => {
    const { wallet: after } = applyCause(wallet(), { type: 'subscription.canceled' });
    expect(after.subscription?.status).toBe('canceled');
    expect(toBalance(after, end - 1).monthly_stars).toBe(40);
    expect(toBalance(after, end).monthly_stars).toBe(0);
  });

  test.each([
    { type: 'subscription.renewed', current_period_end: later },
    { type: 'subscription.changed', tier: 'big', monthly_grant_stars: 1 },
    { type: 'subscription.canceled' },
  ])('$type is refused where there is none', (fields) => {
    expect(apply(none, event(fields), now)).toBe('no_subscription');
    expect(typeof apply(wallet(), event(fields), now)).toBe('object');
  });
});

describe('adjustments', () => {
  test('monthly stars are given by hand only while a period runs', () => {
    const adjust = { type: 'stars.adjusted', monthly_change: 5, reason: 'r' };
    expect(apply(wallet(), event(adjust), end)).toBe('no_period');
    expect(apply(none, event(adjust), now)).toBe('no_period');
    expect(applyCause(wallet(), adjust).entry.monthly_change).toBe(5);
  });

  test('packs are adjusted whether or not a period runs', () => {
    const adjust = { type: 'stars.adjusted', pack_change: 5, reason: 'r' };
    for (const at of [now, end]) expect(applyCause(wallet(), adjust, at).entry.pack_after).toBe(30);
  });

  test('no change is -0, however it is told', () => {
    const of = (fields: object) => {
      const { entry } = applyCause(wallet(), { type: 'stars.adjusted', reason: 'r', ...fields });
      return [entry.monthly_change, entry.pack_change];
    };
    expect(of({ monthly_change: 1, pack_change: -0 })).toEqual([1, 0]);
    expect(of({ monthly_change: -0, pack_change: 1 })).toEqual([0, 1]);
  });

  test('an adjustment takes no compartment below zero', () => {
    const adjust = (fields: object) => ({ type: 'stars.adjusted', reason: 'r', ...fields });
    for (const fields of [{ monthly_change: -41 }, { pack_change: -26, monthly_change: 9 }]) {
      expect(apply(wallet(), event(adjust(fields)), now)).toBe('insufficient_stars');
    }
    const all = applyCause(wallet(), adjust({ monthly_change: -40, pack_change: -25 }));
    expect(all.entry).toMatchObject({ monthly_after: 0, pack_after: 0 });
  });

  test('a balance stays an exact number, however much is bought', () => {
    const full = wallet({ pack_stars: mostInCompartment - mostStars });
    const buy = { type: 'pack.purchased', stars: mostStars };
    const { wallet: after } = applyCause(full, buy);
    expect(apply(after, event(buy), now)).toBe('too_many_stars');
    expect(Number.isSafeInteger(2 * mostInCompartment)).toBe(true);
  });
});
