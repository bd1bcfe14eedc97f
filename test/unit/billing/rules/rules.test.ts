import { expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import type { Cause, RelatedFacts } from '../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { mostOpenHolds } from '../../../../lib/billing/terms/refusals.ts';
import { mostInCompartment, mostStars } from '../../../../lib/billing/terms/stars.ts';
import {
  adjust,
  applyCause,
  capture,
  end,
  extend,
  held,
  hold,
  iso,
  later,
  monthly,
  nextMonth,
  now,
  pack,
  purchase,
  refund,
  release,
  soon,
  spend,
  wallet,
  withPacks,
} from './wallets.ts';

// Of a wallet of which 65 stars are held: 40 monthly, 10 and 15 of the packs that expire. Then 35 are free.
const one = held(65);
const ofHold = { hold: one.hold };
const spent = { spend: { lots: [monthly(40), pack(10, soon), pack(5)], refunded: 0 } };
type Row = [string, Cause, number, RelatedFacts, number[], number[]?];

// Changes of monthly, pack and held stars; those that lapse, monthly and of packs, and are lost.
test.each<Row>([
  ['a spend', spend(6), now, {}, [0, -6, 0]],
  ['a spend after the month', spend(35), end, {}, [0, -35, 0]],
  ['a purchase', purchase(5), now, {}, [0, 5, 0]],
  ['a purchase that expires', purchase(5, soon), now, {}, [0, 5, 0]],
  ['one that has expired', purchase(5, now), now, {}, [0, 0, 0], [0, 0, 5]],
  ['a correction', adjust({ monthly_change: 3, pack_change: -2 }), now, {}, [3, -2, 0]],
  ['a refund', refund(20), now, spent, [5, 15, 0]],
  ['a refund after a pack expired', refund(20), soon, spent, [5, 5, 0], [0, 0, 10]],
  ['a hold', hold(6), now, {}, [0, 0, 6]],
  ['a capture', capture(), now, ofHold, [-40, -25, -65]],
  ['a capture of a part', capture(45), now, ofHold, [-40, -5, -65]],
  ['… after pack and month', capture(45), end, ofHold, [-40, -5, -65], [0, 5, 0]],
  ['a release', release, now, ofHold, [0, 0, -65]],
  ['… after a pack expired', release, soon, ofHold, [0, 0, -65], [0, 10, 0]],
  ['… after pack and month', release, end, ofHold, [0, 0, -65], [40, 10, 0]],
  ['… after all of them', release, later, ofHold, [0, 0, -65], [40, 30, 0]],
])(
  '%s changes compartments, holds and packs',
  (_name, cause, at, related, changes, gone = [0, 0, 0]) => {
    const { entry, wallet: after } = applyCause(one.wallet, cause, at, related);
    const { monthly_change, pack_change, held_change, monthly_lapsed, pack_lapsed } = entry;
    expect([monthly_change, pack_change, held_change]).toEqual(changes);
    const lost = entry.lost.reduce((sum, { stars }) => sum + stars, 0);
    expect([monthly_lapsed, pack_lapsed, lost]).toEqual(gone);
    expect(entry).toMatchObject({
      monthly_after: 40 - monthly_lapsed + monthly_change,
      pack_after: 60 - pack_lapsed + pack_change,
      held_after: 65 + held_change,
    });
    expect(after.open_holds).toBe(held_change > 0 ? 2 : held_change < 0 ? 0 : 1);
  },
);

test('no compartment is filled beyond what is an exact number', () => {
  const nearly = wallet({ pack_stars: mostInCompartment - mostStars });
  const { wallet: full } = applyCause(nearly, purchase(mostStars));
  for (const cause of [purchase(1), purchase(1, end + 1000), adjust({ pack_change: 1 })]) {
    expect(apply(full, cause, now)).toBe('too_many_stars');
  }
  applyCause(full, spend(41));
  expect(Number.isSafeInteger(2 * mostInCompartment)).toBe(true);
});

test('the wallet’s time never goes back, whatever the clock says', () => {
  const { wallet: ahead } = applyCause(withPacks(), spend(1), soon);
  const { entry, wallet: after } = applyCause(ahead, spend(1), now);
  expect([entry.at, after.at]).toEqual([iso(soon), soon]);
  expect([now, soon + 1].map((clock) => toBalance(after, clock).as_of)).toEqual(
    [soon, soon + 1].map(iso),
  );
});

test('a hold still has its monthly stars after the month’s end, and in the next one', () => {
  const { wallet: before, hold } = held(30);
  expect(toBalance(before, end)).toMatchObject({ monthly_stars: 30, held_stars: 30 });
  const { wallet: next, entry } = applyCause(before, nextMonth, now);
  expect(entry).toMatchObject({ monthly_lapsed: 9, monthly_change: 99, monthly_after: 130 });
  expect(applyCause(next, capture(), end, { hold }).wallet.monthly_stars).toBe(100);
  expect(applyCause(next, release, end, { hold }).entry).toMatchObject({
    monthly_lapsed: 30,
    monthly_after: 100,
  });
});

test('a hold has expired at its time, and not a millisecond before', () => {
  const { wallet: before, hold } = held(30, undefined, now + 60);
  for (const cause of [capture(), release, extend]) {
    expect(apply(before, cause, now + 60, { hold })).toBe('hold_expired');
    expect(apply(before, cause, now + 59, { hold })).toBeTypeOf('object');
    expect(apply(before, cause, now + 59)).toBe('hold_expired');
  }
});

test('there are 1,000 open holds at most', () => {
  const after = (open_holds: number) => apply(wallet({ open_holds }), hold(1), now);
  expect(after(mostOpenHolds)).toBe('too_many_holds');
  expect(after(mostOpenHolds - 1)).toMatchObject({ wallet: { open_holds: mostOpenHolds } });
});

test('each threshold that the stars fall to is told by itself, the last star as stars.depleted', () => {
  const told = (stars: number) =>
    applyCause(wallet({ thresholds: [100, 65, 10] }), spend(stars)).notices;
  const low = (threshold: number, available_stars: number) => {
    return { type: 'stars.low', threshold, available_stars };
  };
  expect([told(54), told(55)]).toEqual([[], [low(10, 10)]]);
  expect(told(65)).toEqual([low(10, 0), { type: 'stars.depleted' }]);
});
