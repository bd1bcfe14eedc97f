import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toBalance } from '../../../../lib/billing/balance.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/wallet.ts';
import { walletEvent } from '../../../../lib/billing/wallet-events.ts';

// Events of several subscriptions, late, repeated and out of order.

const now = Date.parse('2026-11-21T00:00:00Z');
const day = 24 * 60 * 60 * 1000;
const iso = (at: number) => new Date(at).toISOString();
const organization_id = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';

const event = (fields: object) =>
  z.parse(walletEvent, { event_id: 'e', organization_id, ...fields });

/** The wallet after events, all of them at the same moment. */
const walletAfter = (events: object[], before: Wallet = emptyWallet, at = now): Wallet =>
  events.reduce((wallet: Wallet, fields) => {
    const result = apply(wallet, event(fields), at);
    if (typeof result === 'string') throw new Error(`refused: ${result}`);
    return result.wallet;
  }, before);

const started = (fields: object = {}) => ({
  type: 'subscription.started',
  tier: 'pro',
  current_period_end: iso(now + 30 * day),
  monthly_grant_stars: 100,
  ...fields,
});
const renewed = (fields: object = {}) => ({
  type: 'subscription.renewed',
  current_period_end: iso(now + 60 * day),
  ...fields,
});
const canceled = (fields: object = {}) => ({ type: 'subscription.canceled', ...fields });
const changed = (fields: object = {}) => ({ type: 'subscription.changed', tier: 'big', ...fields });
const spent = (stars: number) => ({ type: 'stars.spent', stars });

const [a, b] = [{ subscription_id: 'sub_a' }, { subscription_id: 'sub_b' }];
const occurred = (days: number) => ({ occurred_at: iso(now + days * day) });
const end = (days: number) => ({ current_period_end: iso(now + days * day) });

describe('a period is granted once', () => {
  test.each<[string, object, object]>([
    ['without ids', {}, {}],
    ['with the same id', a, a],
    ['with another id', a, b],
  ])('however often it is canceled and started again, %s', (_how, first, second) => {
    let wallet = walletAfter([started(first), spent(100)]);
    for (let i = 0; i < 5; i++) wallet = walletAfter([canceled(), started(second)], wallet);
    expect(wallet.monthly_stars).toBe(0);
    expect(wallet.subscription?.status).toBe('active');
    // A later period is another one.
    const later = walletAfter([canceled(), started({ ...second, ...end(31) })], wallet);
    expect(later.monthly_stars).toBe(100);
  });

  test('and tops up to the larger grant, once', () => {
    const wallet = walletAfter([
      started(),
      spent(90),
      canceled(),
      started({ monthly_grant_stars: 150 }),
    ]);
    expect(wallet).toMatchObject({ monthly_stars: 60, monthly_grant_stars: 150 });
    const again = walletAfter([canceled(), started(), canceled(), started(end(20))], wallet);
    expect(again).toMatchObject({ monthly_stars: 60, monthly_grant_stars: 150 });
    expect(walletAfter([renewed()], again).monthly_stars).toBe(100);
  });

  test('a start without a cancellation tops up too, and keeps the tier and the next grant', () => {
    const wallet = walletAfter([started(), started({ tier: 'big', monthly_grant_stars: 130 })]);
    expect(wallet).toMatchObject({ monthly_stars: 130, subscription: { tier: 'pro' } });
    expect(walletAfter([renewed()], wallet).monthly_stars).toBe(100);
  });

  test('a start of a period that is over gives nothing, and leaves a canceled one canceled', () => {
    const wallet = walletAfter([started(), canceled()]);
    for (const days of [-1, 0]) {
      const late = started({ ...end(days), monthly_grant_stars: 500, tier: 'old' });
      expect(walletAfter([late], wallet)).toMatchObject({
        monthly_stars: 100,
        subscription: { tier: 'pro', status: 'canceled' },
      });
    }
  });
});

test('a renewal lets the free monthly stars lapse, and keeps those that are held', () => {
  const wallet = { ...walletAfter([started()]), held: { monthly: 30, pack: 0 }, open_holds: 1 };
  expect(apply(wallet, event(renewed()), now)).toMatchObject({
    wallet: { monthly_stars: 130 },
    entry: { monthly_lapsed: 70, monthly_change: 100, monthly_after: 130, held_after: 30 },
  });
});

describe('a late start of an earlier subscription', () => {
  const late = { ...end(0), current_period_end: iso(now + 1000), tier: 'old' };

  test.each<[string, object, object]>([
    ['known by its id', { ...b }, { ...a }],
    ['known by its time', occurred(-1), occurred(-20)],
    ['of which nothing is known', {}, {}],
  ])('%s never cuts the period', (_how, ofCurrent, ofLate) => {
    const wallet = walletAfter([started(a), started({ ...end(31), ...ofCurrent })]);
    const told = walletAfter([started({ ...late, ...ofLate })], wallet);
    expect(toBalance(told, now + 2000)).toMatchObject({
      monthly_stars: 100,
      subscription: { tier: 'pro', current_period_end: iso(now + 31 * day) },
    });
  });

  test('never cuts the period, though it is canceled', () => {
    const wallet = walletAfter([started(), canceled(), started(late)]);
    expect(toBalance(wallet, now + 2000).monthly_stars).toBe(100);
  });

  test('gives nothing where it is known', () => {
    const wallet = walletAfter([started(a), started({ ...b, ...end(31) })]);
    const more = started({ ...a, monthly_grant_stars: 900 });
    expect(walletAfter([more], wallet)).toEqual({ ...wallet, version: 3, at: now });
    const timed = walletAfter([started(occurred(-1))]);
    const earlier = started({ ...occurred(-2), ...end(90), monthly_grant_stars: 900 });
    expect(walletAfter([earlier], timed)).toEqual({ ...timed, version: 2 });
    // The same, but later.
    expect(walletAfter([{ ...earlier, ...occurred(0) }], timed).monthly_stars).toBe(900);
  });
});

describe('an event of another subscription', () => {
  const wallet = walletAfter([
    started({ ...a, ...occurred(-9) }),
    started({ ...b, ...end(31), ...occurred(-5) }),
  ]);

  test.each([
    canceled(a),
    changed({ ...a, monthly_grant_stars: 900 }),
    renewed({ ...a, ...end(90) }),
  ])('that was replaced changes nothing: $type', (late) => {
    expect(walletAfter([late], wallet)).toEqual({ ...wallet, version: 3 });
    const { subscription_id: _, ...current } = { ...late, ...b };
    expect(walletAfter([current], wallet)).not.toEqual({ ...wallet, version: 3 });
  });

  test.each([canceled(), changed({ monthly_grant_stars: 900 }), renewed(end(90))])(
    'from before the current one began changes nothing: $type',
    (late) => {
      expect(walletAfter([{ ...late, ...occurred(-6) }], wallet)).toEqual({
        ...wallet,
        version: 3,
      });
      expect(walletAfter([{ ...late, ...occurred(-4) }], wallet)).not.toEqual({
        ...wallet,
        version: 3,
      });
    },
  );

  test.each([canceled(), changed({ monthly_grant_stars: 900 }), renewed(end(90))])(
    'that is not known may have come too early, and is refused: $type',
    (early) => {
      const other = { subscription_id: 'sub_c' };
      expect(apply(wallet, event({ ...early, ...other }), now)).toBe('other_subscription');
      const ids = walletAfter([started({ ...other, ...end(32), ...occurred(0) })], wallet);
      expect(typeof apply(ids, event({ ...early, ...other }), now)).toBe('object');
    },
  );

  test('is that of the current one, where that had no id', () => {
    const legacy = walletAfter([started()]);
    const told = walletAfter([canceled(a)], legacy);
    expect(told.subscription).toMatchObject({ id: 'sub_a', status: 'canceled' });
    expect(apply(told, event(canceled(b)), now)).toBe('other_subscription');
  });
});

describe('events of one subscription out of order', () => {
  const wallet = walletAfter([started({ ...a, ...occurred(-9) })]);

  test('a renewal that was paid before the cancellation gives its stars, and leaves it canceled', () => {
    const both = walletAfter(
      [canceled({ ...a, ...occurred(-1) }), renewed({ ...a, ...occurred(-2) })],
      wallet,
    );
    expect(both.subscription).toMatchObject({ status: 'canceled', occurred_at: now - day });
    expect(toBalance(both, now + 40 * day).monthly_stars).toBe(100);
  });

  test('a cancellation from before a renewal, and an older start, change nothing', () => {
    const active = walletAfter([renewed({ ...a, ...occurred(-1) })], wallet);
    for (const late of [
      canceled({ ...a, ...occurred(-2) }),
      started({ ...a, ...occurred(-10), status: 'trialing', ...end(99) }),
      started({ ...a, ...occurred(-9), status: 'trialing', ...end(99) }),
    ]) {
      const { monthly_stars, subscription } = walletAfter([late], active);
      expect([monthly_stars, subscription]).toEqual([active.monthly_stars, active.subscription]);
    }
  });

  test('a subscription that was taken up again gets its period, also where a later change came first', () => {
    const ended = walletAfter([canceled({ ...a, ...occurred(-3) })], wallet);
    const again = started({ ...a, ...occurred(-2), ...end(60) });
    const change = changed({ ...a, ...occurred(-1), monthly_grant_stars: 300 });
    for (const events of [
      [again, change],
      [change, again],
    ]) {
      expect(walletAfter(events, ended)).toMatchObject({
        monthly_stars: 300,
        subscription: { tier: 'big', status: 'active', current_period_end: now + 60 * day },
      });
    }
  });

  test.each([
    ['a renewal', [renewed({ ...a, ...occurred(-1) })], 900, 900],
    ['a cancellation', [canceled({ ...a, ...occurred(-1) })], 900, 900],
    [
      'a renewal that tells its grant',
      [renewed({ ...a, ...occurred(-1), monthly_grant_stars: 500 })],
      500,
      500,
    ],
    [
      'another change, and a renewal',
      [
        changed({ ...a, ...occurred(-1.5), tier: 'last', monthly_grant_stars: 300 }),
        renewed({ ...a, ...occurred(-1) }),
      ],
      300,
      300,
    ],
  ])('a change of tier that comes after %s is as if it came before', (_what, later, now, then) => {
    const change = changed({ ...a, ...occurred(-2), monthly_grant_stars: 900 });
    const soon = [change, ...later];
    const late = [...later, change];
    const outcome = (events: object[]) => {
      const { subscription, monthly_stars, ...after } = walletAfter(events, wallet);
      const next = after.next_grant_stars ?? after.monthly_grant_stars;
      return { subscription, monthly_stars, next };
    };
    expect(outcome(late)).toEqual(outcome(soon));
    expect(outcome(late)).toMatchObject({ monthly_stars: now, next: then });
  });

  test('a cancellation that comes after the change of tier that followed it cancels', () => {
    const late = [changed({ ...a, ...occurred(-1), monthly_grant_stars: 50 })];
    const cancellation = canceled({ ...a, ...occurred(-2) });
    expect(walletAfter([...late, cancellation], wallet)).toMatchObject({
      subscription: { tier: 'big', status: 'canceled' },
    });
    const isActive = renewed({ ...a, ...occurred(-1.5) });
    expect(walletAfter([...late, isActive, cancellation], wallet).subscription?.status).toBe(
      'active',
    );
  });

  test.each([300, 40])('a renewal that tells its grant keeps a later change to %i', (changedTo) => {
    const renewal = renewed({ ...a, ...occurred(-2), monthly_grant_stars: 90 });
    const change = changed({ ...a, ...occurred(-1), monthly_grant_stars: changedTo });
    for (const events of [
      [renewal, change],
      [change, renewal],
    ]) {
      const { monthly_stars, ...after } = walletAfter(events, wallet);
      const next = after.next_grant_stars ?? after.monthly_grant_stars;
      expect([monthly_stars, next]).toEqual([Math.max(90, changedTo), changedTo]);
    }
  });

  test('the newest grant that a renewal tells counts, also of a period that was granted', () => {
    const tells = (at: number, monthly_grant_stars: number) =>
      renewed({ ...a, ...occurred(at), ...end(40), monthly_grant_stars });
    const last = renewed({ ...a, ...occurred(-1), ...end(60) });
    const cancellation = canceled({ ...a, ...occurred(-0.5) });
    for (const events of [
      [last, tells(-0.7, 150), tells(-2, 500), cancellation],
      [last, cancellation, tells(-0.7, 150), tells(-2, 500)],
    ]) {
      expect(walletAfter(events, wallet)).toMatchObject({
        monthly_stars: 150,
        monthly_grant_stars: 150,
        next_grant_stars: 150,
        subscription: { status: 'canceled', current_period_end: now + 60 * day },
      });
    }
  });

  test.each([
    ['of the same moment', started({ ...a, ...occurred(-2) })],
    ['that did not tell its moment', started(a)],
  ])('a grant %s is no later one: that of a renewal counts', (_which, start) => {
    const told = (at: object) => renewed({ ...a, ...at, ...end(30), monthly_grant_stars: 150 });
    const [untimed, timed] = [told({}), told(occurred(-2))];
    expect(walletAfter([start, untimed]).monthly_stars).toBe(100);
    expect(walletAfter([start, timed])).toMatchObject({
      monthly_stars: 150,
      next_grant_stars: 150,
      subscription: { grant_at: now - 2 * day },
    });
    expect(walletAfter([start, timed, spent(150), timed]).monthly_stars).toBe(0);
  });

  test('of two that start at the same moment, the one that comes last is the one that goes on', () => {
    const other = started({ ...b, ...occurred(-9), tier: 'other' });
    const after = walletAfter([canceled({ ...a, ...occurred(-1) }), other], wallet);
    expect(after.subscription).toMatchObject({ id: 'sub_b', tier: 'other', status: 'active' });
  });

  test('the late start of an earlier one is remembered: what comes of it later changes nothing', () => {
    const after = walletAfter([started({ ...b, ...occurred(-20) })], wallet);
    expect(after.former_subscriptions).toEqual(['sub_b']);
    const late = canceled({ ...b, ...occurred(-1) });
    expect(walletAfter([late], after).subscription).toEqual(wallet.subscription);
  });

  test.each([
    ['a cancellation', canceled({ ...a, ...occurred(-1) }), 100, 30, 'pro', 'canceled'],
    [
      'a change',
      changed({ ...a, ...occurred(-1), monthly_grant_stars: 300 }),
      300,
      30,
      'big',
      'active',
    ],
    ['a renewal', renewed({ ...a, ...occurred(-1) }), 100, 60, 'pro', 'active'],
  ])(
    'a first start that comes after %s gives its period',
    (_, first, stars, days, tier, status) => {
      const provisioned: Wallet = {
        ...emptyWallet,
        monthly_stars: 5,
        monthly_grant_stars: 5,
        subscription: { tier: 'trial', status: 'active', current_period_end: now + day },
      };
      const start = started({ ...a, ...occurred(-2) });
      for (const events of [
        [start, first],
        [first, start],
      ]) {
        expect(walletAfter(events, provisioned)).toMatchObject({
          monthly_stars: stars,
          subscription: { id: 'sub_a', tier, status, current_period_end: now + days * day },
        });
      }
    },
  );

  test('an event of the moment of the last one is no earlier one', () => {
    const ended = walletAfter([canceled({ ...a, ...occurred(-9) })], wallet);
    expect(ended.subscription?.status).toBe('canceled');
  });

  test.each([
    ['another one', b],
    ['one without an id', {}],
  ])('%s that starts between the start and the cancellation of the first begins', (_what, id) => {
    const between = started({ ...id, ...occurred(-5), ...end(40), tier: 'next' });
    const after = walletAfter([canceled({ ...a, ...occurred(-1) }), between], wallet);
    expect(after).toMatchObject({
      subscription: { tier: 'next', status: 'active' },
      former_subscriptions: ['sub_a'],
    });
  });

  test('a subscription is not one that was before itself', () => {
    expect(wallet.former_subscriptions).toEqual([]);
    const again = walletAfter([started({ ...a, ...occurred(-1), ...end(40) })], wallet);
    expect(again.former_subscriptions).toEqual([]);
  });

  test('a start of an earlier one that does not tell when it was changes nothing', () => {
    const next = walletAfter([started({ ...b, ...occurred(-5), ...end(40) })], wallet);
    const late = started({ ...a, monthly_grant_stars: 900 });
    expect(walletAfter([late], next).subscription).toEqual(next.subscription);
  });

  test('a subscription that comes back after another one is the current one again', () => {
    const back = walletAfter(
      [
        started({ ...b, ...end(31), ...occurred(-5) }),
        started({ ...a, ...end(32), ...occurred(-1), tier: 'back' }),
      ],
      wallet,
    );
    expect(back).toMatchObject({
      subscription: { id: 'sub_a', tier: 'back' },
      former_subscriptions: ['sub_b'],
    });
  });

  test('the last 20 that were replaced are known', () => {
    const many = Array.from({ length: 22 }, (_, i) =>
      started({ subscription_id: `sub_${i}`, ...end(31 + i) }),
    );
    const last = walletAfter(many);
    expect(last.former_subscriptions.length).toBe(20);
    expect(walletAfter([canceled({ subscription_id: 'sub_1' })], last).subscription?.status).toBe(
      'active',
    );
    expect(apply(last, event(canceled({ subscription_id: 'sub_0' })), now)).toBe(
      'other_subscription',
    );
  });
});
