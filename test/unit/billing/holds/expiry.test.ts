import { afterEach, describe, expect, test, vi } from 'vitest';
import { applyEvent } from '../../../../lib/billing/apply-event.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import {
  apply,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from '../in-process-wallet.ts';
import { at, balanceOf, captured, held, named, released, typesOf } from './in-process-holds.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a hold that expires', () => {
  test('counts as returned at once, and is written off by the next change, at its own time', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    const one = named(organization);
    await held(one, 30, 1);
    expect((await balanceOf(organization)).available_stars).toBe(70);
    at(now + 1000);
    expect(await balanceOf(organization)).toMatchObject({ held_stars: 0, available_stars: 100 });
    expect((await walletOf(organization))?.open_holds).toBe(1);
    at(now + 5000);
    expect((await apply(spend(organization, 100))).refusal).toBeUndefined();
    const [, , expired, spent] = await historyOf(organization);
    expect(expired).toMatchObject({
      type: 'hold.expired',
      event_id: one.hold_id,
      at: new Date(now + 1000).toISOString(),
      held_change: -30,
    });
    expect(spent).toMatchObject({ type: 'stars.spent', at: new Date(now + 5000).toISOString() });
  });

  test('holds for environments whose clocks differ by 2 s: the one that is behind sees it expired', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    const one = named(organization);
    at(now);
    await held(one, 30, 3);
    // The clock that is ahead writes it off; the other one is a second before the expiry.
    at(now + 4000);
    await apply(spend(organization, 1));
    at(now + 2000);
    expect((await failure(captured(one)))?.code).toBe('hold_expired');
    expect(await balanceOf(organization)).toMatchObject({
      held_stars: 0,
      as_of: new Date(now + 4000).toISOString(),
    });
    await apply(spend(organization, 1));
    expectSoundLedger(await historyOf(organization));
    // A hold that it makes then starts at the wallet's time.
    const { expires_at } = await held(named(organization), 1, 3);
    expect(expires_at).toBe(new Date(now + 7000).toISOString());
  });

  test('and was told so has ended, also for a clock that is behind, and what was captured has not', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    const [one, two] = [named(organization), named(organization)];
    at(now);
    await held(one, 30, 3);
    await held(two, 20, 3);
    at(now + 2999);
    const whole = await captured(two);
    for (const time of [now + 4000, now + 2000]) {
      at(time);
      expect((await failure(captured(one)))?.code).toBe('hold_expired');
      expect((await failure(released(one)))?.code).toBe('hold_expired');
      expect(await captured(two)).toEqual(whole);
    }
  });

  test('is written off by a change for which no time is left, which is not made', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    await held(named(organization), 30, 1);
    at(now + 1000);
    const late = table.during({ deadline: now });
    expect((await failure(applyEvent(late, spend(organization, 1))))?.code).toBe('write_conflict');
    expect((await typesOf(organization)).slice(1)).toEqual(['stars.held', 'hold.expired']);
  });

  test('with others is written off in one search, after which the next expiry is known', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    for (const seconds of [60, 2, 1]) await held(named(organization), 10, seconds);
    at(now + 3000);
    const { table: watched, counts } = watchedTable();
    await applyEvent(watched, spend(organization, 1));
    expect([counts('TransactWrite').length, counts('Query').length]).toEqual([2, 1]);
    expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 60_000);
  });

  test('leaves no search behind: the next expiry is known again after one', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    const [one, two] = [named(organization), named(organization)];
    await held(one, 30, 1);
    await held(two, 20, 60);
    await captured(one);
    at(now + 2000);
    expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 1000);
    await apply(spend(organization, 1));
    expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 60_000);
  });
});
