import { describe, expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { passTime } from '../../../../lib/billing/rules/step.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { event, plan } from './wallets.ts';

/** A day of January 2026, which has 31, or of the months after it. */
const day = (n: number) => Math.round(Date.UTC(2026, 0, 1) + n * 86_400_000);
const iso = (n: number) => new Date(day(n)).toISOString();
const line = (from: number, until: number, stars: number, more = {}) => ({
  from: iso(from),
  until: iso(until),
  monthly_grant_stars: stars,
  ...(stars > 0 && { tier: `of-${stars}` }),
  ...more,
});
const proration = (from: number, until: number, stars: number) =>
  line(from, until, stars, { proration: true });
const paid = (lines: object[], more = {}) => event({ type: 'subscription.paid', lines, ...more });
const spend = (stars: number) => event({ type: 'stars.spent', stars });

/** A wallet whose clock is moved. */
class Played {
  wallet: Wallet = { ...emptyWallet, at: day(0), opened_at: day(0) };
  readonly types: string[] = [];
  unserved = false;

  at(n: number, ...causes: Cause[]): this {
    for (const step of passTime(this.wallet, { expired: [] }, day(n))) {
      this.wallet = step.wallet;
      this.types.push(step.entry.type);
    }
    for (const cause of causes) {
      const result = apply(this.wallet, cause, day(n), { plan });
      if (typeof result === 'string') throw new Error(result);
      this.wallet = result.wallet;
      this.unserved = result.unserved;
      this.types.push(cause.type);
    }
    return this;
  }

  /** The stars that can be spent, less those that are owed. */
  get stars(): number {
    const { available_stars, owed_stars } = toBalance(this.wallet, this.wallet.at);
    return available_stars - owed_stars;
  }

  balance(n: number) {
    return toBalance(this.at(n).wallet, day(n));
  }
}

const january = line(0, 31, 100);
const upgrade = (n: number, from = 100, to = 300) => [
  proration(n, 31, -from),
  proration(n, 31, to),
];

describe('stars follow what was paid', () => {
  test('a month, and then nothing', () => {
    const played = new Played().at(0, paid([january]));
    expect(played.stars).toBe(100);
    expect(played.at(30.9).stars).toBe(100);
    expect(played.at(31).stars).toBe(0);
    expect(played.types).toEqual(['subscription.paid', 'stars.lapsed']);
  });

  test.each([
    ['half way', 15.5, 200],
    ['on the last day', 30, 106],
  ])('an upgrade %s', (_, n, stars) => {
    expect(new Played().at(0, paid([january])).at(n, paid(upgrade(n))).stars).toBe(stars);
  });

  test('up half way, all spent, and down again is owed', () => {
    const played = new Played().at(0, paid([january])).at(15.5, paid(upgrade(15.5)), spend(200));
    played.at(20, paid(upgrade(20, 300, 100)));
    expect(played.stars).toBe(-71);
    expect(played.at(31, paid([line(31, 59, 100)])).stars).toBe(29);
  });

  test('a month, a year, a month … within eleven days gives what the days are worth', () => {
    const played = new Played().at(0, paid([january]));
    let spent = 0;
    const spendAll = () => {
      const { stars } = played;
      if (stars > 0) played.at((played.wallet.at - day(0)) / 86_400_000, spend(stars));
      spent += Math.max(0, stars);
    };
    spendAll();
    for (let [n, until] = [1, 31]; n <= 10; n++) {
      const next = n % 2 === 1 ? n + 365 : n + 31;
      played.at(n, paid([proration(n, until, -100), line(n, next, 100)]));
      spendAll();
      until = next;
    }
    expect(played.stars).toBeLessThanOrEqual(0);
    // Ten days are worth 32 stars, and each change rounds down once.
    expect(spent).toBe(130);
  });

  test('a year is twelve times a hundred, by the clock', () => {
    const played = new Played().at(0, paid([line(0, 365, 100)]));
    const months = Array.from(
      { length: 12 },
      (_, k) => (Date.UTC(2026, k, 1) - day(0)) / 86_400_000,
    );
    for (const n of months) expect(played.at(n).stars).toBe(100);
    expect(played.at(365).stars).toBe(0);
    expect(played.types.filter((type) => type === 'stars.granted')).toHaveLength(11);
    const untouched = new Played().at(0, paid([line(0, 365, 100)])).at(365);
    expect(untouched.wallet).toEqual(played.wallet);
  });

  test('prorations that come with the next invoice come late', () => {
    const played = new Played().at(0, paid([january], { grace_minutes: 120 }));
    const late = [...upgrade(10), line(31, 59, 300)];
    expect(played.at(31.05, paid(late)).stars).toBe(435);
  });

  test('the first part up to an anchor', () => {
    const part = line(19, 31, 100, { proration: true, part: true });
    expect(new Played().at(19, paid([part])).stars).toBe(38);
  });

  test('invoices of one day end alike in any order', () => {
    const t = (minutes: number) => minutes / 1440;
    const events = [
      paid([line(0, 31, 100)]),
      paid([proration(t(5), 31, -100), proration(t(5), 31, 300)]),
      paid([proration(t(10), 31, -300), line(t(10), 365 + t(10), 500)]),
      paid([proration(t(15), 365 + t(10), -500), line(t(15), 31 + t(15), 100)]),
    ];
    const ends = new Set<string>();
    for (let i = 0; i < 24; i++) {
      const order = [...events];
      const sorted = [0, 0, 0, 0].map((_, k) => order.splice((i >> k) % order.length, 1)[0]!);
      const { wallet } = new Played().at(t(20), ...sorted);
      ends.add(JSON.stringify({ ...wallet, subscription: undefined }));
    }
    expect([...ends]).toHaveLength(1);
  });
});

describe('around the end of what was paid', () => {
  const withGrace = () => new Played().at(0, paid([january], { grace_minutes: 120 }));

  test('stars stay for the grace, and lapse with the next month', () => {
    expect(withGrace().at(31.05).stars).toBe(100);
    expect(withGrace().at(31.09).stars).toBe(0);
    const renewed = withGrace().at(31.05, paid([line(31, 59, 300)]));
    expect(renewed.stars).toBe(300);
    expect(renewed.types).toEqual(['subscription.paid', 'subscription.paid']);
  });

  test('the balance tells what comes and goes', () => {
    expect(withGrace().balance(1)).toMatchObject({
      monthly_grant_stars: 100,
      monthly_lapse_at: new Date(day(31) + 7_200_000).toISOString(),
      next_grant: null,
      subscription: { tier: 'of-100', status: 'active', current_period_end: iso(31) },
    });
    const played = withGrace().at(1, paid([line(31, 59, 300)]));
    expect(played.balance(2)).toMatchObject({
      monthly_lapse_at: iso(31),
      next_grant: { at: iso(31), stars: 300 },
      subscription: { tier: 'of-100', current_period_end: iso(59) },
    });
    expect(played.balance(31)).toMatchObject({
      monthly_grant_stars: 300,
      next_grant: null,
      subscription: { tier: 'of-300' },
    });
    expect(played.balance(70)).toMatchObject({ monthly_grant_stars: 0, monthly_lapse_at: null });
  });

  test('what is paid late comes while a month runs, and else is unserved', () => {
    const february = line(31, 59, 100);
    const played = new Played().at(32, paid([february])).at(33, paid([january]));
    expect([played.stars, played.unserved]).toEqual([200, false]);
    const none = new Played().at(32, paid([january]));
    expect([none.stars, none.unserved]).toEqual([0, true]);
  });
});

describe('by hand', () => {
  const period = (fields: object) => event({ type: 'subscription.paid', tier: 'pro', ...fields });

  test('seats, and the period after the last one', () => {
    const played = new Played().at(0, period({ period_end: iso(31), quantity: 3 }));
    expect(played.stars).toBe(300);
    played.at(20, period({ period_end: iso(59) }));
    expect(played.balance(31)).toMatchObject({ monthly_stars: 100, monthly_grant_stars: 100 });
  });

  test('a period that is told again has what is told', () => {
    const played = new Played().at(0, period({ period_end: iso(31) }));
    expect(played.at(10, period({ period_end: iso(31), quantity: 2 })).stars).toBe(200);
    expect(played.at(11, period({ period_end: iso(31), quantity: 2 })).stars).toBe(200);
    expect(played.at(12, period({ period_end: iso(31) })).stars).toBe(100);
  });
});
