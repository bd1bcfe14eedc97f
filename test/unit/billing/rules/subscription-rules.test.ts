import { describe, expect, test } from 'vitest';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import { mostLines } from '../../../../lib/billing/terms/refusals.ts';
import { day, dayText, line, Played, paid, proration, spend, switched } from './played.ts';
import { event, plan } from './wallets.ts';

// What events of subscriptions do to a wallet. Months by the clock: months-by-clock.test.ts.

const january = line(0, 31, 100);
const upgrade = (n: number, from = 100, to = 300) => switched(n, 31, from, to);

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

  test('five times from a month to a year and back within eleven days gives what the days are worth', () => {
    const played = new Played();
    let spent = 0;
    const spendAll = (n: number) => {
      const { stars } = played;
      if (stars <= 0) return;
      played.at(n, spend(stars));
      spent += stars;
    };
    let until = 0;
    for (let n = 0; n <= 10; n++) {
      const credit = n > 0 ? [proration(n, until, -100)] : [];
      until = n % 2 === 0 ? n + 31 : n + 365;
      played.at(n, paid([...credit, line(n, until, 100)]));
      spendAll(n);
    }
    expect(played.stars).toBe(0);
    // The month that runs has 100. Each of ten days was worth 3.2 stars, of which 3 stay as its month ends.
    expect(spent).toBe(130);
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
      ends.add(JSON.stringify({ ...wallet, subscription: undefined, months: undefined }));
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
      subscription: { tier: 'of-100', status: 'active', current_period_end: dayText(31) },
    });
    const played = withGrace().at(1, paid([line(31, 59, 300)]));
    expect(played.balance(2)).toMatchObject({
      monthly_lapse_at: dayText(31),
      next_grant: { at: dayText(31), stars: 300 },
      subscription: { tier: 'of-100', current_period_end: dayText(59) },
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
    expect([played.stars, played.last.unserved]).toEqual([200, false]);
    const none = new Played().at(32, paid([january]));
    expect([none.stars, none.last.unserved]).toEqual([0, true]);
  });
});

describe('prorations of a period that is not paid', () => {
  const upgrade = paid(switched(40, 59, 100, 300));
  const unserved = (played: Played) => {
    const { stars, last } = played;
    return [stars, last.unserved];
  };

  test('give nothing, and are unserved: also within grace', () => {
    expect(unserved(new Played().at(0, paid([january])).at(40, upgrade))).toEqual([0, true]);
    const inGrace = () => new Played().at(0, paid([january], { grace_minutes: 10_080 }));
    const early = paid(switched(32, 59, 100, 300));
    expect(unserved(inGrace().at(32, early))).toEqual([100, true]);
    expect(unserved(inGrace().at(30, early))).toEqual([100, false]);
  });

  test('give their stars once it is paid, and a credit is never unserved', () => {
    const played = new Played().at(40, upgrade, paid([line(31, 59, 100)]));
    expect(unserved(played)).toEqual([235, false]);
    expect(unserved(new Played().at(40, paid([proration(40, 59, -100)])))).toEqual([0, false]);
    expect(unserved(new Played().at(40, paid([line(59, 90, 100)]), upgrade))).toEqual([0, false]);
  });
});

describe('by hand', () => {
  const period = (fields: object) => event({ type: 'subscription.paid', tier: 'pro', ...fields });

  test('seats, and the period after the last one', () => {
    const played = new Played().at(0, period({ period_end: dayText(31), quantity: 3 }));
    expect(played.stars).toBe(300);
    played.at(20, period({ period_end: dayText(59) }));
    expect(played.balance(31)).toMatchObject({ monthly_stars: 100, monthly_grant_stars: 100 });
  });

  test('a period that is told again has what is told', () => {
    const played = new Played().at(0, period({ period_end: dayText(31) }));
    expect(played.at(10, period({ period_end: dayText(31), quantity: 2 })).stars).toBe(200);
    expect(played.at(11, period({ period_end: dayText(31), quantity: 2 })).stars).toBe(200);
    expect(played.at(12, period({ period_end: dayText(31) })).stars).toBe(100);
  });

  test('a period that was credited or refunded whole, and is paid again until the same end, gives its stars', () => {
    const again = period({ event_id: 'in_2', period_end: dayText(31) });
    const refund = event({ type: 'subscription.reversed', event_id: 'r', paid: 'in_1' });
    for (const back of [refund, paid([proration(10, 31, -100)], { event_id: 'c' })]) {
      const played = new Played().at(0, paid([january], { event_id: 'in_1' }), spend(32));
      expect(played.at(10, back).stars).toBe(0);
      // A period that begins now is one short month.
      expect(played.at(12, again).stars).toBe(100);
      expect(played.at(13, again).stars).toBe(100);
    }
  });

  test('a period of another subscription is none that this one was paid for', () => {
    const of = (subscription_id: string) => period({ subscription_id, period_end: dayText(31) });
    const credit = paid([proration(10, 31, -100)], { subscription_id: 'a' });
    const played = new Played().at(0, of('a'), spend(32)).at(10, credit);
    expect(played.at(10, of('b')).stars).toBe(100);
    const inGrace = new Played().at(
      0,
      paid([january], { subscription_id: 'a', grace_minutes: 120 }),
    );
    expect(apply(inGrace.at(31).wallet, of('b'), day(31), { plan })).toBe('period_ended');
  });

  test('the period after a full refund begins now, and else where the paid one ends', () => {
    const refund = event({ type: 'subscription.reversed', event_id: 'r', paid: 'in_1' });
    const begun = () => new Played().at(0, paid([january], { event_id: 'in_1' }));
    const next = period({ event_id: 'in_2', period_end: dayText(41) });
    expect(begun().at(10, refund, next).stars).toBe(100);
    expect(begun().at(10, next).balance(10).next_grant?.at).toBe(dayText(31));
  });

  test('the period that is paid within grace begins where the last one ended', () => {
    const played = new Played().at(0, paid([january], { grace_minutes: 10_080 }));
    played.at(33, period({ period_end: dayText(59) }));
    expect(played.wallet.month).toMatchObject({ from: day(31), until: day(59) });
  });

  test('the period that is paid after a credit begins now', () => {
    const played = new Played().at(0, paid([january])).at(10, paid([proration(10, 31, -100)]));
    played.at(20, period({ period_end: dayText(51) }));
    expect(played.wallet.month).toMatchObject({ from: day(20), until: day(51) });
  });
});

describe('a month that another one cuts short', () => {
  test('keeps what its time is worth: what it gave beyond is taken, and is owed where it was spent', () => {
    const cut = (spent: number) => {
      const played = new Played().at(0, paid([january]));
      if (spent > 0) played.at(1, spend(spent));
      return played.at(10, paid([line(10, 41, 300)]));
    };
    // Ten days are worth 32. The other line gives its stars of this month to the one that begins: 300, and 67 of 21 days.
    expect(cut(0).last.entry).toMatchObject({ monthly_change: 299, monthly_lapsed: 32 });
    expect(cut(0).stars).toBe(367);
    expect(cut(32).stars).toBe(367);
    expect(cut(100).stars).toBe(367 - 68);
  });

  test('where the rest of it is credited, gives neither more nor less', () => {
    const played = new Played().at(0, paid([january]));
    played.at(10, paid([proration(10, 31, -100), line(10, 41, 300)]));
    expect(played.stars).toBe(300);
  });

  test('goes on with its rest where the other one is over first', () => {
    const played = new Played().at(0, paid([january])).at(10, paid([line(10, 17, 70)]));
    // A week is a short month: the other line counts in it as in any month.
    expect(played.stars).toBe(70 + 100);
    expect(played.balance(16).next_grant).toEqual({ at: dayText(17), stars: 45 });
  });

  test('may lack stars: they come with the next grant, and the balance knew it', () => {
    // The month has 100 − 98, but its ten days are worth 32 − 5. The next one has 500 + 67 − 93.
    const played = new Played().at(0, paid([january, proration(9, 31, -138), line(10, 41, 500)]));
    const next_grant = { at: dayText(10), stars: 25 + 474 };
    expect(played.balance(1)).toMatchObject({ monthly_stars: 2, next_grant });
    expect(played.balance(10).monthly_stars).toBe(next_grant.stars);
  });
});

describe('a month that runs', () => {
  const credited = () =>
    new Played().at(0, paid([january])).at(25, paid([proration(25, 31, -100)]));

  test('has what a period gives that is over, and is paid late', () => {
    expect(credited().stars).toBe(80);
    // The day is worth 3 stars, and no month of its own begins.
    expect(credited().at(26, paid([line(23, 24, 100)])).stars).toBe(83);
  });

  test('is ended by no period that was credited whole, and keeps what was credited of itself', () => {
    for (const from of [25, 28]) {
      const nothing = [line(from, 59, 300), proration(from, 59, -300)];
      for (const n of [26, 28, 29]) expect(credited().at(n, paid(nothing)).stars).toBe(80);
    }
  });

  test('has a part that is of it, whenever that begins', () => {
    const part = line(10, 31, 100, { part: true });
    const played = new Played().at(0, paid([january, part]));
    expect([played.stars, played.balance(0).next_grant]).toEqual([167, null]);
    expect(new Played().at(0, paid([january])).at(12, paid([part])).stars).toBe(167);
    expect(played.at(12).stars).toBe(167);
  });

  test('and was cut by a week gives nothing twice, once the week is over', () => {
    const week = [proration(10, 31, -100), line(10, 17, 70)];
    const played = new Played().at(0, paid([january])).at(10, paid(week));
    expect(played.at(18).stars).toBe(0);
    expect(played.at(18, paid([proration(18, 31, 0)])).stars).toBe(0);
    const trial = new Played().at(0, paid([line(0, 14, 50, { trial: true })]));
    expect(trial.at(7, paid([line(7, 10, 30)])).at(11, paid([proration(11, 14, 0)])).stars).toBe(0);
  });
});

test('a month that has nothing at its beginning does not begin later, for what is left of it', () => {
  const nothing = [january, proration(0, 10, -1000)];
  const played = new Played().at(9, paid(nothing));
  expect(played.wallet.month).toBeUndefined();
  expect(played.balance(9).next_grant).toBeNull();
  expect(new Played().at(9, paid([...nothing, line(20, 51, 50)])).balance(9).next_grant?.at).toBe(
    dayText(20),
  );
});

test('a trial is one month with all of its stars, and a subscription that begins in it ends it', () => {
  const trial = line(0, 14, 50, { trial: true });
  expect(new Played().at(0, paid([trial])).stars).toBe(50);
  expect(new Played().at(0, paid([trial])).at(14).stars).toBe(0);
  const begun = new Played().at(0, paid([trial])).at(7, paid([line(7, 38, 100)]));
  expect([begun.stars, begun.last.entry.monthly_lapsed]).toEqual([100, 50]);
  const late = new Played().at(20, paid([trial]));
  expect([late.stars, late.last.unserved]).toEqual([0, false]);
});

test('more credited than is there is owed, and never a grant below 0', () => {
  const played = new Played().at(0, paid([january])).at(1, paid([proration(1, 31, -900)]));
  expect([played.stars, played.balance(1).monthly_grant_stars]).toEqual([0, 0]);
  const spent = new Played()
    .at(0, paid([january]), spend(100))
    .at(1, paid([proration(1, 31, -900)]));
  expect(spent.stars).toBe(-100);
});

describe('other subscriptions', () => {
  const of = (subscription_id: string, ...lines: object[]) => paid(lines, { subscription_id });
  const begun = () => new Played().at(0, of('a', january));
  const refused = (played: Played, n: number, cause = of('b', line(n, n + 31, 300))) =>
    apply(played.at(n).wallet, cause, day(n));

  test('of two that overlap, the first to come has the wallet', () => {
    expect(refused(begun(), 30)).toBe('other_subscription');
    expect(begun().at(31, of('b', line(31, 59, 300))).stars).toBe(300);
  });

  test('another one may follow within grace, or after a credit of all that is left', () => {
    const inGrace = new Played().at(
      0,
      paid([january], { subscription_id: 'a', grace_minutes: 120 }),
    );
    expect(inGrace.at(31.01, of('b', line(31, 59, 300))).stars).toBe(300);
    const credited = begun().at(10, of('a', proration(10, 31, -100)));
    expect(credited.stars).toBe(32);
    expect(credited.at(11, of('b', line(11, 42, 300))).stars).toBe(300);
    const inPart = begun().at(10, of('a', proration(10, 30, -100)));
    expect(refused(inPart, 11)).toBe('other_subscription');
  });

  test('another one gets all that was paid for it, also where the former was credited more than it had', () => {
    const over = begun().at(10, of('a', proration(10, 31, -125)));
    // Of the former's month, 20 days are worth 24. What it lacks comes with the next grant.
    expect(over.stars).toBe(15);
    expect(over.at(20, of('b', line(20, 51, 300))).stars).toBe(300 + 9);
    const year = begun().at(10, of('a', proration(10, 365, -100)));
    year.at(20, of('b', line(20, 385, 300)));
    expect([40, 100, 200, 370].map((n) => year.at(n).stars)).toEqual([300, 300, 300, 300]);
  });

  test('another one begins before now, and what was paid for the former until now comes, too', () => {
    const credited = begun().at(10, of('a', proration(10, 31, -100)));
    expect(credited.at(12, of('b', line(9, 40, 300))).stars).toBe(300 + 3);
  });

  test('what is paid until a credit begins is paid', () => {
    const later = begun().at(5, of('a', proration(10, 31, -100)));
    expect(refused(later, 9)).toBe('other_subscription');
    expect(refused(later, 10)).toBeTypeOf('object');
  });

  test('one that takes over keeps the grace that was told, until another is', () => {
    const had = () =>
      new Played().at(0, paid([january], { subscription_id: 'a', grace_minutes: 120 }));
    const lapseAt = (more: object) =>
      had()
        .at(31.01, paid([line(31, 59, 300)], { subscription_id: 'b', ...more }))
        .balance(32).monthly_lapse_at;
    expect(lapseAt({})).toBe(dayText(59 + 2 / 24));
    expect(lapseAt({ grace_minutes: 60 })).toBe(dayText(59 + 1 / 24));
  });

  test('a trial that runs is one that overlaps', () => {
    const trial = new Played().at(0, of('a', line(0, 14, 50, { trial: true })));
    expect(refused(trial, 13)).toBe('other_subscription');
    expect(refused(trial, 14)).toBeTypeOf('object');
  });

  test('a late status of a former one changes nothing, and one of an unknown waits', () => {
    const status = (subscription_id?: string) =>
      event({ type: 'subscription.canceled', ...(subscription_id && { subscription_id }) });
    const second = begun().at(31, of('b', line(31, 59, 300)));
    expect(second.at(32, status('a')).balance(32).subscription).toMatchObject({ status: 'active' });
    expect(refused(second, 32, status('c'))).toBe('other_subscription');
    expect(apply(new Played().wallet, status(), day(0))).toBe('no_subscription');
    expect(second.at(32, status()).balance(32).subscription).toMatchObject({ status: 'canceled' });
    // It was paid, so it has its stars. Its status stays.
    const paidLater = second.at(40, of('b', line(59, 90, 300)));
    expect(paidLater.balance(59)).toMatchObject({
      monthly_stars: 300,
      subscription: { status: 'canceled' },
    });
  });
});

describe('a status', () => {
  const told = (status: string, n?: number) =>
    event({
      type: 'subscription.changed',
      status,
      ...(n !== undefined && { occurred_at: dayText(n) }),
    });
  const statusAfter = (...causes: Parameters<Played['at']>[1][]) => {
    const { wallet } = new Played().at(0, paid([january])).at(9, ...causes);
    return wallet.subscription?.status;
  };

  test('is active until one is told, and gives and takes nothing', () => {
    expect(statusAfter()).toBe('active');
    expect(new Played().at(0, paid([january]), told('unpaid', 1)).stars).toBe(100);
  });

  test('that is told late changes nothing, and of one moment has a rank', () => {
    expect(statusAfter(told('past_due', 3), told('active', 2))).toBe('past_due');
    expect(statusAfter(told('past_due', 3), told('active', 4))).toBe('active');
    const ranked = ['canceled', 'paused', 'unpaid', 'past_due', 'active', 'trialing', 'odd'];
    for (const [i, before] of ranked.entries()) {
      for (const after of ranked.slice(i + 1)) {
        expect(statusAfter(told(before, 3), told(after, 3))).toBe(before);
        expect(statusAfter(told(after, 3), told(before, 3))).toBe(before);
      }
    }
  });
});

describe('what is told of a subscription', () => {
  const toldOf = (...events: object[][]) => {
    const played = new Played().at(0, ...events.map((lines) => paid(lines)));
    return played.balance(1).subscription;
  };

  test('has the tier of the line that begins last, then of more stars, then by name, in any order', () => {
    const named = (tier: string, stars: number, from = 0) => line(from, 31, stars, { tier });
    for (const [wanted, ...lines] of [
      ['later', named('early', 300, -1), named('later', 100)],
      ['more', named('less', 100), named('more', 101)],
      ['a', named('b', 100), named('a', 100)],
    ] as const) {
      for (const order of [lines, lines.toReversed()]) {
        expect(toldOf(...order.map((one) => [one]))?.tier).toBe(wanted);
        expect(toldOf(order)?.tier).toBe(wanted);
      }
    }
  });

  test('has the end of the period that begins last, which neither a proration nor a credit moves', () => {
    const endAfter = (...lines: object[]) => toldOf([january], lines)?.current_period_end;
    expect(endAfter(line(1, 20, 100))).toBe(dayText(20));
    expect(endAfter(proration(0, 90, 50))).toBe(dayText(31));
    expect(endAfter(proration(0, 90, -50))).toBe(dayText(31));
    expect(endAfter(line(0, 90, -50))).toBe(dayText(31));
    expect(endAfter(line(31, 59, 100))).toBe(dayText(59));
    expect(toldOf([proration(0, 90, 50)], [january])?.current_period_end).toBe(dayText(31));
    const after = new Played().at(0, paid([january])).at(40, paid([proration(35, 60, 50)]));
    expect(after.balance(40).subscription?.current_period_end).toBe(dayText(31));
  });

  test('has the end of the last line before any period, in any order', () => {
    const [early, late] = [[proration(0, 20, 100)], [proration(0, 30, 100)]];
    expect(toldOf(early, late)?.current_period_end).toBe(dayText(30));
    expect(toldOf(late, early)?.current_period_end).toBe(dayText(30));
    expect(toldOf(late, [line(0, 10, 100)])?.current_period_end).toBe(dayText(10));
  });
});

describe('limits', () => {
  const many = (count: number) => Array.from({ length: count }, () => line(31, 59, 1));

  test('a wallet has 50 lines that are not over, whatever was reversed of them', () => {
    const full = new Played().at(0, paid(many(mostLines - 1)), paid(many(1)));
    expect(full.balance(31).monthly_grant_stars).toBe(mostLines);
    expect(apply(full.wallet, paid(many(1)), day(31))).toBe('too_many_lines');
    expect(apply(full.wallet, paid(many(1)), day(59))).toBeTypeOf('object');
    const reversed = new Played().at(0, paid(many(mostLines - 1), { event_id: 'in_1' }));
    reversed.at(1, event({ type: 'subscription.reversed', event_id: 'r', paid: 'in_1' }));
    expect(reversed.at(2, paid(many(1))).balance(31).monthly_grant_stars).toBe(1);
  });

  test.each([
    ['unknown_plan', { tier: 'none' }, undefined],
    ['period_ended', { period_end: dayText(0) }, plan],
    ['too_many_stars', { quantity: 1_000_000 }, { ...plan, monthly_grant_stars: 1_000_001 }],
    ['period_too_long', { period_end: dayText(3653.01) }, plan],
  ])('a period is refused: %s', (refusal, fields, plan) => {
    const told = { type: 'subscription.paid', tier: 'pro', period_end: dayText(3653), ...fields };
    expect(apply(new Played().wallet, event(told), day(0), { plan })).toBe(refusal);
  });
});
