import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/balance.ts';
import { expire } from '../../../../lib/billing/holds/open-holds.ts';
import { mostOpenHolds, mostPacks } from '../../../../lib/billing/refusals.ts';
import type { Cause, RelatedFacts } from '../../../../lib/billing/rules/causes.ts';
import type { Lot } from '../../../../lib/billing/rules/compartments.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import type { Wallet } from '../../../../lib/billing/wallet.ts';
import { applyCause, end, event, iso, now, wallet as walletWith } from './wallets.ts';

// Spends, holds, packs that expire, and refunds.

const [soon, later] = [now + 500, now + 2000];

/** 40 monthly stars, 10 that expire soon, 20 later and 30 that stay. */
const wallet = (fields: Partial<Wallet> = {}): Wallet =>
  walletWith({
    pack_stars: 60,
    packs: [
      { expires_at: soon, stars: 10, held: 0 },
      { expires_at: later, stars: 20, held: 0 },
    ],
    ...fields,
  });

const spend = (stars: number) => event({ type: 'stars.spent', stars });
const purchase = (stars: number, expires_at?: number) =>
  event({ type: 'pack.purchased', stars, ...(expires_at && { expires_at: iso(expires_at) }) });
const adjust = (fields: object) => event({ type: 'stars.adjusted', reason: 'r', ...fields });
const refund = (stars: number) => event({ type: 'stars.refunded', stars, refunds: 's' });
const hold = (stars: number, expires_at = now + 100_000): Cause => ({
  type: 'stars.held',
  event_id: 'h',
  stars,
  expires_at,
});
const capture = (stars?: number): Cause => ({ type: 'hold.captured', event_id: 'h', stars });
const release: Cause = { type: 'hold.released', event_id: 'h' };

/** A hold of so many stars, and the wallet that has it. */
const held = (stars: number, before = wallet(), expires_at = now + 100_000) => {
  const { wallet: after, takenLots: lots } = applyCause(before, hold(stars, expires_at));
  return { wallet: after, hold: { hold_id: 'h', at: now, reason: null, expires_at, lots } };
};

const monthly = (stars: number): Lot => ({ compartment: 'monthly', expires_at: end, stars });
const pack = (stars: number, expires_at?: number): Lot => ({
  compartment: 'pack',
  stars,
  ...(expires_at && { expires_at }),
});

describe('what each cause does to compartments, holds and packs', () => {
  // Of a wallet of which 65 stars are held: 40 monthly, 10 and 15 of the packs that expire. Then 35 are free.
  const one = held(65);
  const ofHold = { hold: one.hold };
  const spent = { spend: { lots: [monthly(40), pack(10, soon), pack(5)], refunded: 0 } };
  type Row = [string, Cause, number, RelatedFacts, number[], number[]?];

  // Changes of monthly, pack and held stars; those that lapse, monthly and of packs, and are lost.
  test.each<Row>([
    ['a spend', spend(6), now, {}, [0, -6, 0]],
    ['a spend after the period', spend(35), end, {}, [0, -35, 0]],
    ['a purchase', purchase(5), now, {}, [0, 5, 0]],
    ['a purchase that expires', purchase(5, soon), now, {}, [0, 5, 0]],
    ['one that has expired', purchase(5, now), now, {}, [0, 0, 0], [0, 0, 5]],
    ['a correction', adjust({ monthly_change: 3, pack_change: -2 }), now, {}, [3, -2, 0]],
    ['a refund', refund(20), now, spent, [5, 15, 0]],
    ['a refund after a pack expired', refund(20), soon, spent, [5, 5, 0], [0, 0, 10]],
    ['a hold', hold(6), now, {}, [0, 0, 6]],
    ['a capture', capture(), now, ofHold, [-40, -25, -65]],
    ['a capture of a part', capture(45), now, ofHold, [-40, -5, -65]],
    ['… after pack and period', capture(45), end, ofHold, [-40, -5, -65], [0, 5, 0]],
    ['a release', release, now, ofHold, [0, 0, -65]],
    ['… after a pack expired', release, soon, ofHold, [0, 0, -65], [0, 10, 0]],
    ['… after pack and period', release, end, ofHold, [0, 0, -65], [40, 10, 0]],
    ['… after all of them', release, later, ofHold, [0, 0, -65], [40, 30, 0]],
  ])('%s', (_name, cause, at, related, changes, gone = [0, 0, 0]) => {
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
  });
});

describe('spending', () => {
  test('takes monthly stars, then the packs that expire soonest, then those that stay', () => {
    const { takenLots, wallet: after } = applyCause(wallet(), spend(75));
    expect(takenLots).toEqual([monthly(40), pack(10, soon), pack(20, later), pack(5)]);
    expect(after).toMatchObject({ monthly_stars: 0, pack_stars: 25, packs: [] });
    expect(apply(wallet(), spend(101), now)).toBe('insufficient_stars');
    expect(applyCause(wallet(), spend(100)).wallet.pack_stars).toBe(0);
  });

  test.each([
    [soon, 90, { pack_lapsed: 10, monthly_lapsed: 0 }],
    [end, 50, { pack_lapsed: 10, monthly_lapsed: 40 }],
  ])('takes nothing from the moment at which it lapses: %i', (at, left, entry) => {
    applyCause(wallet(), spend(left + 1), at - 1);
    expect(apply(wallet(), spend(left + 1), at)).toBe('insufficient_stars');
    expect(applyCause(wallet(), spend(left), at).entry).toMatchObject(entry);
  });

  test('never takes what is held', () => {
    const { wallet: before } = held(65);
    expect(apply(before, spend(36), now)).toBe('insufficient_stars');
    expect(applyCause(before, spend(35)).takenLots).toEqual([pack(5, later), pack(30)]);
    expect(apply(before, adjust({ monthly_change: -1 }), now)).toBe('insufficient_stars');
    expect(apply(before, adjust({ pack_change: -36 }), now)).toBe('insufficient_stars');
    expect(applyCause(before, adjust({ pack_change: -35 })).entry.pack_after).toBe(25);
  });
});

describe('packs that expire', () => {
  const withMostPacks = (fields: Partial<Wallet> = {}) =>
    Array.from({ length: mostPacks }, (_, i) => purchase(1, later + i)).reduce(
      (before, cause) => applyCause(before, cause).wallet,
      wallet({ packs: [], pack_stars: 0, ...fields }),
    );

  test('are one where their expiry is the same, and stand in its order', () => {
    const { wallet: one } = applyCause(wallet(), purchase(1, later));
    const { wallet: after } = applyCause(one, purchase(2, now + 700));
    expect(after.packs.map(({ expires_at, stars }) => [expires_at - now, stars])).toEqual([
      [500, 10],
      [700, 2],
      [2000, 21],
    ]);
  });

  test('are 100 at most, of which those that were spent do not count', () => {
    const full = withMostPacks();
    expect(apply(full, purchase(1, soon), now)).toBe('too_many_packs');
    for (const one of [purchase(1), purchase(1, later + 99)]) applyCause(full, one);
    expect(applyCause(full, purchase(1, later + 500), later).wallet.packs.length).toBe(mostPacks);
    const { wallet: left } = applyCause(full, spend(41));
    expect(applyCause(left, purchase(1, soon)).wallet.packs.length).toBe(mostPacks);
    // What comes back may not make them more either.
    const spent = { spend: { lots: [pack(1, later)], refunded: 0 } };
    const refilled = applyCause(left, purchase(1, soon)).wallet;
    expect(apply(refilled, refund(1), now, spent)).toBe('too_many_packs');
    expect(applyCause(left, refund(1), now, spent).wallet.packs.length).toBe(mostPacks);
  });

  test('count while a hold has their stars, so that a release never makes more of them', () => {
    const full = withMostPacks({ monthly_stars: 0 });
    const { wallet: before, hold } = held(100, full);
    expect(apply(before, purchase(1, soon), now)).toBe('too_many_packs');
    expect(applyCause(before, release, now, { hold }).wallet.packs).toEqual(full.packs);
  });

  test('the balance tells the next that lapses', () => {
    expect(toBalance(wallet(), now).next_expiry).toEqual({ at: iso(soon), stars: 10 });
    expect(toBalance(wallet(), soon)).toMatchObject({
      pack_stars: 50,
      next_expiry: { at: iso(later), stars: 20 },
    });
    expect(toBalance(held(65).wallet, now).next_expiry).toEqual({ at: iso(later), stars: 5 });
    expect(toBalance(wallet(), later).next_expiry).toBeNull();
  });
});

describe('a hold', () => {
  test('keeps its stars in the total, out of what is available, and takes the last one', () => {
    const of = { total_stars: 100, held_stars: 100, available_stars: 0 };
    expect(toBalance(held(100).wallet, now)).toMatchObject(of);
    expect(apply(wallet(), hold(101), now)).toBe('insufficient_stars');
  });

  test('after the period’s end still has its monthly stars to spend, also in the next one', () => {
    const { wallet: before, hold } = held(30);
    expect(toBalance(before, end)).toMatchObject({ monthly_stars: 30, held_stars: 30 });
    const renewed = event({ type: 'subscription.renewed', current_period_end: iso(later) });
    const { wallet: next } = applyCause(before, renewed, end);
    expect(toBalance(next, end)).toMatchObject({ monthly_stars: 130, held_stars: 30 });
    expect(applyCause(next, capture(), end, { hold }).wallet.monthly_stars).toBe(100);
    const { entry } = applyCause(next, release, end, { hold });
    expect(entry).toMatchObject({ monthly_lapsed: 30, monthly_after: 100 });
  });

  test('that comes back in its period is there to spend again', () => {
    const { wallet: before, hold } = held(65);
    expect(applyCause(before, release, now, { hold }).wallet).toMatchObject({
      ...wallet({ version: 9 }),
      next_hold_expiry: undefined,
    });
  });

  test('has expired at its time, and not a millisecond before', () => {
    const { wallet: before, hold } = held(30, wallet(), now + 60);
    for (const cause of [capture(), release]) {
      expect(apply(before, cause, now + 60, { hold })).toBe('hold_expired');
      expect(typeof apply(before, cause, now + 59, { hold })).toBe('object');
      expect(apply(before, cause, now + 59)).toBe('hold_expired');
    }
    expect(apply(before, capture(31), now, { hold })).toBe('more_than_held');
  });

  test('is written off at the time at which it expired, whenever that is', () => {
    const { wallet: before, hold } = held(30, wallet(), soon);
    const [step] = expire(before, [hold], undefined);
    expect(step?.entry).toMatchObject({ type: 'hold.expired', at: iso(soon), pack_lapsed: 10 });
    expect(step?.wallet).toMatchObject({ open_holds: 0, next_hold_expiry: undefined });
    expect(toBalance(step!.wallet, soon)).toMatchObject({ available_stars: 90, held_stars: 0 });
  });

  test('is one of 1,000 at most', () => {
    const most = wallet({ open_holds: mostOpenHolds });
    expect(apply(most, hold(1), now)).toBe('too_many_holds');
    expect(applyCause({ ...most, open_holds: mostOpenHolds - 1 }, hold(1)).wallet.open_holds).toBe(
      mostOpenHolds,
    );
  });
});

describe('a refund', () => {
  const lots = [monthly(40), pack(10, soon), pack(20, later), pack(5)];
  const spent = wallet({ monthly_stars: 0, pack_stars: 25, packs: [] });

  test('names its spend, and fills first what was taken last', () => {
    const { wallet: after, entry } = applyCause(spent, refund(27), now, {
      spend: { lots, refunded: 0 },
    });
    expect(entry.refunds).toBe('s');
    expect(after).toMatchObject({ monthly_stars: 0, pack_stars: 52 });
    expect(after.packs.map(({ stars }) => stars)).toEqual([2, 20]);
    const rest = applyCause(after, refund(48), now, { spend: { lots, refunded: 27 } });
    expect(rest.wallet).toEqual(wallet({ version: 9 }));
    expect(apply(spent, refund(1), now)).toBe('not_a_spend');
  });

  test('never gives more than was spent', () => {
    const of = (refunded: number, stars: number) =>
      apply(spent, refund(stars), now, { spend: { lots, refunded } });
    expect([of(0, 76), of(70, 6), of(75, 1)]).toEqual(Array(3).fill('more_than_spent'));
    for (const whole of [of(0, 75), of(70, 5)]) expect(typeof whole).toBe('object');
  });

  test('loses what came from a period or pack that has ended, and says so', () => {
    const related = { spend: { lots, refunded: 0 } };
    const { entry } = applyCause(spent, refund(75), end, related);
    expect(entry).toMatchObject({ monthly_change: 0, pack_change: 25 });
    expect(entry.lost).toEqual([
      { compartment: 'pack', stars: 10, expires_at: iso(soon) },
      { compartment: 'monthly', stars: 40, expires_at: iso(end) },
    ]);
    expect(applyCause(spent, refund(75), now, related).entry.lost).toEqual([]);
  });

  test('never turns monthly stars of a period that was replaced into others', () => {
    const renewed = event({ type: 'subscription.renewed', current_period_end: iso(later) });
    const { wallet: next } = applyCause(spent, renewed);
    const { entry } = applyCause(next, refund(75), now, { spend: { lots, refunded: 0 } });
    expect(entry).toMatchObject({ monthly_change: 0, pack_change: 35 });
    expect(entry.lost).toMatchObject([{ compartment: 'monthly', stars: 40 }]);
  });

  test('of a captured hold gives back what was captured', () => {
    const { wallet: before, hold } = held(65);
    const { wallet: captured, takenLots } = applyCause(before, capture(45), now, { hold });
    const { wallet: after } = applyCause(captured, refund(45), now, {
      spend: { lots: takenLots, refunded: 0 },
    });
    expect(after).toEqual(wallet({ version: 10 }));
  });
});

describe('the wallet’s time', () => {
  test('never goes back, whatever the clock says', () => {
    const { wallet: ahead } = applyCause(wallet(), spend(1), soon);
    const { entry, wallet: after } = applyCause(ahead, spend(1), now);
    expect([entry.at, after.at]).toEqual([iso(soon), soon]);
    expect(toBalance(after, now).as_of).toBe(iso(soon));
    expect(toBalance(after, soon + 1).as_of).toBe(iso(soon + 1));
  });

  test('is what a hold expires by: one that is behind captures nothing that has expired', () => {
    const { wallet: before, hold } = held(10, wallet(), soon);
    const { wallet: ahead } = applyCause(before, spend(1), soon);
    expect(apply(ahead, capture(), now, { hold })).toBe('hold_expired');
    expect(typeof apply(before, capture(), now, { hold })).toBe('object');
  });
});
