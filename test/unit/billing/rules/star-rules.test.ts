import { expect, test } from 'vitest';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { mostPacks } from '../../../../lib/billing/terms/refusals.ts';
import {
  adjust,
  applyCause,
  end,
  held,
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

// Spends, packs that expire, refunds and adjustments. What each does to the numbers of an entry: rules.test.ts.

test('spending takes monthly stars, then the packs that expire soonest, then those that stay', () => {
  const soonest = [monthly(40), pack(10, soon), pack(20, later)];
  expect(applyCause(withPacks(), spend(70)).takenLots).toEqual(soonest);
  const { takenLots, wallet: after } = applyCause(withPacks(), spend(75));
  expect(takenLots).toEqual([...soonest, pack(5)]);
  expect(after).toMatchObject({ monthly_stars: 0, pack_stars: 25, packs: [] });
  expect(apply(withPacks(), spend(101), now)).toBe('insufficient_stars');
  expect(applyCause(withPacks(), spend(100)).wallet.pack_stars).toBe(0);
});

test.each([
  [soon, 90, { pack_lapsed: 10, monthly_lapsed: 0 }],
  [end, 50, { pack_lapsed: 10, monthly_lapsed: 40 }],
])('spending takes nothing from the moment at which it lapses: %i', (at, left, entry) => {
  applyCause(withPacks(), spend(left + 1), at - 1);
  expect(apply(withPacks(), spend(left + 1), at)).toBe('insufficient_stars');
  expect(applyCause(withPacks(), spend(left), at).entry).toMatchObject(entry);
});

test('spending never takes what is held, nor does an adjustment', () => {
  const { wallet: before } = held(65);
  expect(applyCause(before, spend(35)).takenLots).toEqual([pack(5, later), pack(30)]);
  expect(applyCause(before, adjust({ pack_change: -35 })).entry.pack_after).toBe(25);
  const tooMuch = [spend(36), adjust({ monthly_change: -1 }), adjust({ pack_change: -36 })];
  expect(tooMuch.map((cause) => apply(before, cause, now))).toEqual(
    Array(3).fill('insufficient_stars'),
  );
});

const withMostPacks = (fields: Partial<Wallet> = {}) =>
  Array.from({ length: mostPacks }, (_, i) => purchase(1, later + i)).reduce(
    (before, cause) => applyCause(before, cause).wallet,
    wallet({ pack_stars: 0, ...fields }),
  );

test('packs that expire are 100 at most, of which those that were spent do not count', () => {
  const full = withMostPacks();
  expect(apply(full, purchase(1, soon), now)).toBe('too_many_packs');
  for (const one of [purchase(1), purchase(1, later + 99)]) applyCause(full, one);
  expect(applyCause(full, purchase(1, later + 500), later).wallet.packs.length).toBe(mostPacks);
  const { wallet: left } = applyCause(full, spend(41));
  const { wallet: refilled } = applyCause(left, purchase(1, soon));
  // What comes back may not make them more either.
  const spent = { spend: { lots: [pack(1, later)], refunded: 0 } };
  expect(apply(refilled, refund(1), now, spent)).toBe('too_many_packs');
  expect(applyCause(left, refund(1), now, spent).wallet.packs.length).toBe(mostPacks);
});

test('packs that expire count while a hold has their stars, so that a release never makes more of them', () => {
  const full = withMostPacks({ monthly_stars: 0 });
  const { wallet: before, hold } = held(100, full);
  expect(apply(before, purchase(1, soon), now)).toBe('too_many_packs');
  expect(applyCause(before, release, now, { hold }).wallet.packs).toEqual(full.packs);
});

const lots = [monthly(40), pack(10, soon), pack(20, later), pack(5)];
const spent = wallet({ monthly_stars: 0, pack_stars: 25 });
const of = (stars: number, refunded = 0, at = now, before = spent) =>
  apply(before, refund(stars), at, { spend: { lots, refunded } });

test('a refund names its spend, and fills first what was taken last', () => {
  const related = { spend: { lots, refunded: 0 } };
  const { wallet: after, entry } = applyCause(spent, refund(27), now, related);
  expect(entry.refunds).toBe('s');
  expect(after).toMatchObject({ monthly_stars: 0, pack_stars: 52 });
  expect(after.packs.map(({ stars }) => stars)).toEqual([2, 20]);
  const used = { spent_stars: 0, refunded_stars: 75 };
  expect(of(48, 27, now, after)).toMatchObject({ wallet: withPacks({ version: 9, used }) });
  expect(apply(spent, refund(1), now)).toBe('not_a_spend');
});

test('a refund never gives more than was spent', () => {
  expect([of(76), of(6, 70), of(1, 75)]).toEqual(Array(3).fill('more_than_spent'));
  for (const whole of [of(75), of(5, 70)]) expect(whole).toBeTypeOf('object');
});

test('a refund loses what came from a month or pack that has ended, and says so', () => {
  const lost = [
    { compartment: 'pack', stars: 10, expires_at: iso(soon) },
    { compartment: 'monthly', stars: 40, expires_at: iso(end) },
  ];
  expect(of(75, 0, end)).toMatchObject({ entry: { monthly_change: 0, pack_change: 25, lost } });
  expect(of(75)).toMatchObject({ entry: { lost: [] } });
});

test('a refund never turns stars of a month that another one has cut short into others', () => {
  expect(of(75, 0, now, applyCause(spent, nextMonth).wallet)).toMatchObject({
    entry: { monthly_change: 0, pack_change: 35, lost: [{ compartment: 'monthly', stars: 40 }] },
  });
});

test('an adjustment gives monthly stars only while a month runs, pack stars always', () => {
  const [toMonth, toPacks] = [adjust({ monthly_change: 5 }), adjust({ pack_change: 5 })];
  expect(apply(wallet(), toMonth, end)).toBe('no_month');
  expect(apply(emptyWallet, toMonth, now)).toBe('no_month');
  // Zeros have no sign, however they are told.
  const adjusted = (cause: object) => {
    const { monthly_change, pack_change } = applyCause(wallet(), adjust(cause)).entry;
    return [monthly_change, pack_change];
  };
  expect(adjusted({ monthly_change: 5, pack_change: -0 })).toEqual([5, 0]);
  expect(adjusted({ monthly_change: -0, pack_change: 1 })).toEqual([0, 1]);
  for (const at of [now, end]) expect(applyCause(wallet(), toPacks, at).entry.pack_after).toBe(30);
});
