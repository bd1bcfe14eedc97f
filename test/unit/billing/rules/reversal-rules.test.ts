import { expect, test } from 'vitest';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import type { Purchase } from '../../../../lib/billing/stored/purchase.ts';
import type { Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { mostSources } from '../../../../lib/billing/terms/refusals.ts';
import { reversalOf } from '../../../support/billing.ts';
import {
  adjust,
  applyCause,
  capture,
  event,
  held,
  iso,
  later,
  now,
  purchase,
  refund,
  release,
  soon,
  spend,
  wallet,
} from './wallets.ts';

// Refunds and disputes of purchases. That their order does not matter: reversal-order.property.test.ts.

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
  expect(entry).toMatchObject({ type: 'pack.reversed', purchase: 'p', stars: -500 });
  expect(apply(beside, reversal(), now)).toBe('unknown_purchase');
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
  expect(starsOf(reverse(month, dispute(15)))).toEqual([40, 0, 0, 0].with(0, 35));
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
  const renewed = event({ type: 'subscription.renewed', current_period_end: iso(later) });
  for (const [cause, monthly, pack, owed] of [
    [purchase(30), 0, 0, 70],
    [purchase(130, later), 0, 30, 0],
    [renewed, 0, 0, 0],
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

test('a refund that failed, and a dispute that was won, give back what was taken, to where it came from', () => {
  const before = spent(bought(100, later), 60);
  const lost = reverse(before, dispute(100));
  expect(starsOf(lost)).toEqual([0, 0, 0, 10]);
  const won = reverse(lost, dispute(0, { occurred_at: iso(now) }));
  expect(starsOf(won)).toEqual(starsOf(before));
  expect(won.wallet.packs).toEqual(before.wallet.packs);
});

test('what comes back after its own stars have lapsed comes as stars of the purchase, or is lost with them', () => {
  const before = spent(bought(100, later), 40 + 95);
  expect(before.wallet.packs).toEqual([{ expires_at: later, stars: 15, held: 0 }]);
  const month = { ...before, wallet: { ...before.wallet, monthly_stars: 40 } };
  const lost = reverse(month, dispute(30));
  expect(starsOf(lost)).toEqual([25, 0, 0, 0]);
  const won = (at: number) => reverse(lost, dispute(0, { occurred_at: iso(now) }), at);
  expect(won(now).wallet).toMatchObject({ monthly_stars: 40, pack_stars: 15 });
  // The period ends before the pack expires.
  expect(won(later - 1).wallet).toMatchObject({ monthly_stars: 0, pack_stars: 30 });
  expect(won(later).entry.lost.map(({ stars }) => stars)).toEqual([15, 15]);
});

test('a dispute that displaces a refund takes what that had forgiven', () => {
  const refunded = reverse(spent(bought(100, later), 140), reversal({ source: 'refund' }));
  expect([starsOf(refunded), reversalOf(refunded.purchase).forgiven]).toEqual([[0, 0, 0, 0], 90]);
  const both = reverse(refunded, dispute(100));
  expect([starsOf(both), reversalOf(both.purchase).forgiven]).toEqual([[0, 0, 0, 90], 0]);
  const won = reverse(both, dispute(0, { occurred_at: iso(now) }));
  expect([starsOf(won), reversalOf(won.purchase).forgiven]).toEqual([[0, 0, 0, 0], 90]);
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
  const won = dispute(0, { occurred_at: iso(now) });
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
  const won = reverse(lost, dispute(0, { occurred_at: iso(now) }));
  expect(starsOf(won)).toEqual([0, 100, 0, 0]);
});
