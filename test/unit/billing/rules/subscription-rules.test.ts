import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/balance.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, nextGrant, type Wallet } from '../../../../lib/billing/wallet.ts';
import { applyCause, end, event, iso, now, wallet as running } from './wallets.ts';

const day = 24 * 60 * 60 * 1000;

/** The wallet after events, all of them at the same moment. */
const walletAfter = (events: object[], before: Wallet = emptyWallet): Wallet =>
  events.reduce((wallet: Wallet, fields) => applyCause(wallet, event(fields)).wallet, before);

const gives = (monthly_grant_stars: number) => ({ monthly_grant_stars });
const ends = (days: number) => ({ current_period_end: iso(now + days * day) });
const occurred = (days: number) => ({ occurred_at: iso(now + days * day) });
const started = (fields: object = {}) => ({
  type: 'subscription.started',
  tier: 'pro',
  ...ends(30),
  ...gives(100),
  ...fields,
});
const renewed = (fields: object = {}) => ({ type: 'subscription.renewed', ...ends(60), ...fields });
const canceled = (fields: object = {}) => ({ type: 'subscription.canceled', ...fields });
const changed = (fields: object = {}) => ({ type: 'subscription.changed', tier: 'big', ...fields });
const spent = (stars: number) => ({ type: 'stars.spent', stars });

const [a, b] = [{ subscription_id: 'sub_a' }, { subscription_id: 'sub_b' }];
/** What happened to the first subscription so many days from now. */
const ofA = (days: number, fields: object = {}) => ({ ...a, ...occurred(days), ...fields });
const ofB = (days: number, fields: object = {}) => ({ ...b, ...occurred(days), ...fields });

// Of one subscription, without ids and times.
describe('a subscription', () => {
  const start = (fields: object = {}) =>
    event(started({ monthly_grant_stars: undefined, ...fields }));
  const renew = (ending = end + 1000) => event(renewed({ current_period_end: iso(ending) }));
  const changeTo = (stars: number) => event(changed(gives(stars)));

  test('starts with the grant of the event, else of the plan, else not at all', () => {
    const price = { name: 'Pro', price_cents: 1, currency: 'USD' };
    const related = { plan: { tier: 'pro', ...price, monthly_grant_stars: 9 } };
    const told = applyCause(emptyWallet, start(gives(7)), now, related);
    expect(told.wallet).toMatchObject({ monthly_stars: 7, monthly_grant_stars: 7 });
    expect(applyCause(emptyWallet, start(), now, related).wallet).toMatchObject({
      monthly_stars: 9,
      monthly_grant_stars: 9,
      subscription: { tier: 'pro', status: 'active' },
    });
    expect(apply(emptyWallet, start(), now)).toBe('unknown_plan');
  });

  test('renewing lapses what is left, before or after the end of the period, and makes it active', () => {
    const before = applyCause(running(), event(canceled())).wallet;
    for (const at of [now, end]) {
      const { wallet: after, entry } = applyCause(before, renew(), at);
      expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 100, monthly_after: 100 });
      const subscription = { tier: 'pro', status: 'active', current_period_end: end + 1000 };
      expect(after.subscription).toEqual(subscription);
    }
  });

  test('a renewal that ends no later than the period is an entry that changes nothing', () => {
    const { wallet: after, entry } = applyCause(running(), renew(end));
    expect(entry).toMatchObject({ monthly_change: 0, pack_change: 0, monthly_after: 40 });
    expect(after).toEqual(running({ version: 8 }));
    expect(applyCause(running(), renew(end + 1)).entry.monthly_after).toBe(100);
  });

  test('a period that is over when it is told of gives nothing', () => {
    expect(applyCause(running(), renew(), end + 1000).entry.monthly_after).toBe(0);
  });

  test('a smaller grant waits for the renewal, and up again gives nothing twice', () => {
    const down = applyCause(running(), changeTo(10));
    expect(down.entry.monthly_change).toBe(0);
    expect(down.wallet).toMatchObject({ monthly_grant_stars: 100, subscription: { tier: 'big' } });
    const { wallet: next } = applyCause(down.wallet, renew());
    expect(next).toMatchObject({ monthly_stars: 10, monthly_grant_stars: 10 });
    const up = applyCause(down.wallet, changeTo(100));
    expect(up.entry.monthly_change).toBe(0);
    expect(applyCause(up.wallet, renew()).wallet.monthly_stars).toBe(100);
  });

  test('a change outside of a period is what the next one grants', () => {
    const { wallet: after, entry } = applyCause(
      running({ next_grant_stars: 5 }),
      changeTo(250),
      end,
    );
    expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 0, monthly_after: 0 });
    expect(after).toMatchObject({ monthly_grant_stars: 250, subscription: { tier: 'big' } });
    expect(applyCause(after, renew(), end).wallet.monthly_stars).toBe(250);
  });

  test.each([renew(), changeTo(1), event(canceled())])(
    '$type is refused where there is none',
    (cause) => {
      expect(apply(emptyWallet, cause, now)).toBe('no_subscription');
      applyCause(running(), cause);
    },
  );
});

describe('a period is granted once', () => {
  test.each<[string, object]>([
    ['with the same id', a],
    ['with another id', b],
  ])('however often it is canceled and started again, %s', (_how, second) => {
    let wallet = walletAfter([started(a), spent(100)]);
    for (let i = 0; i < 5; i++) wallet = walletAfter([canceled(), started(second)], wallet);
    expect(wallet).toMatchObject({ monthly_stars: 0, subscription: { status: 'active' } });
    // A later period is another one.
    const later = walletAfter([canceled(), started({ ...second, ...ends(31) })], wallet);
    expect(later.monthly_stars).toBe(100);
  });

  test('and tops up to the larger grant, once', () => {
    const wallet = walletAfter([started(), spent(90), canceled(), started(gives(150))]);
    expect(wallet).toMatchObject({ monthly_stars: 60, monthly_grant_stars: 150 });
    const again = walletAfter([canceled(), started(), canceled(), started(ends(20))], wallet);
    expect(again).toMatchObject({ monthly_stars: 60, monthly_grant_stars: 150 });
    expect(walletAfter([renewed()], again).monthly_stars).toBe(100);
  });

  test('a start without a cancellation tops up too, and keeps the tier and the next grant', () => {
    const wallet = walletAfter([started(), started({ tier: 'big', ...gives(130) })]);
    expect(wallet).toMatchObject({ monthly_stars: 130, subscription: { tier: 'pro' } });
    expect(walletAfter([renewed()], wallet).monthly_stars).toBe(100);
  });

  test('a start of a period that has just ended gives nothing', () => {
    const late = started({ ...ends(0), ...gives(500), tier: 'old' });
    expect(walletAfter([started(), canceled(), late])).toMatchObject({
      monthly_stars: 100,
      subscription: { tier: 'pro', status: 'canceled' },
    });
  });
});

test('a late start of an earlier subscription, of which nothing is known, never cuts the period', () => {
  const late = started({ current_period_end: iso(now + 1000), tier: 'old' });
  const wallet = walletAfter([started(a), started(ends(31))]);
  for (const before of [wallet, walletAfter([canceled()], wallet)]) {
    expect(toBalance(walletAfter([late], before), now + 2000)).toMatchObject({
      monthly_stars: 100,
      subscription: { current_period_end: iso(now + 31 * day) },
    });
  }
});

describe('of another subscription', () => {
  const wallet = walletAfter([started(ofA(-9)), started(ofB(-5, ends(31)))]);
  const unchanged = { ...wallet, version: 3 };

  test.each([canceled(), changed(gives(900)), renewed(ends(90))])('$type', (one) => {
    // Of one that was replaced.
    expect(walletAfter([{ ...one, ...a }], wallet)).toEqual(unchanged);
    expect(walletAfter([{ ...one, ...b }], wallet)).not.toEqual(unchanged);
    // From before the current one began.
    expect(walletAfter([{ ...one, ...occurred(-6) }], wallet)).toEqual(unchanged);
    expect(walletAfter([{ ...one, ...occurred(-4) }], wallet)).not.toEqual(unchanged);
    // Of one that is not known: it may have come too early, and is refused.
    const other = { subscription_id: 'sub_c' };
    expect(apply(wallet, event({ ...one, ...other }), now)).toBe('other_subscription');
    const known = walletAfter([started({ ...other, ...ends(32), ...occurred(0) })], wallet);
    walletAfter([{ ...one, ...other }], known);
  });

  test('is that of the current one, where that had no id', () => {
    const told = walletAfter([started(), canceled(a)]);
    expect(told.subscription).toMatchObject({ id: 'sub_a', status: 'canceled' });
    expect(apply(told, event(canceled(b)), now)).toBe('other_subscription');
  });
});

// That the order of any events does not matter: subscription-order.property.test.ts.
describe('events of one subscription out of order', () => {
  const wallet = walletAfter([started(ofA(-9))]);
  const provisioned: Wallet = {
    ...emptyWallet,
    monthly_stars: 5,
    monthly_grant_stars: 5,
    subscription: { tier: 'trial', status: 'active', current_period_end: now + day },
  };

  // Tier, status and days left; the stars, and the next grant.
  test.each<[string, object, number]>([
    ['pro canceled 30', canceled(ofA(-1)), 100],
    ['big active 30', changed(ofA(-1, gives(300))), 300],
    ['pro active 60', renewed(ofA(-1)), 100],
  ])('of which the start comes first or last are %s', (expected, later, stars) => {
    const start = started(ofA(-2));
    const [inOrder, reversed] = [
      [start, later],
      [later, start],
    ].map((events) => {
      const { subscription, ...after } = walletAfter(events, provisioned);
      const { tier, status, current_period_end } = subscription!;
      expect(`${tier} ${status} ${(current_period_end - now) / day}`).toBe(expected);
      expect([after.monthly_stars, nextGrant(after)]).toEqual([stars, stars]);
      return subscription;
    });
    expect(reversed).toEqual(inOrder);
  });

  test('an older start, and the last one again, change nothing', () => {
    const active = walletAfter([renewed(ofA(-1))], wallet);
    for (const days of [-10, -9]) {
      const late = started(ofA(days, { status: 'trialing', ...ends(99) }));
      const { monthly_stars, subscription } = walletAfter([late], active);
      expect([monthly_stars, subscription]).toEqual([active.monthly_stars, active.subscription]);
    }
  });

  test.each([
    ['of the same moment', started(ofA(-2))],
    ['that did not tell its moment', started(a)],
  ])('a grant %s is no later one: that of a renewal counts', (_which, start) => {
    const told = (at: object) => renewed({ ...a, ...at, ...ends(30), ...gives(150) });
    const [untimed, timed] = [told({}), told(occurred(-2))];
    expect(walletAfter([start, untimed]).monthly_stars).toBe(100);
    expect(walletAfter([start, timed])).toMatchObject({
      monthly_stars: 150,
      next_grant_stars: 150,
      subscription: { grant_at: now - 2 * day },
    });
    expect(walletAfter([start, timed, spent(150), timed]).monthly_stars).toBe(0);
  });

  // Ids and tier after other starts.
  test.each<[string, object[], object, string[]]>([
    [
      'of two that start at the same moment, the last one goes on',
      [canceled(ofA(-1)), started(ofB(-9, { tier: 'other' }))],
      { id: 'sub_b', tier: 'other', status: 'active' },
      ['sub_a'],
    ],
    [
      'a start of an earlier one that does not tell when it was changes nothing',
      [started(ofB(-5, ends(40))), started({ ...a, ...gives(900) })],
      { id: 'sub_b', started_at: now - 5 * day, current_period_end: now + 40 * day },
      ['sub_a'],
    ],
  ])('%s', (_what, events, subscription, former_subscriptions) => {
    expect(walletAfter(events, wallet)).toMatchObject({ subscription, former_subscriptions });
  });

  test('the last 20 that were replaced are known', () => {
    const many = Array.from({ length: 22 }, (_, i) =>
      started({ subscription_id: `sub_${i}`, ...ends(31 + i) }),
    );
    const last = walletAfter(many);
    expect(last.former_subscriptions.length).toBe(20);
    const known = walletAfter([canceled({ subscription_id: 'sub_1' })], last);
    expect(known.subscription?.status).toBe('active');
    const unknown = event(canceled({ subscription_id: 'sub_0' }));
    expect(apply(last, unknown, now)).toBe('other_subscription');
  });
});
