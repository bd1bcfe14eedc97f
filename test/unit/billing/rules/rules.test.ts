import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/balance.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { mostInCompartment, mostStars } from '../../../../lib/billing/stars.ts';
import { emptyWallet } from '../../../../lib/billing/wallet.ts';
import { applyCause, end, event, iso, now, wallet } from './wallets.ts';

// Subscriptions and adjustments.

describe('a subscription', () => {
  const ofPeriod = (type: string, ending: number, fields: object = {}) =>
    event({ type, current_period_end: iso(ending), ...fields });
  const start = (fields: object = {}) =>
    ofPeriod('subscription.started', end + 1000, { tier: 'pro', ...fields });
  const renew = (ending = end + 1000) => ofPeriod('subscription.renewed', ending);
  const changeTo = (monthly_grant_stars: number) =>
    event({ type: 'subscription.changed', tier: 'big', monthly_grant_stars });
  const cancel = event({ type: 'subscription.canceled' });

  test('starts with the grant of the event, else of the plan, else not at all', () => {
    const price = { name: 'Pro', price_cents: 1, currency: 'USD' };
    const related = { plan: { tier: 'pro', ...price, monthly_grant_stars: 9 } };
    const told = applyCause(emptyWallet, start({ monthly_grant_stars: 7 }), now, related);
    expect(told.wallet).toMatchObject({ monthly_stars: 7, monthly_grant_stars: 7 });
    expect(applyCause(emptyWallet, start(), now, related).wallet).toMatchObject({
      monthly_stars: 9,
      monthly_grant_stars: 9,
      subscription: { tier: 'pro', status: 'active' },
    });
    expect(apply(emptyWallet, start(), now)).toBe('unknown_plan');
  });

  test('starting replaces what monthly stars were left', () => {
    const { entry } = applyCause(wallet(), start({ monthly_grant_stars: 30 }));
    expect(entry).toMatchObject({ monthly_lapsed: 0, monthly_change: -10, monthly_after: 30 });
  });

  test('renewing lapses what is left, before or after the end of the period, and makes it active', () => {
    const canceled = applyCause(wallet(), cancel).wallet;
    for (const at of [now, end]) {
      const { wallet: after, entry } = applyCause(canceled, renew(), at);
      expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 100, monthly_after: 100 });
      const subscription = { tier: 'pro', status: 'active', current_period_end: end + 1000 };
      expect(after.subscription).toEqual(subscription);
    }
  });

  test('a renewal that ends no later than the period is an entry that changes nothing', () => {
    const { wallet: after, entry } = applyCause(wallet(), renew(end));
    expect(entry).toMatchObject({ monthly_change: 0, pack_change: 0, monthly_after: 40 });
    expect(after).toEqual(wallet({ version: 8 }));
    expect(applyCause(wallet(), renew(end + 1)).entry.monthly_after).toBe(100);
  });

  test('a period that is over when it is told of gives nothing', () => {
    expect(applyCause(wallet(), renew(), end + 1000).entry.monthly_after).toBe(0);
  });

  test('a greater grant gives the difference at once', () => {
    const { wallet: after, entry } = applyCause(wallet(), changeTo(250));
    expect(entry).toMatchObject({ monthly_change: 150, monthly_after: 190 });
    expect(after).toMatchObject({ monthly_grant_stars: 250, subscription: { tier: 'big' } });
  });

  test('a smaller grant waits for the renewal, and up again gives nothing twice', () => {
    const down = applyCause(wallet(), changeTo(10));
    expect(down.entry.monthly_change).toBe(0);
    expect(down.wallet).toMatchObject({ monthly_grant_stars: 100, subscription: { tier: 'big' } });
    const { wallet: next } = applyCause(down.wallet, renew());
    expect(next).toMatchObject({ monthly_stars: 10, monthly_grant_stars: 10 });
    const up = applyCause(down.wallet, changeTo(100));
    expect(up.entry.monthly_change).toBe(0);
    expect(applyCause(up.wallet, renew()).wallet.monthly_stars).toBe(100);
  });

  test.each([10, 250])(
    'a change to %i outside of a period is what the next one grants',
    (grant) => {
      const before = wallet({ next_grant_stars: 5 });
      const { wallet: after, entry } = applyCause(before, changeTo(grant), end);
      expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 0, monthly_after: 0 });
      expect(after).toMatchObject({ monthly_grant_stars: grant, subscription: { tier: 'big' } });
      expect(applyCause(after, renew(), end).wallet.monthly_stars).toBe(grant);
    },
  );

  test('canceling keeps the stars until the period ends', () => {
    const { wallet: after } = applyCause(wallet(), cancel);
    expect(after.subscription?.status).toBe('canceled');
    expect([end - 1, end].map((at) => toBalance(after, at).monthly_stars)).toEqual([40, 0]);
  });

  test.each([renew(), changeTo(1), cancel])('$type is refused where there is none', (cause) => {
    expect(apply(emptyWallet, cause, now)).toBe('no_subscription');
    applyCause(wallet(), cause);
  });
});

describe('an adjustment', () => {
  const adjust = (fields: object) => event({ type: 'stars.adjusted', reason: 'r', ...fields });

  test('gives monthly stars only while a period runs, pack stars always', () => {
    const [monthly, pack] = [adjust({ monthly_change: 5 }), adjust({ pack_change: 5 })];
    expect(apply(wallet(), monthly, end)).toBe('no_period');
    expect(apply(emptyWallet, monthly, now)).toBe('no_period');
    expect(applyCause(wallet(), monthly).entry.monthly_change).toBe(5);
    for (const at of [now, end]) expect(applyCause(wallet(), pack, at).entry.pack_after).toBe(30);
  });

  test('is never of -0, however it is told', () => {
    const [one, other] = [
      adjust({ monthly_change: 1, pack_change: -0 }),
      adjust({ monthly_change: -0, pack_change: 1 }),
    ].map((cause) => applyCause(wallet(), cause).entry);
    expect([one?.monthly_change, one?.pack_change]).toEqual([1, 0]);
    expect([other?.monthly_change, other?.pack_change]).toEqual([0, 1]);
  });

  test('takes no compartment below zero', () => {
    for (const fields of [{ monthly_change: -41 }, { pack_change: -26, monthly_change: 9 }]) {
      expect(apply(wallet(), adjust(fields), now)).toBe('insufficient_stars');
    }
    const all = applyCause(wallet(), adjust({ monthly_change: -40, pack_change: -25 }));
    expect(all.entry).toMatchObject({ monthly_after: 0, pack_after: 0 });
  });

  test('or a purchase fills no compartment beyond what is an exact number', () => {
    const buy = (stars: number, fields: object = {}) =>
      event({ type: 'pack.purchased', stars, ...fields });
    const nearly = wallet({ pack_stars: mostInCompartment - mostStars });
    const { wallet: full } = applyCause(nearly, buy(mostStars));
    const later = buy(1, { expires_at: iso(end + 1000) });
    for (const cause of [buy(1), later, adjust({ pack_change: 1 })]) {
      expect(apply(full, cause, now)).toBe('too_many_stars');
    }
    applyCause(full, event({ type: 'stars.spent', stars: 41 }));
    expect(Number.isSafeInteger(2 * mostInCompartment)).toBe(true);
  });
});
