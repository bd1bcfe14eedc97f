import { expect, test } from 'vitest';
import type { Cause } from '../../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../../lib/billing/rules/rules.ts';
import type { Purchase } from '../../../../../lib/billing/stored/purchase.ts';
import type { Wallet } from '../../../../../lib/billing/stored/wallet.ts';
import { mostSources } from '../../../../../lib/billing/terms/refusals.ts';
import { reversalOf } from '../../../../support/billing.ts';
import {
  adjust,
  applyCause,
  capture,
  event,
  extend,
  held,
  iso,
  later,
  nextMonth,
  now,
  purchase,
  refund,
  release,
  soon,
  spend,
  wallet,
} from '../wallets.ts';

// Refunds and disputes of purchases. That their order does not matter: test/unit/billing/rules/reversal-order.property.test.ts.

interface State {
  wallet: Wallet;
  purchase: Purchase;
}

const reversal = (fields: object = {}) =>
  event({ type: 'pack.reversed', purchase: 'p', ...fields, event_id: 'r' });
const dispute = (stars: number, fields: object = {}) =>
  reversal({ stars, claw_back: true, source: 'dispute', ...fields });

/** A wallet that has bought stars, beside 40 monthly ones and 10 of a pack that expires soon. */
const bought = (stars: number, expires_at?: number, before = beside): State => {
  const { wallet: after, purchase: made } = applyCause(before, purchase(stars, expires_at));
  return { wallet: after, purchase: made! };
};
const beside = wallet({ pack_stars: 10, packs: [{ expires_at: soon, stars: 10, held: 0 }] });

const reverse = ({ wallet: before, purchase }: State, cause = reversal(), at = now) => {
  const { wallet: after, purchase: reversed, entry } = applyCause(before, cause, at, { purchase });
  return { wallet: after, purchase: reversed!, entry };
};

const spent = (state: State, stars: number): State => ({
  ...state,
  wallet: applyCause(state.wallet, spend(stars)).wallet,
});

/** Monthly, pack, held and owed stars. */
const starsOf = ({ wallet: { monthly_stars, pack_stars, held, owed_stars } }: State) => [
  monthly_stars,
  pack_stars,
  held.monthly + held.pack,
  owed_stars,
];

test('a refund takes the stars of its purchase, and no other ones', () => {
  const { entry, ...after } = reverse(bought(500));
  expect(starsOf(after)).toEqual([40, 10, 0, 0]);
  expect(after.wallet.packs).toEqual(beside.packs);
  expect(entry).toMatchObject({ type: 'pack.reversed', reverses: 'p', stars: -500 });
  expect(apply(beside, reversal(), now)).toBe('unknown_purchase');
});

test('a purchase for no money is reversed by its stars', () => {
  const state = bought(60);
  const free = { ...state, purchase: { ...state.purchase, amount: 0 } };
  expect(starsOf(reverse(free))).toEqual([40, 10, 0, 0]);
});

test('stars of one expiry are one pool, whichever purchase gave them', () => {
  const first = bought(30, later);
  const { wallet: both } = applyCause(first.wallet, purchase(20, later));
  // Of 50, 35 were spent: 15 are left.
  const after = reverse(spent({ ...first, wallet: both }, 40 + 10 + 35));
  expect(starsOf(after)).toEqual([0, 0, 0, 0]);
  expect(reversalOf(after.purchase).forgiven).toBe(15);
});

test('a refund forgives what was spent, and a refund of that spend gives its stars', () => {
  const before = bought(100, later);
  const { wallet: left, takenLots: lots } = applyCause(before.wallet, spend(130));
  const after = reverse({ ...before, wallet: left });
  expect([starsOf(after), reversalOf(after.purchase).forgiven]).toEqual([[0, 0, 0, 0], 80]);
  const back = applyCause(after.wallet, refund(80), now, { spend: { lots, refunded: 0 } });
  expect(starsOf({ ...after, wallet: back.wallet })).toEqual([0, 80, 0, 0]);
  // The same source, told again, changes nothing.
  expect(reverse({ ...after, wallet: back.wallet }).entry).toMatchObject({ stars: 0 });
});

test('a dispute takes what was spent from other packs, the soonest to expire first, then from the month', () => {
  const state = spent(bought(100), 140);
  expect(starsOf(state)).toEqual([0, 10, 0, 0]);
  const month = { ...state, wallet: { ...state.wallet, monthly_stars: 40 } };
  expect(starsOf(reverse(month, dispute(15)))).toEqual([35, 0, 0, 0]);
  const all = reverse(month, dispute(100));
  expect(starsOf(all)).toEqual([0, 0, 0, 50]);
  expect(all.entry).toMatchObject({
    ...{ stars: -100, monthly_change: -40, pack_change: -10, owed_change: 50, owed_after: 50 },
  });
});

test('stars that a hold has are owed after a refund, and a capture of it goes on', () => {
  const only = wallet({ monthly_stars: 0, pack_stars: 0 });
  const { wallet: after, purchase: made } = applyCause(only, purchase(100));
  const { wallet: holding, hold } = held(60, after);
  const reversed = reverse({ wallet: holding, purchase: made! });
  expect(starsOf(reversed)).toEqual([0, 60, 60, 60]);
  expect(reversalOf(reversed.purchase).forgiven).toBe(0);
  expect(apply(reversed.wallet, spend(1), now)).toBe('insufficient_stars');
  expect(apply(reversed.wallet, capture(61), now, { hold })).toBe('insufficient_stars');
  const captured = applyCause(reversed.wallet, capture(50), now, { hold });
  expect(captured.entry).toMatchObject({ stars: -50, owed_change: -10, owed_after: 50 });
  const released = applyCause(reversed.wallet, release, now, { hold });
  expect(released.entry).toMatchObject({ stars: 0, pack_change: -60, owed_after: 0 });
});

test('held stars of a purchase whose pack has expired since are owed, too', () => {
  const only = wallet({ monthly_stars: 0, pack_stars: 0 });
  const { wallet: after, purchase: made } = applyCause(only, purchase(100, soon));
  const { wallet: holding } = held(60, after);
  const reversed = reverse({ wallet: holding, purchase: made! }, reversal(), soon);
  expect(starsOf(reversed)).toEqual([0, 60, 60, 60]);
  expect(reversalOf(reversed.purchase).forgiven).toBe(40);
});

test('whatever gives stars pays owed ones first, and an adjustment forgives them', () => {
  const owing = reverse(spent(bought(100), 150), dispute(100)).wallet;
  expect(owing).toMatchObject({ monthly_stars: 0, pack_stars: 0, owed_stars: 100 });
  for (const [cause, monthly, pack, owed] of [
    [purchase(30), 0, 0, 70],
    [purchase(130, later), 0, 30, 0],
    [nextMonth, 0, 0, 1],
    [adjust({ pack_change: 120 }), 0, 20, 0],
    [adjust({ owed_change: -99 }), 0, 0, 1],
    [adjust({ owed_change: -100, pack_change: 5 }), 0, 5, 0],
  ] as const) {
    const after = applyCause(owing, cause).wallet;
    expect([after.monthly_stars, after.pack_stars, after.owed_stars]).toEqual([
      monthly,
      pack,
      owed,
    ]);
  }
  expect(apply(owing, adjust({ owed_change: -101 }), now)).toBe('more_than_owed');
});

const won = dispute(0, { occurred_at: iso(now) });
const inNinetyDays = (at: number) => at + 90 * 86_400_000;

test('a dispute that was won gives back what it took, as stars of the purchase', () => {
  const before = spent(bought(100, later), 60);
  const lost = reverse(before, dispute(100));
  expect(starsOf(lost)).toEqual([0, 0, 0, 10]);
  expect(starsOf(reverse(lost, won))).toEqual(starsOf(before));
  expect(reverse(lost, won).wallet.packs).toEqual(before.wallet.packs);
  // It took monthly ones, too.
  const month = { ...lost, wallet: { ...before.wallet, monthly_stars: 40 } };
  const taken = reverse({ ...month, purchase: before.purchase }, dispute(100));
  expect(starsOf(taken)).toEqual([30, 0, 0, 0]);
  expect(starsOf(reverse(taken, won))).toEqual([30, 100, 0, 0]);
});

test.each<[string, Cause, number[], number[]]>([
  ['a pack', purchase(15), [0, 5, 0, 0], [0, 105, 0, 0]],
  ['a grant', nextMonth, [89, 0, 0, 0], [89, 100, 0, 0]],
  ['nothing yet', extend, [0, 0, 0, 10], [0, 90, 0, 0]],
])(
  'stars come back where %s has paid the debt of a dispute that is won',
  (_, cause, paid, back) => {
    const lost = reverse(spent(bought(100, later), 60), dispute(100));
    const after = cause === extend ? lost.wallet : applyCause(lost.wallet, cause).wallet;
    expect(starsOf({ ...lost, wallet: after })).toEqual(paid);
    expect(starsOf(reverse({ ...lost, wallet: after }, won))).toEqual(back);
  },
);

test('what comes back after the purchase’s expiry can be used for 90 days', () => {
  const lost = reverse(bought(100, later), dispute(30));
  const packs = (at: number) => reverse(lost, won, at).wallet.packs;
  expect(packs(later - 1)).toEqual([{ expires_at: later, stars: 100, held: 0 }]);
  expect(packs(later)).toEqual([{ expires_at: inNinetyDays(later), stars: 30, held: 0 }]);
  expect(reverse(lost, won, later).entry).toMatchObject({ stars: 30, pack_lapsed: 80, lost: [] });
  const staying = reverse(bought(100), dispute(30));
  expect(reverse(staying, won, later).wallet).toMatchObject({ pack_stars: 100, packs: [] });
});

test('amounts of one purchase are added before they are rounded down', () => {
  const { wallet: after, purchase: made } = applyCause(
    wallet({ monthly_stars: 0, pack_stars: 0 }),
    event({ type: 'pack.purchased', stars: 100, amount: 999 }),
  );
  let state: State = { wallet: after, purchase: made! };
  const lefts = ['a', 'b', 'c'].map((source) => {
    state = reverse(state, reversal({ source, amount: 333 }));
    return state.wallet.pack_stars;
  });
  expect(lefts).toEqual([67, 34, 0]);
  expect(
    apply(after, reversal({ amount: 1 }), now, { purchase: { ...made!, amount: undefined } }),
  ).toBe('unknown_amount');
});

test('refunds of two purchases take what is free as each comes, so their order decides what is forgiven', () => {
  const first = bought(60, later, wallet({ monthly_stars: 0, pack_stars: 0 }));
  const { wallet: both, purchase: other } = applyCause(first.wallet, purchase(60, later));
  const left = spent({ ...first, wallet: both }, 100);
  expect(starsOf(left)).toEqual([0, 20, 0, 0]);
  const refundOf = (state: State) => reverse(state, reversal());
  // Whichever is refunded first finds what is left. The sum is the same in either order.
  const one = refundOf(left);
  const then = refundOf({ wallet: one.wallet, purchase: other! });
  expect([one, then].map(({ purchase }) => reversalOf(purchase).forgiven)).toEqual([40, 60]);
  // A dispute beside a refund: what is owed depends on which of them found the free stars.
  const disputedFirst = reverse(left, dispute(60));
  const refundedFirst = refundOf({ ...left, purchase: other! });
  expect(starsOf(refundOf({ wallet: disputedFirst.wallet, purchase: other! }))).toEqual([
    0, 0, 0, 40,
  ]);
  const disputed = reverse({ wallet: refundedFirst.wallet, purchase: left.purchase }, dispute(60));
  expect(starsOf(disputed)).toEqual([0, 0, 0, 60]);
});

test('a dispute that displaces a refund takes what that had forgiven', () => {
  const refunded = reverse(spent(bought(100, later), 140), reversal({ source: 'refund' }));
  expect([starsOf(refunded), reversalOf(refunded.purchase).forgiven]).toEqual([[0, 0, 0, 0], 90]);
  const both = reverse(refunded, dispute(100));
  expect([starsOf(both), reversalOf(both.purchase).forgiven]).toEqual([[0, 0, 0, 90], 0]);
  const back = reverse(both, won);
  expect([starsOf(back), reversalOf(back.purchase).forgiven]).toEqual([[0, 0, 0, 0], 90]);
});

test('a purchase has 20 sources at most, each as often as it comes', () => {
  let state: State = bought(100);
  const from = (i: number) => reversal({ stars: 1, source: `re_${i}` });
  for (let i = 0; i < mostSources; i++) state = reverse(state, from(i));
  const { wallet: before, purchase } = state;
  expect(apply(before, from(mostSources), now, { purchase })).toBe('too_many_sources');
  expect(reverse(state, from(3)).entry.stars).toBe(0);
  expect(before.pack_stars).toBe(90);
});

/** A wallet of nothing but a purchase. */
const alone = (stars: number) =>
  bought(stars, later, wallet({ monthly_stars: 0, pack_stars: 0, packs: [] }));
const refunded = (stars: number) => reversal({ source: 'refund', stars });

test('a dispute that was won leaves what a refund had found, also if that was held, in whatever order they come', () => {
  const before = alone(100);
  const { wallet: holding, hold } = held(100, before.wallet);
  const back = (state: State) => ({
    ...state,
    wallet: applyCause(state.wallet, release, now, { hold }).wallet,
  });
  const first = { ...before, wallet: holding };
  for (const end of [
    reverse(reverse(back(reverse(first, refunded(100))), dispute(100)), won),
    reverse(reverse(back(reverse(first, dispute(100))), refunded(100)), won),
    reverse(reverse(reverse(back(first), dispute(100)), refunded(100)), won),
  ]) {
    expect([starsOf(end), reversalOf(end.purchase).forgiven]).toEqual([[0, 0, 0, 0], 0]);
  }
});

test('a refund that is raised after held stars came back takes free ones', () => {
  const before = alone(100);
  const { wallet: holding, hold } = held(100, before.wallet);
  const half = reverse({ ...before, wallet: holding }, refunded(50));
  const { wallet: released } = applyCause(half.wallet, release, now, { hold });
  expect(released).toMatchObject({ pack_stars: 50, owed_stars: 0, reversed_held: [] });
  const more = reverse({ ...half, wallet: released }, refunded(60));
  expect([starsOf(more), reversalOf(more.purchase).forgiven]).toEqual([[0, 40, 0, 0], 0]);
});

test('a held star is owed for one purchase, and not again for another', () => {
  const one = alone(50);
  const { wallet: both, purchase: other } = applyCause(one.wallet, purchase(50, later));
  const { wallet: left } = applyCause(held(40, both).wallet, spend(60));
  const first = reverse({ ...one, wallet: left }, reversal());
  const second = reverse({ wallet: first.wallet, purchase: other! }, reversal());
  expect(starsOf(second)).toEqual([0, 40, 40, 40]);
  const forgiven = [first, second].map(({ purchase }) => reversalOf(purchase).forgiven);
  expect(forgiven).toEqual([10, 50]);
});

test('a dispute that was won gives back what it took, also of a purchase that was made since', () => {
  const refundedWhole = reverse(spent(alone(100), 100), refunded(100));
  const { wallet: richer } = applyCause(refundedWhole.wallet, purchase(100, later));
  const lost = reverse({ ...refundedWhole, wallet: richer }, dispute(40));
  expect(starsOf(lost)).toEqual([0, 60, 0, 0]);
  expect(starsOf(reverse(lost, won))).toEqual([0, 100, 0, 0]);
});

test('thirds are all, also where one of them is a dispute', () => {
  const paid = { ...bought(100), purchase: { ...bought(100).purchase, amount: 900 } };
  const third = (source: string, claw_back = false) => reversal({ amount: 300, source, claw_back });
  const all = reverse(reverse(reverse(paid, third('a')), third('b', true)), third('c'));
  expect(all.wallet.pack_stars).toBe(beside.pack_stars);
});

test('of one source and time the larger counts, in stars or in money', () => {
  const paid = { ...bought(1), purchase: { ...bought(1).purchase, amount: 700 } };
  const some = reversal({ amount: 7, source: 'a' });
  const all = reversal({ source: 'a' });
  for (const [first, second] of [
    [some, all],
    [all, some],
  ] as const) {
    expect(reverse(reverse(paid, first), second).wallet.pack_stars).toBe(beside.pack_stars);
  }
});

test('a refund that failed, of which nothing is reversed, needs no amount that was paid', () => {
  const state = bought(100);
  expect(starsOf(reverse(state, reversal({ amount: 0 })))).toEqual(starsOf(state));
  const { wallet: before, purchase } = state;
  expect(apply(before, reversal({ amount: 1 }), now, { purchase })).toBe('unknown_amount');
});
