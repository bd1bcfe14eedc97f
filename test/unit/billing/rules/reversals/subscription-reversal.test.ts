import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../../lib/billing/rules/balance.ts';
import { reversedEventOf } from '../../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../../lib/billing/rules/rules.ts';
import { day, dayText, holdLong, line, Played, paid, proration, spend } from '../played.ts';
import { event } from '../wallets.ts';

const bought = (from: number, until: number, stars: number, event_id = 'in_1', amount = 900) =>
  paid([line(from, until, stars, { tier: 'pro' })], { event_id, amount });
const reversed = (fields: object = {}, event_id = 'r', of = 'in_1') =>
  event({ type: 'subscription.reversed', event_id, paid: of, ...fields });
const begun = (spent = 0) => {
  const played = new Played().at(0, bought(0, 31, 100));
  return spent > 0 ? played.at(1, spend(spent)) : played;
};

describe('what is reversed of a month', () => {
  test.each([
    ['is taken while it is free', 0, {}, 0],
    ['is forgiven once it is spent', 100, {}, 0],
    ['is owed where it is clawed back', 100, { claw_back: true }, -100],
    ['is what is left, and the rest is forgiven', 70, {}, 0],
    ['is a part, as that of the amount is', 0, { amount: 300 }, 66],
    ['is nothing if the refund failed', 0, { amount: 0 }, 100],
  ])('%s', (_, spent, fields, stars) => {
    expect(begun(spent).at(2, reversed(fields)).stars).toBe(stars);
  });

  test('three thirds are all of it', () => {
    const played = begun();
    for (const source of ['a', 'b', 'c']) {
      played.at(2, reversed({ source, amount: 300 }, source));
    }
    expect(played.stars).toBe(0);
    expect(played.wallet.subscription?.lines.filter(({ share }) => share)).toHaveLength(1);
  });

  test('comes back, what was taken and what is owed, and no more', () => {
    const back = { source: 'r', amount: 0, occurred_at: dayText(3) };
    expect(begun().at(2, reversed()).at(3, reversed(back, 'r2')).stars).toBe(100);
    const spent = begun(70).at(2, reversed()).at(3, reversed(back, 'r2'));
    expect(spent.stars).toBe(30);
    const lost = { ...back, claw_back: true };
    const won = begun(70)
      .at(2, reversed({ claw_back: true }))
      .at(3, reversed(lost, 'r2'));
    expect(won.stars).toBe(30);
  });

  test('is the same in any order', () => {
    const events = [
      reversed({ source: 'refund', amount: 300, occurred_at: dayText(1) }, 'a'),
      reversed({ source: 'refund', amount: 600, occurred_at: dayText(2) }, 'b'),
      reversed({ source: 'dispute', amount: 300, claw_back: true, occurred_at: dayText(1) }, 'c'),
      reversed({ source: 'dispute', amount: 0, claw_back: true, occurred_at: dayText(2) }, 'd'),
    ];
    for (const spent of [0, 40, 70, 100]) {
      const ends = new Set<number>();
      for (let i = 0; i < 24; i++) {
        const left = [...events];
        const order = [4, 3, 2, 1].map((n, k) => left.splice((i >> k) % n, 1)[0]!);
        ends.add(begun(spent).at(5, ...order).stars);
      }
      expect([...ends]).toHaveLength(1);
    }
  });
});

describe('what is reversed of a year', () => {
  const year = () => new Played().at(0, bought(0, 365, 100, 'in_1', 1200)).at(32);

  test('half of it: months to come are half, and of the month that runs a half is taken', () => {
    const played = year().at(33, reversed({ amount: 600 }));
    expect(played.stars).toBe(50);
    expect(played.at(60).stars).toBe(50);
    expect(toBalance(played.wallet, day(60)).next_grant).toMatchObject({ stars: 50 });
  });

  test('all of it, clawed back: months that are over are owed', () => {
    expect(year().at(33, reversed({ claw_back: true })).stars).toBe(-100);
  });

  test('a dispute that is won months later gives all of it back, past months as pack stars', () => {
    const played = year()
      .at(33, reversed({ claw_back: true }))
      .at(91);
    const back = { source: 'r', amount: 0, claw_back: true, occurred_at: dayText(91) };
    played.at(91, reversed(back, 'r2'));
    // Of four months: January is canceled where it was owed, the others come.
    const { monthly_stars, pack_stars, owed_stars, next_expiry } = toBalance(
      played.wallet,
      day(91),
    );
    expect([monthly_stars, pack_stars, owed_stars]).toEqual([100, 200, 0]);
    expect(next_expiry?.at).toBe(dayText(181));
  });
});

test.each([
  ['unknown_payment', reversed({}, 'r', 'in_2'), 900],
  ['unknown_amount', reversed({ amount: 5 }), undefined],
])('%s', (refusal, cause, amount) => {
  const { payments } = new Played().at(0, bought(0, 31, 100, 'in_1', 900));
  const payment = { ...payments.get('in_1')!, amount };
  const related = reversedEventOf(cause) === 'in_1' ? { payment } : {};
  expect(apply(begun().wallet, cause, day(1), related)).toBe(refusal);
});

describe('what is reversed after its months', () => {
  test.each([7, 14, 31])('is owed as it was given: of a month of %i days, all', (days) => {
    const played = new Played().at(0, bought(0, days, 100));
    expect(played.at(45, reversed({ claw_back: true })).wallet.owed_stars).toBe(100);
  });

  test('is nothing where it gave nothing, as no month ran', () => {
    const unserved = new Played().at(60, bought(0, 31, 100));
    expect(unserved.at(61, reversed({ claw_back: true })).wallet.owed_stars).toBe(0);
  });

  test('comes to the same where it is told again by another source', () => {
    const twice = begun()
      .at(2, reversed())
      .at(3, bought(3, 34, 100, 'in_2'));
    const stars = twice.stars;
    expect(twice.at(4, reversed({ claw_back: true }, 'r2')).stars).toBe(stars);
  });
});

test('a subscription whose trial was reversed makes room for another one', () => {
  const trial = paid([line(0, 14, 100, { tier: 'pro', trial: true })], {
    event_id: 'in_1',
    subscription_id: 'a',
  });
  const next = paid([line(2, 33, 300, { tier: 'pro' })], {
    event_id: 'in_2',
    subscription_id: 'b',
  });
  expect(() => new Played().at(0, trial).at(2, next)).toThrow();
  expect(new Played().at(0, trial).at(1, reversed()).at(2, next).stars).toBe(300);
});

test('a refund that fails gives the lines again, also where another subscription took their place', () => {
  const of = (subscription_id: string, event_id: string, from: number, until: number, n: number) =>
    paid([line(from, until, n, { tier: 'pro' })], { event_id, subscription_id });
  const played = new Played()
    .at(0, of('a', 'in_1', 0, 90, 100))
    .at(5, reversed())
    .at(10, of('b', 'in_2', 10, 41, 300));
  expect(played.stars).toBe(300);
  played.at(11, reversed({ source: 'r', amount: 0, occurred_at: dayText(11) }, 'r2'));
  // Of the ten days before, 32 stars come back, too.
  expect([played.balance(11).monthly_stars, played.balance(11).pack_stars]).toEqual([400, 32]);
  expect(played.at(12, reversed({}, 'r3')).balance(12).monthly_stars).toBe(300);
});

describe('a month that has stars again, as a refund fails', () => {
  const refunded = (played: Played, n: number) => played.at(n, reversed({}, 'r', 'in_2'));
  const fails = (n: number) =>
    reversed({ source: 'r', amount: 0, occurred_at: dayText(n) }, 'r2', 'in_2');

  test.each([31, 31.5, 37.9, 40])('begins, also within the grace of the last one: day %d', (n) => {
    const first = paid([line(0, 31, 100)], { grace_minutes: 10_080 });
    const played = new Played().at(0, first, spend(30), bought(31, 59, 300, 'in_2'));
    refunded(played, 20).at(n, fails(n));
    expect(played.stars).toBe(300);
    expect(played.last.entry.monthly_lapsed).toBe(n < 38 ? 70 : 0);
    expect(played.balance(58).monthly_stars).toBe(300);
    expect(played.at(66.5).stars).toBe(0);
  });

  test('ends the month that runs, and all of its days come', () => {
    // The year was credited from day 10 on, when the other month would have begun.
    const year = paid([line(0, 365, 310), proration(10, 365, -310)]);
    const played = new Played().at(0, year, bought(10, 41, 310, 'in_2'));
    refunded(played, 5).at(12, fails(12));
    expect([played.stars, played.wallet.month?.from]).toEqual([310, day(10)]);
    expect(played.balance(12).next_grant).toBeNull();
    expect([played.at(40).stars, played.at(41).stars]).toEqual([310, 0]);
  });
});

test.each([
  ['is over', 32, undefined],
  ['is over, and another runs', 32, bought(31, 59, 100, 'in_2')],
])('what is owed of a hold stays owed once the month %s', (_, n, next) => {
  const held = begun().at(30, holdLong(60)).at(30, reversed());
  expect(held.stars).toBe(-60);
  const owed = held.at(31, ...(next ? [next] : [])).stars;
  expect(owed).toBe(next ? 40 : -60);
  expect(held.at(n, reversed({}, 'r2')).stars).toBe(owed);
});

test('what holds have of an earlier month is not owed', () => {
  const played = begun()
    .at(30, holdLong(40))
    .at(31, bought(31, 59, 100, 'in_2'), spend(100));
  played.at(32, reversed({}, 'r', 'in_2'));
  expect([played.wallet.owed_stars, played.wallet.monthly_stars]).toEqual([0, 40]);
});

test('a reversal of a line that was over changes no month that began before it was', () => {
  const late = bought(29, 57, 100, 'in_2');
  const played = begun(100).at(33, late, reversed({ amount: 450 }));
  expect([played.stars, played.balance(33).monthly_grant_stars]).toEqual([100, 100]);
});

test('a month to come that is reversed until nothing is left of it ends no month that runs', () => {
  const next = bought(10, 41, 100, 'in_2');
  const played = begun().at(1, next, paid([line(10, 41, -80, { proration: true })]));
  const told = () => [played.stars, played.balance(1).monthly_grant_stars];
  expect(told()).toEqual([100, 100]);
  played.at(1, reversed({ source: 's' }, 'r', 'in_2'));
  expect(told()).toEqual([45, 45]);
  const failed = { source: 's', amount: 0, occurred_at: dayText(1) };
  played.at(1, reversed(failed, 'r2', 'in_2'));
  expect(told()).toEqual([100, 100]);
});

test('a tier that is over does not come back with a reversal', () => {
  const week = paid([line(0, 7, 500, { tier: 'max', proration: true })], { event_id: 'in_2' });
  const played = new Played().at(0, bought(0, 62, 100), week).at(62, reversed({}, 'r', 'in_2'));
  expect(played.balance(62).subscription?.tier).toBe('pro');
});
