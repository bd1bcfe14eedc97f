import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { applyCause, end, event, iso, now, wallet as running } from './wallets.ts';

// That the order of any events does not matter: subscription-order.property.test.ts.

const day = 24 * 60 * 60 * 1000;

/** The wallet after events, all of them at the same moment. */
const walletAfter = (events: object[], before: Wallet = emptyWallet): Wallet =>
  events.reduce((wallet: Wallet, fields) => applyCause(wallet, event(fields)).wallet, before);

const gives = (monthly_grant_stars: number) => ({ monthly_grant_stars });
const ends = (days: number) => ({ current_period_end: iso(now + days * day) });
const occurred = (days: number) => ({ occurred_at: iso(now + days * day) });
const started = (fields: object = {}) => ({
  ...{ type: 'subscription.started', tier: 'pro', ...ends(30), ...gives(100) },
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

const start = (fields: object = {}) =>
  event(started({ monthly_grant_stars: undefined, ...fields }));
const renew = (ending = end + 1000) => event(renewed({ current_period_end: iso(ending) }));
const changeTo = (stars: number) => event(changed(gives(stars)));

test('a subscription starts with the grant of the event, else of the plan, else not at all', () => {
  const price = { name: 'Pro', price_cents: 1, currency: 'USD' };
  const related = { plan: { tier: 'pro', ...price, monthly_grant_stars: 9 } };
  for (const [told, stars] of [
    [gives(7), 7],
    [{}, 9],
  ] as const) {
    expect(applyCause(emptyWallet, start(told), now, related).wallet).toMatchObject({
      monthly_stars: stars,
      monthly_grant_stars: stars,
      subscription: { tier: 'pro', status: 'active' },
    });
  }
  expect(apply(emptyWallet, start(), now)).toBe('unknown_plan');
});

test('a renewal lapses what is left, before or after the end of the period, and makes it active', () => {
  const before = applyCause(running(), event(canceled())).wallet;
  for (const at of [now, end]) {
    const { wallet: after, entry } = applyCause(before, renew(), at);
    expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 100, monthly_after: 100 });
    const subscription = { tier: 'pro', status: 'active', current_period_end: end + 1000 };
    expect(after.subscription).toEqual(subscription);
  }
  // A period that is over when it is told of gives nothing.
  expect(applyCause(before, renew(), end + 1000).entry.monthly_after).toBe(0);
});

test('a renewal that ends no later than the period is an entry that changes nothing', () => {
  const { wallet: after, entry } = applyCause(running(), renew(end));
  expect(entry).toMatchObject({ monthly_change: 0, pack_change: 0, monthly_after: 40 });
  expect(after).toEqual(running({ version: 8 }));
  expect(applyCause(running(), renew(end + 1)).entry.monthly_after).toBe(100);
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
  const { wallet: after, entry } = applyCause(running({ next_grant_stars: 5 }), changeTo(250), end);
  expect(entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 0, monthly_after: 0 });
  expect(after).toMatchObject({ monthly_grant_stars: 250, subscription: { tier: 'big' } });
  expect(applyCause(after, renew(), end).wallet.monthly_stars).toBe(250);
});

test.each([renew(), changeTo(1), event(canceled())])(
  '$type is refused where there is no subscription',
  (cause) => {
    expect(apply(emptyWallet, cause, now)).toBe('no_subscription');
    applyCause(running(), cause);
  },
);

const again = (times: number, second: object) =>
  Array.from({ length: times }, () => [canceled(), started(second)]).flat();
const topped = [started(), spent(90), canceled(), started(gives(150))];
const toppedAgain = [...topped, ...again(1, {}), ...again(1, ends(20))];
const bigger = [started(), started({ tier: 'big', ...gives(130) })];
const usedUp = [started(a), spent(100)];
const pro = { tier: 'pro', status: 'active' };

test.each<[string, object[], object]>([
  ['started again and again', [...usedUp, ...again(5, a)], { monthly_stars: 0, subscription: pro }],
  ['started by another id', [...usedUp, ...again(5, b)], { monthly_stars: 0, subscription: pro }],
  ['that is a later one', [...usedUp, ...again(1, { ...b, ...ends(31) })], { monthly_stars: 100 }],
  ['topped up', topped, { monthly_stars: 60, monthly_grant_stars: 150 }],
  ['topped up again', toppedAgain, { monthly_stars: 60, monthly_grant_stars: 150 }],
  ['after one that was topped up', [...toppedAgain, renewed()], { monthly_stars: 100 }],
  ['that was not canceled', bigger, { monthly_stars: 130, subscription: { tier: 'big' } }],
  ['after one that was not canceled', [...bigger, renewed()], { monthly_stars: 130 }],
  [
    'that has just ended',
    [started(), canceled(), started({ ...ends(0), ...gives(500), tier: 'old' })],
    { monthly_stars: 100, subscription: { tier: 'pro', status: 'canceled' } },
  ],
])('a period is granted once, up to its larger grant: one %s', (_which, events, expected) => {
  expect(walletAfter(events)).toMatchObject(expected);
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

test.each([canceled(), changed(gives(900)), renewed(ends(90))])(
  '$type of another subscription changes nothing, and is refused where that is not known',
  (one) => {
    const wallet = walletAfter([started(ofA(-9)), started(ofB(-5, ends(31)))]);
    const unchanged = { ...wallet, version: 3 };
    // Of one that was replaced, or from before the current one began; and of the current one.
    for (const former of [a, occurred(-6)])
      expect(walletAfter([{ ...one, ...former }], wallet)).toEqual(unchanged);
    for (const current of [b, occurred(-4)])
      expect(walletAfter([{ ...one, ...current }], wallet)).not.toEqual(unchanged);
    // Of one that is not known: it may have come too early.
    const other = { subscription_id: 'sub_c' };
    expect(apply(wallet, event({ ...one, ...other }), now)).toBe('other_subscription');
    const known = walletAfter([started({ ...other, ...ends(32), ...occurred(0) })], wallet);
    walletAfter([{ ...one, ...other }], known);
  },
);

test('an event with an id is of the current subscription where that had none', () => {
  const told = walletAfter([started(), canceled(a)]);
  expect(told.subscription).toMatchObject({ id: 'sub_a', status: 'canceled' });
  expect(apply(told, event(canceled(b)), now)).toBe('other_subscription');
});

const early = walletAfter([started(ofA(-9))]);

// What is told without a time is the last that came. But it tells no time: so what is known of times stays, and what comes late is
// still known to be late.
describe('an event that does not tell its time', () => {
  const big = changed(ofA(-3, gives(200)));
  const late = { tier: 'old', ...gives(120) };

  test('leaves the time of the tier: one that is told late changes nothing', () => {
    const untimed = changed({ ...a, tier: 'mid', ...gives(150) });
    const wallet = walletAfter([big, untimed], early);
    expect(wallet.subscription).toMatchObject({ tier: 'mid', tier_at: now - 3 * day });
    expect(walletAfter([changed(ofA(-5, late))], wallet)).toMatchObject({
      subscription: { tier: 'mid' },
      next_grant_stars: 150,
    });
    expect(walletAfter([changed(ofA(-2, late))], wallet).subscription?.tier).toBe('old');
  });

  test('leaves the time of the grant: one that is told late changes nothing', () => {
    const wallet = walletAfter([big, renewed({ ...a, ...gives(300) })], early);
    expect(wallet).toMatchObject({
      monthly_grant_stars: 300,
      subscription: { grant_at: now - 3 * day },
    });
    const next = (days: number) =>
      walletAfter([renewed(ofA(days, gives(120)))], wallet).next_grant_stars;
    expect([next(-5), next(-2)]).toEqual([undefined, 120]);
  });

  test('leaves the time of the status: one that is told late changes nothing', () => {
    const status = (fields: object, status: string) => ({
      ...{ type: 'subscription.changed', status },
      ...fields,
    });
    const wallet = walletAfter([status(ofA(-3), 'past_due'), status(a, 'paused')], early);
    expect(wallet.subscription).toMatchObject({ status: 'paused', status_at: now - 3 * day });
    const then = (days: number) =>
      walletAfter([status(ofA(days), 'active')], wallet).subscription?.status;
    expect([then(-5), then(-2)]).toEqual(['paused', 'active']);
  });

  test('leaves what is known of a subscription: an older start changes nothing', () => {
    const known = [started(a), changed(ofA(-5, { tier: 'pro', ...gives(100) })), canceled(a)];
    const wallet = walletAfter(known);
    expect(wallet.subscription?.occurred_at).toBe(now - 5 * day);
    const other = (days: number) =>
      walletAfter([started(ofB(days, gives(1100)))], wallet).monthly_stars;
    expect([other(-9), other(-4)]).toEqual([100, 1100]);
  });

  test('starts a subscription that is older than what is known of it later: a newer start ends it', () => {
    const wallet = walletAfter([started(a), changed(ofA(-5, { tier: 'pro', ...gives(100) }))]);
    const over = (days: number) =>
      walletAfter([started(ofB(days, { ...ends(-1), ...gives(1100) }))], wallet).subscription?.id;
    expect([over(-9), over(-3)]).toEqual(['sub_a', 'sub_b']);
  });
});

test('an event without an id is of the subscription that is known, and leaves its id', () => {
  const wallet = walletAfter([canceled(occurred(-3))], early);
  expect(wallet.subscription).toMatchObject({ id: 'sub_a', status: 'canceled' });
  expect(apply(wallet, event(canceled(b)), now)).toBe('other_subscription');
});

test('an older start, and the last one again, change nothing', () => {
  const active = walletAfter([renewed(ofA(-1))], early);
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

test.each<[string, object[], object]>([
  [
    'of two that start at the same moment, the last one goes on',
    [canceled(ofA(-1)), started(ofB(-9, { tier: 'other' }))],
    { id: 'sub_b', tier: 'other', status: 'active' },
  ],
  [
    'a start of an earlier one that does not tell when it was changes nothing',
    [started(ofB(-5, ends(40))), started({ ...a, ...gives(900) })],
    { id: 'sub_b', started_at: now - 5 * day, current_period_end: now + 40 * day },
  ],
])('of two subscriptions: %s', (_what, events, subscription) => {
  const former_subscriptions = ['sub_a'];
  expect(walletAfter(events, early)).toMatchObject({ subscription, former_subscriptions });
});

test('the last 20 subscriptions that were replaced are known', () => {
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

// A start gives its grant, its tier and its status, or nothing.
test.each<[string, object[], object]>([
  ['later', [started(ofA(-9)), started(ofB(-5, { tier: 'big', ...gives(1100) }))], {}],
  [
    'of the same subscription',
    [started(ofA(-9)), started(ofA(-5, { tier: 'big', ...gives(1100) }))],
    {},
  ],
  ['that tells no time', [started(ofA(-9)), started({ tier: 'big', ...gives(1100) })], {}],
  ['after one that told none', [started(), started(ofB(-5, { tier: 'big', ...gives(1100) }))], {}],
])('a second start within the period, %s, is taken over whole', (_which, events) => {
  expect(walletAfter(events)).toMatchObject({
    monthly_stars: 1100,
    monthly_grant_stars: 1100,
    subscription: { tier: 'big', status: 'active' },
  });
});

test.each<[string, object[]]>([
  ['earlier', [started(ofA(-5)), started(ofB(-9, { tier: 'big', ...gives(1100) }))]],
  [
    'earlier than another event of one whose start told no time',
    [started(a), changed(ofA(-5, { tier: 'pro', ...gives(100) })), started(ofB(-9, gives(1100)))],
  ],
  ['of a period that is over', [started(), started({ tier: 'big', ...ends(-1), ...gives(1100) })]],
])('a second start within the period, %s, changes nothing', (_which, events) => {
  expect(walletAfter(events)).toMatchObject({
    monthly_stars: 100,
    monthly_grant_stars: 100,
    subscription: { tier: 'pro', status: 'active' },
  });
});

test('a change tells a status, a tier, or both, each by its own time', () => {
  const told = (...events: object[]) => walletAfter([started(ofA(-9)), ...events]).subscription;
  const status = (days: number, status: string) => ({
    ...{ type: 'subscription.changed', status },
    ...ofA(days),
  });
  for (const one of ['past_due', 'paused', 'trialing', 'unpaid'])
    expect(told(status(-5, one))).toMatchObject({ tier: 'pro', status: one });
  expect(told(status(-5, 'past_due'), status(-7, 'active'))).toMatchObject({ status: 'past_due' });
  const both = { ...changed(ofA(-5, gives(200))), status: 'past_due' };
  expect(told(both)).toMatchObject({ tier: 'big', status: 'past_due' });
  const late = [status(-4, 'active'), changed(ofA(-6, gives(200))), both];
  expect(told(...late)).toMatchObject({ tier: 'big', status: 'active' });
  // A renewal was paid.
  expect(told(status(-5, 'past_due'), renewed(ofA(-1)))).toMatchObject({ status: 'active' });
  // Stars may be spent whatever the status is.
  expect(
    walletAfter([started(), { type: 'subscription.changed', status: 'unpaid' }, spent(100)]),
  ).toMatchObject({ monthly_stars: 0 });
});

test('of two statuses of one moment the graver one counts, whichever comes first', () => {
  const grave = ['canceled', 'paused', 'past_due', 'active', 'trialing'];
  const told = (events: object[]) =>
    walletAfter([started(ofA(-9)), ...events]).subscription?.status;
  for (const [i, first] of grave.entries()) {
    for (const second of grave.slice(i + 1)) {
      const events = [first, second].map((status) =>
        status === 'canceled'
          ? canceled(ofA(-5))
          : { type: 'subscription.changed', status, ...ofA(-5) },
      );
      expect([told(events), told(events.toReversed())]).toEqual([first, first]);
    }
  }
});
