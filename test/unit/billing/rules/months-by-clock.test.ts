import { describe, expect, test } from 'vitest';
import { emptySubscription } from '../../../../lib/billing/stored/wallet.ts';
import { mostInCompartment } from '../../../../lib/billing/terms/stars.ts';
import { day, dayText, holdLong, line, Played, paid, spend } from './played.ts';
import { adjust, capture, event, refund, release } from './wallets.ts';

// What the clock does: each at its own time, and known before it is written.

/** The beginnings of months of 2026, as days. */
const begins = Array.from({ length: 13 }, (_, k) => (Date.UTC(2026, k, 1) - day(0)) / 86_400_000);
const year = () => new Played().at(0, paid([line(0, 365, 100)]));
const months = (...stars: number[]) => stars.map((one, k) => line(begins[k]!, begins[k + 1]!, one));

describe('a year', () => {
  test('is twelve times a hundred, each at its own time, and then nothing', () => {
    const played = year();
    for (const n of begins.slice(0, 12)) expect(played.at(n).stars).toBe(100);
    expect(played.at(365).stars).toBe(0);
    const granted = played.steps.map(({ entry }) => [entry.type, entry.at]);
    expect(granted).toEqual([
      ['subscription.paid', dayText(0)],
      ...begins.slice(1, 12).map((n) => ['stars.granted', dayText(n)]),
      ['stars.lapsed', dayText(365)],
    ]);
  });

  test('is the same if nobody looks at the wallet meanwhile', () => {
    const seen = year();
    for (const n of begins) seen.at(n);
    expect(year().at(365).wallet).toEqual(seen.wallet);
  });

  test('of which each month is spent in another way', () => {
    const played = year();
    const spent = begins.slice(0, 12).map((n, k) => {
      const stars = 5 * k;
      if (stars > 0) played.at(n, spend(stars, `s${k}`));
      return stars;
    });
    played.at(365);
    const given = played.steps.reduce((sum, { entry }) => sum + Math.max(0, entry.stars), 0);
    const lapsed = played.steps.reduce((sum, { entry }) => sum + entry.monthly_lapsed, 0);
    expect(given).toBe(1200);
    expect(lapsed).toBe(1200 - spent.reduce((sum, one) => sum + one, 0));
  });

  test.each([
    ['the 31st of January', '2026-01-31T10:00:00Z', ['02-28', '03-31', '04-30', '05-31']],
    ['the 29th of February', '2028-02-29T10:00:00Z', ['03-29', '04-29', '05-29', '06-29']],
    [
      'the 31st of January of a leap year',
      '2028-01-31T10:00:00Z',
      ['02-29', '03-31', '04-30', '05-31'],
    ],
  ])('from %s on', (_, from, wanted) => {
    const start = (Date.parse(from) - day(0)) / 86_400_000;
    const until = `${Number(from.slice(0, 4)) + 1}${from.slice(4)}`.replace('02-29', '02-28');
    const all = { from, until, monthly_grant_stars: 100, tier: 'pro' };
    const played = new Played().at(start, paid([all])).at(start + 367);
    const granted = played.steps.filter(({ entry }) => entry.type === 'stars.granted');
    expect(granted).toHaveLength(11);
    expect(granted.slice(0, 4).map(({ entry }) => entry.at)).toEqual(
      wanted.map((text) => `${from.slice(0, 4)}-${text}T10:00:00.000Z`),
    );
    expect(granted.every(({ entry }) => entry.monthly_change === 100)).toBe(true);
  });
});

describe('as a month begins', () => {
  test('the entry tells what lapsed and what came, and the balance knew it before', () => {
    const played = new Played().at(0, paid(months(100, 300))).at(3, spend(30));
    expect(played.balance(30)).toMatchObject({
      monthly_grant_stars: 100,
      monthly_lapse_at: dayText(31),
      next_grant: { at: dayText(31), stars: 300 },
      subscription: { tier: 'of-100', current_period_end: dayText(59) },
    });
    const { entry } = played.at(31).last;
    expect(entry).toMatchObject({
      ...{ type: 'stars.granted', at: dayText(31), event_id: null },
      ...{ monthly_lapsed: 70, monthly_change: 300, monthly_after: 300, stars: 300 },
    });
    expect(played.balance(31)).toMatchObject({
      next_grant: null,
      subscription: { tier: 'of-300' },
    });
  });

  test('what is owed is paid first, and the entry says so', () => {
    const played = new Played({ owed_stars: 40 }).at(0, paid(months(30, 100)));
    expect(played.balance(30)).toMatchObject({ owed_stars: 10, monthly_stars: 0 });
    expect(played.at(31).last.entry).toMatchObject({
      ...{ monthly_lapsed: 0, monthly_change: 90, owed_change: -10, stars: 100 },
    });
  });

  test('no alert is told between lapse and grant, but one where the grant is smaller', () => {
    const alerts = (...stars: number[]) =>
      new Played({ thresholds: [80] }).at(0, paid(months(...stars))).at(31).last.notices;
    expect(alerts(100, 100)).toEqual([]);
    expect(alerts(100, 81)).toEqual([]);
    expect(alerts(100, 80)).toEqual([{ type: 'stars.low', threshold: 80, available_stars: 80 }]);
    expect(alerts(100)).toContainEqual({ type: 'stars.depleted' });
  });

  test('the grant is cut at what a wallet can hold, and never refused', () => {
    const held = { monthly: mostInCompartment - 40, pack: 0 };
    const full = new Played({
      monthly_stars: mostInCompartment - 40,
      held,
      open_holds: 1,
      subscription: { ...emptySubscription, lines: [] },
    });
    const played = full.at(0, paid(months(30, 100))).at(31);
    expect(played.last.entry).toMatchObject({ type: 'stars.granted', monthly_change: 40 });
    expect(played.wallet.monthly_stars).toBe(mostInCompartment);
  });
});

describe('what a hold has of a month', () => {
  const holding = (grace_minutes: number) =>
    new Played().at(0, paid(months(100, 100), { grace_minutes }), holdLong(60));

  test('stays while it is held, beside the next grant', () => {
    const { wallet, last } = holding(0).at(31);
    expect(last.entry).toMatchObject({ monthly_lapsed: 40, monthly_change: 100 });
    expect([wallet.monthly_stars, wallet.held.monthly]).toEqual([160, 60]);
  });

  test('is free again in its month, lapses in the next one, and is never given twice', () => {
    expect(holding(0).at(30, release).stars).toBe(100);
    const next = holding(0).at(32, release);
    expect([next.stars, next.last.entry.monthly_lapsed]).toEqual([100, 60]);
    expect(holding(0).at(32, capture(20)).last.entry).toMatchObject({
      ...{ monthly_change: -20, monthly_lapsed: 40, monthly_after: 100 },
    });
  });

  test.each([
    ['within grace is free until that ends', 31.05, 100, 0],
    ['after grace lapses', 31.09, 0, 60],
  ])('and released %s', (_, n, stars, lapsed) => {
    const last = new Played().at(0, paid(months(100), { grace_minutes: 120 }), holdLong(60));
    last.at(n, release);
    expect([last.stars, last.last.entry.monthly_lapsed]).toEqual([stars, lapsed]);
    expect(last.at(31.1).stars).toBe(0);
  });

  test('refunded while its month runs is there again, and in the next one is lost', () => {
    const spent = () => new Played().at(0, paid(months(100, 100)), spend(60));
    expect(spent().at(30, refund(60)).stars).toBe(100);
    const next = spent().at(31, refund(60));
    expect(next.stars).toBe(100);
    expect(next.last.entry.lost).toMatchObject([{ compartment: 'monthly', stars: 60 }]);
  });
});

describe('a month that has ended, and is paid once more from its beginning', () => {
  const week = () => new Played().at(0, paid([line(0, 7, 100)]));
  const again = paid([line(0, 31, 200)]);

  test('is another one: what was spent in the first is lost to it', () => {
    const spent = () => week().at(1, spend(60));
    expect(spent().at(6, refund(60)).stars).toBe(100);
    const { stars, last } = spent().at(10, again, refund(60));
    expect([stars, last.entry.lost]).toMatchObject([200, [{ compartment: 'monthly', stars: 60 }]]);
  });

  test('has nothing of what holds have of the first', () => {
    const held = () => week().at(1, holdLong(60)).at(10, again);
    expect(held().at(11, release).last.entry.monthly_lapsed).toBe(60);
    const reversed = event({ type: 'subscription.reversed', event_id: 'r', paid: 'e' });
    expect(held().at(11, spend(200), reversed, release).wallet).toMatchObject({
      ...{ owed_stars: 0, held_of_earlier_months: 0, monthly_stars: 0 },
    });
  });
});

describe('grace', () => {
  test('ends with the next payment, or by itself', () => {
    const withGrace = () => new Played().at(0, paid(months(100), { grace_minutes: 120 }));
    expect(withGrace().balance(1).monthly_lapse_at).toBe(dayText(31 + 2 / 24));
    const renewed = withGrace().at(31.05, paid([line(31, 59, 300)]));
    expect(renewed.last.entry).toMatchObject({ monthly_lapsed: 100, monthly_change: 300 });
    expect(withGrace().at(31.09).last.entry).toMatchObject({
      ...{ type: 'stars.lapsed', at: dayText(31 + 2 / 24), monthly_lapsed: 100 },
    });
  });

  test('does not hold up a month that is paid already', () => {
    const played = new Played().at(0, paid(months(100, 300), { grace_minutes: 120 }));
    expect(played.at(31).stars).toBe(300);
  });

  test('takes what comes within it: stars by hand, and a line that is over since', () => {
    const inGrace = () => new Played().at(0, paid(months(100), { grace_minutes: 10_080 })).at(33);
    expect(inGrace().at(33, adjust({ monthly_change: 5 })).stars).toBe(105);
    // A day of 28, in calendar months counted back.
    expect(inGrace().at(33, paid([line(31, 32, 310)])).stars).toBe(110);
    expect(() => new Played().at(33, adjust({ monthly_change: 5 }))).toThrow('no_month');
  });

  test('is as long as it was told last', () => {
    const played = new Played().at(0, paid(months(100), { grace_minutes: 60 }));
    expect(played.at(1, paid([line(31, 59, 100)])).balance(58).monthly_lapse_at).toBe(
      dayText(59 + 1 / 24),
    );
    const shorter = played.at(58, paid([line(58, 59, -1)], { grace_minutes: 0 }));
    expect(shorter.balance(58).monthly_lapse_at).toBe(dayText(59));
  });
});
