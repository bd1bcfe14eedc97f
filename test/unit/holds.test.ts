import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { handler as captureHold } from '../../functions/billing/capture-hold.ts';
import { handler as getBalance } from '../../functions/billing/get-balance.ts';
import { handler as holdStars } from '../../functions/billing/hold-stars.ts';
import { handler as putAlerts } from '../../functions/billing/put-alerts.ts';
import { handler as releaseHold } from '../../functions/billing/release-hold.ts';
import { applyEvent } from '../../lib/billing/apply-event.ts';
import { capture, hold, release } from '../../lib/billing/holds.ts';
import { putLedgerEntry } from '../../lib/billing/ledger.ts';
import { putOpenHold, readOpenHolds } from '../../lib/billing/open-holds.ts';
import { readBalance } from '../../lib/billing/read-balance.ts';
import { mostOpenHolds } from '../../lib/billing/refusals.ts';
import { apply as decide } from '../../lib/billing/rules.ts';
import { toWallet, walletItem } from '../../lib/billing/wallet.ts';
import { walletKey } from '../../lib/table/keys.ts';
import { expectSoundLedger } from '../support/billing.ts';
import { contextFor, Organization, run } from './support.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  soon,
  spend,
  table,
  walletOf,
  withStars,
} from './wallet.ts';

// Holds as they are stored. Time is the tests' own where it matters: only the date, timers are real.

afterEach(() => {
  vi.useRealTimers();
});
const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time });

const limited = () => table.during({ deadline: soon() });
const named = ({ id }: Organization, hold_id: string = randomUUID()) => ({
  organization_id: id,
  hold_id,
});
type Named = ReturnType<typeof named>;
const held = (one: Named, stars: number, expires_in_seconds = 600) =>
  hold(limited(), { ...one, stars, expires_in_seconds });
const captured = (one: Named, stars?: number) => capture(limited(), { ...one, stars });
const released = (one: Named) => release(limited(), one);
const balanceOf = ({ id }: Organization, time?: number) => readBalance(table, id, Date.now(), time);
const typesOf = async (organization: Organization) =>
  (await historyOf(organization)).map(({ type }: { type: string }) => type);

describe('a hold', () => {
  test('takes monthly stars first; what is captured is spent, what is not comes back', async () => {
    const organization = await withStars(40, 25);
    const one = named(organization);
    expect(await held(one, 50)).toMatchObject({
      held: true,
      expires_at: expect.any(String),
      balance: { total_stars: 65, held_stars: 50, available_stars: 15 },
    });
    expect(await captured(one, 45)).toMatchObject({
      captured_stars: 45,
      returned_stars: 5,
      balance: { monthly_stars: 0, pack_stars: 20, held_stars: 0, available_stars: 20 },
    });
    const entries = await historyOf(organization);
    expectSoundLedger(entries);
    expect(entries.slice(1).map(({ event_id }: { event_id: string }) => event_id)).toEqual(
      Array(2).fill(one.hold_id),
    );
  });

  test('is none where there are not enough stars, stores nothing, and may be one later', async () => {
    const organization = await withStars(2, 3);
    const one = named(organization);
    expect(await held(one, 6)).toMatchObject({
      held: false,
      expires_at: null,
      balance: { total_stars: 5, held_stars: 0 },
    });
    expect(await typesOf(organization)).toEqual(['organization.provisioned']);
    expect((await failure(captured(one)))?.code).toBe('invalid_request');
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
    expect((await held(one, 6)).held).toBe(true);
    expect((await apply(spend(organization, 1))).refused).toBe('insufficient_stars');
  });

  test('and each of its ends is answered to a repeat as the first time', async () => {
    const organization = await withStars(0, 100);
    const [one, two] = [named(organization), named(organization)];
    const first = [await held(one, 10), await held(two, 20)];
    const ended = [await captured(one, 4), await released(two)];
    await apply(spend(organization, 50));
    expect([await held(one, 10), await held(two, 20)]).toEqual(first);
    expect([await captured(one, 4), await released(two)]).toEqual(ended);
    expect((await balanceOf(organization)).total_stars).toBe(46);
    expect((await typesOf(organization)).length).toBe(6);
  });

  test('is listed while it is open, with its reason', async () => {
    const organization = await withStars(3, 7);
    const now = Date.now();
    at(now);
    const [one, two] = [named(organization, 'one'), named(organization, 'two')];
    await hold(limited(), { ...one, stars: 4, expires_in_seconds: 9, reason: 'A call' });
    await held(two, 1, 8);
    const monthly = { compartment: 'monthly', stars: 3, expires_at: expect.any(Number) };
    const pack = { compartment: 'pack', stars: 1 };
    expect(await readOpenHolds(table, organization.id)).toEqual([
      { hold_id: 'two', at: now, reason: null, expires_at: now + 8000, parts: [pack] },
      { hold_id: 'one', at: now, reason: 'A call', expires_at: now + 9000, parts: [monthly, pack] },
    ]);
    await released(two);
    expect((await readOpenHolds(table, organization.id)).length).toBe(1);
  });

  test('captured whole is a repeat whether or not its stars are told', async () => {
    const organization = await withStars(0, 10);
    const one = named(organization);
    await held(one, 10);
    const first = await captured(one);
    expect(first).toMatchObject({ captured_stars: 10, returned_stars: 0 });
    expect(await captured(one, 10)).toEqual(first);
  });

  test('ends once: another attempt hears how', async () => {
    const organization = await withStars(0, 100);
    const [one, two] = [named(organization), named(organization)];
    await held(one, 10);
    await held(two, 20);
    await captured(one, 4);
    await released(two);
    expect((await failure(captured(one, 5)))?.code).toBe('already_captured');
    expect((await failure(released(one)))?.code).toBe('already_captured');
    expect((await failure(captured(two)))?.code).toBe('already_released');
    expect((await balanceOf(organization)).total_stars).toBe(96);
  });

  test('has an id that no other hold and no event has', async () => {
    const organization = await withStars(0, 100);
    const one = named(organization);
    await held(one, 10);
    const others = [
      () => held(one, 11),
      () => held(one, 10, 601),
      () => apply(spend(organization, 10, { event_id: one.hold_id })),
    ];
    for (const other of others) expect((await failure(other()))?.code).toBe('event_id_reused');
    const event = spend(organization, 1);
    await apply(event);
    const ofEvent = named(organization, event.event_id);
    expect(await failure(held(ofEvent, 1))).toMatchObject({
      code: 'event_id_reused',
      details: [{ path: 'hold_id' }],
    });
    for (const end of [() => captured(ofEvent), () => released(named(organization))]) {
      expect(await failure(end())).toEqual({
        code: 'invalid_request',
        details: [{ path: 'hold_id', message: 'is not a hold' }],
      });
    }
    expect(await failure(captured(one, 11))).toMatchObject({ details: [{ path: 'stars' }] });
  });

  test('that was captured can be refunded, never beyond what was captured', async () => {
    const organization = await withStars(0, 100);
    const one = named(organization);
    await held(one, 10);
    const refund = (stars: number) =>
      apply(eventOf(organization, { type: 'stars.refunded', stars, refunds: one.hold_id }));
    expect((await refund(1)).refused).toBe('not_a_spend');
    await captured(one, 4);
    expect((await refund(3)).balance.total_stars).toBe(99);
    expect((await refund(2)).refused).toBe('more_than_spent');
    expect((await refund(1)).balance.total_stars).toBe(100);
    const other = named(organization);
    await held(other, 10);
    await released(other);
    const ofReleased = { type: 'stars.refunded', stars: 1, refunds: other.hold_id };
    expect((await apply(eventOf(organization, ofReleased))).refused).toBe('not_a_spend');
  });
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
    expect((await apply(spend(organization, 100))).refused).toBeUndefined();
    const [, , expired, spent] = await historyOf(organization);
    expect(expired).toMatchObject({
      type: 'hold.expired',
      event_id: one.hold_id,
      at: new Date(now + 1000).toISOString(),
      held_change: -30,
    });
    expect(spent).toMatchObject({ type: 'stars.spent', at: new Date(now + 5000).toISOString() });
  });

  test('in the very millisecond of its capture has expired, and a millisecond before is captured', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    const [one, two] = [named(organization), named(organization)];
    await held(one, 30, 1);
    await held(two, 20, 2);
    at(now + 1000);
    expect((await failure(captured(one)))?.code).toBe('hold_expired');
    expect((await failure(released(one)))?.code).toBe('hold_expired');
    at(now + 1999);
    expect(await captured(two)).toMatchObject({ captured_stars: 20 });
    at(now + 9000);
    expect(await captured(two)).toMatchObject({ captured_stars: 20 });
    expect((await balanceOf(organization)).total_stars).toBe(80);
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

  test('and was told so has ended, also for a clock that is behind', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    const one = named(organization);
    at(now);
    await held(one, 30, 3);
    at(now + 4000);
    expect((await failure(captured(one)))?.code).toBe('hold_expired');
    at(now + 2000);
    expect((await failure(captured(one)))?.code).toBe('hold_expired');
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
    const { table: counted, writes, limits } = counting();
    await applyEvent(counted, spend(organization, 1));
    expect([writes.length, limits.length]).toEqual([2, 1]);
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

/** What a balance is read by, to come between its readings. */
const reader: Pick<typeof table, 'deadline' | 'get' | 'getAll' | 'query'> = {
  deadline: table.deadline,
  get: (key) => table.get(key),
  getAll: (keys) => table.getAll(keys),
  query: (query) => table.query(query),
};

describe('the balance of a moment', () => {
  test('is what was answered then', async () => {
    const organization = await withStars(40, 25);
    const now = Date.now() + 10_000;
    const one = named(organization);
    const answers: Awaited<ReturnType<typeof balanceOf>>[] = [];
    const tell = async () => {
      answers.push(await balanceOf(organization));
    };
    at(now);
    await tell();
    const steps = [
      () => held(one, 50, 5),
      () =>
        apply(
          eventOf(organization, {
            type: 'pack.purchased',
            stars: 5,
            expires_at: new Date(now + 3500).toISOString(),
          }),
        ),
      () => apply(spend(organization, 3)),
      async () => undefined,
      async () => undefined,
      async () => undefined,
      () => apply(spend(organization, 20)),
      () => apply(eventOf(organization, { type: 'subscription.canceled' })),
    ];
    for (const [i, step] of steps.entries()) {
      at(now + (i + 1) * 1000);
      await step();
      at(now + (i + 1) * 1000 + 500);
      await tell();
    }
    at(now + 60_000);
    for (const answer of answers) {
      expect(await balanceOf(organization, Date.parse(answer.as_of))).toEqual(answer);
    }
    expect(new Set(answers.map(({ available_stars }) => available_stars)).size).toBe(4);
    expect(answers.some(({ held_stars }) => held_stars > 0)).toBe(true);
  });

  test('is found among many entries, and refused in the future and before there were any', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now() + 10_000;
    for (let i = 1; i <= 40; i++) {
      at(now + i * 100);
      await apply(spend(organization, 1));
    }
    at(now + 5000);
    for (const i of [0, 1, 7, 16, 17, 18, 33, 39, 40]) {
      expect((await balanceOf(organization, now + i * 100 + 50)).total_stars).toBe(100 - i);
    }
    const refused = { details: [{ path: 'at' }] };
    expect(await failure(balanceOf(organization, now + 60_000))).toMatchObject(refused);
    expect(await failure(balanceOf(organization, now - 3_600_000))).toMatchObject(refused);
  });

  test('of a wallet to which nothing has happened is known since it was made', async () => {
    const organization = await Organization.make({});
    const opened = Number((await walletOf(organization))?.opened_at);
    at(opened + 5000);
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 5 }));
    at(opened + 9000);
    expect((await balanceOf(organization, opened + 4999)).total_stars).toBe(0);
    expect((await balanceOf(organization, opened + 5000)).total_stars).toBe(5);
    expect((await failure(balanceOf(organization, opened - 1)))?.code).toBe('invalid_request');
  });

  test.each([
    ['before the change', 2000, 100],
    ['of the change', 5000, 0],
  ])('%s that is made while it is read', async (_what, after, total_stars) => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    await held(named(organization), 30, 1);
    at(now + 5000);
    let changed = false;
    const interrupted: typeof reader = {
      ...reader,
      async query(query) {
        if (!changed) await apply(spend(organization, 100));
        changed = true;
        return table.query(query);
      },
    };
    const reading = readBalance(interrupted, organization.id, Date.now(), now + after);
    expect(await reading).toMatchObject({
      total_stars,
      held_stars: 0,
      available_stars: total_stars,
    });
    expect(changed).toBe(true);
  });

  test('is unavailable while the wallet keeps changing, and of no organization internal', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now();
    at(now);
    await held(named(organization), 30, 1);
    let version = 100;
    const restless: typeof reader = {
      ...reader,
      async get(key) {
        version++;
        return { ...(await table.get(key)), version };
      },
    };
    const reading = readBalance(restless, organization.id, now + 5000);
    expect((await failure(reading))?.code).toBe('unavailable');
    expect(version).toBe(111);
    expect((await failure(readBalance(table, randomUUID(), now)))?.code).toBe('internal');
  });

  test('is asked for in a query', async () => {
    const organization = await withStars(0, 100);
    const ask = (time: string) =>
      run(getBalance, {
        headers: organization.headers(),
        query: { at: [time] },
      });
    const as_of = new Date().toISOString();
    expect((await ask(as_of)).body).toMatchObject({ total_stars: 100, as_of });
    for (const time of ['2999-01-01T00:00:00Z', '2020-01-01T00:00:00Z', 'yesterday']) {
      expect((await ask(time)).body.error.details).toMatchObject([{ path: 'at' }]);
    }
  });
});

describe('what was stored before there were holds', () => {
  /** A wallet, its entry and the guard of its spend, in the shape that they had until November 2026. */
  const stored = async () => {
    const organization = await withStars(40, 25);
    const key = walletKey(organization.id);
    const event = spend(organization, 5);
    await apply(event);
    const { subscription } = (await walletOf(organization)) as never;
    const wallet = { version: 2, monthly_stars: 35, pack_stars: 25, monthly_grant_stars: 100 };
    const [guard, ...entries] = await table.getAll([
      { pk: `EVENT#${organization.id}#${event.event_id}`, sk: 'GUARD' },
      { pk: `LEDGER#${organization.id}`, sk: '000000000001' },
      { pk: `LEDGER#${organization.id}`, sk: '000000000002' },
    ]);
    const { as_of, monthly_stars, pack_stars, total_stars, monthly_grant_stars, ...rest } =
      JSON.parse(guard?.balance as string);
    const balance = {
      monthly_stars,
      pack_stars,
      total_stars,
      monthly_grant_stars,
      subscription: rest.subscription,
      as_of,
    };
    const { spend: _, ...oldGuard } = { spend: {}, ...guard, balance: JSON.stringify(balance) };
    const oldEntries = entries.map((entry) => {
      const { refunds, pack_lapsed, held_change, held_after, lost, wallet, written_at, ...old } =
        entry as never as Record<string, unknown>;
      return old;
    });
    for (const Item of [{ ...key, ...wallet, subscription }, oldGuard, ...oldEntries]) {
      await table.transact([{ Put: { Item } }]);
    }
    return { organization, event };
  };

  test('stays valid: read, repeated, spent, held and listed', async () => {
    const { organization, event } = await stored();
    expect(await balanceOf(organization)).toMatchObject({
      total_stars: 60,
      held_stars: 0,
      available_stars: 60,
      next_expiry: null,
    });
    const repeat = await apply(event);
    expect(repeat.balance).toMatchObject({ total_stars: 60, available_stars: 60, held_stars: 0 });
    expect((await apply(spend(organization, 10))).balance.total_stars).toBe(50);
    const one = named(organization);
    await held(one, 40);
    await captured(one, 1);
    const entries = await historyOf(organization);
    expectSoundLedger(entries);
    expect(entries.length).toBe(5);
    expect(entries[1]).toMatchObject({ refunds: null, pack_lapsed: 0, held_after: 0, lost: [] });
  });

  test('has no balance of a moment before entries said what expires', async () => {
    const { organization, event } = await stored();
    expect((await failure(balanceOf(organization, Date.now())))?.code).toBe('invalid_request');
    const { balance } = await apply(spend(organization, 1));
    await apply(spend(organization, 1));
    const told = Date.parse(balance.as_of);
    expect((await balanceOf(organization, told)).total_stars).toBe(59);
    expect((await failure(balanceOf(organization, told - 1)))?.code).toBe('invalid_request');
    const refund = { type: 'stars.refunded', stars: 1, refunds: event.event_id };
    expect((await apply(eventOf(organization, refund))).refused).toBe('not_a_spend');
  });
});

describe('a thousand holds', () => {
  test('that have all expired at once are written off by the next spend', async () => {
    const organization = await withStars(0, 1000);
    const now = Date.now();
    at(now);
    await holdAll(organization, now + 60_000);
    expect((await failure(held(named(organization), 1)))?.code).toBe('limit_reached');
    expect(await balanceOf(organization)).toMatchObject({ held_stars: 1000, available_stars: 0 });
    at(now + 60_000);
    expect(await balanceOf(organization)).toMatchObject({ held_stars: 0, available_stars: 1000 });
    const { table: counted, writes, limits } = counting();
    const startedAt = performance.now();
    const { refused } = await applyEvent(counted, spend(organization, 1000));
    console.info(
      `1,000 expired holds written off in ${writes.length - 1} transactions, ${Math.round(performance.now() - startedAt)} ms`,
    );
    expect(refused).toBeUndefined();
    expect(Math.max(...writes)).toBeLessThanOrEqual(100);
    // One more than a transaction can write off: it is the next to expire.
    expect(Math.max(...limits)).toBe(50);
    expect((await walletOf(organization))?.open_holds).toBe(0);
    expect(await balanceOf(organization, now + 59_999)).toMatchObject({ held_stars: 1000 });
    expect(await balanceOf(organization, now + 60_000)).toMatchObject({ total_stars: 0 });
  }, 120_000);

  test('whose stars lapse and cross thresholds are written off in more transactions', async () => {
    const organization = await withStars(100, 50);
    const later = Date.now() + 7_200_000;
    await holdAll(organization, later, 50);
    const alerts = await run(putAlerts, {
      headers: organization.headers({ 'Content-Type': 'application/json' }),
      body: JSON.stringify({ thresholds: [99, 90, 80, 70, 60] }),
    });
    expect(alerts.body).toEqual({ thresholds: [99, 90, 80, 70, 60] });
    at(later);
    const { table: counted, writes } = counting();
    const { balance } = await applyEvent(counted, spend(organization, 1));
    expect(balance).toMatchObject({ monthly_stars: 0, held_stars: 0, available_stars: 49 });
    // Entry and open hold of each, the wallet, and in the first one five notices: 47 fit, then 3, then the spend.
    expect(writes).toEqual([2 * 47 + 5 + 1, 2 * 3 + 1, 3]);
    expect(await walletOf(organization)).toMatchObject({ open_holds: 0, version: 1 + 50 + 50 + 1 });
  });
});

/** So many holds of one star, written as `holdStars` writes them, but many at once. */
const holdAll = async ({ id }: Organization, expires_at: number, count = mostOpenHolds) => {
  const writes: Parameters<typeof table.transact>[0][number][] = [];
  let wallet = toWallet((await table.get(walletKey(id)))!);
  for (let i = 0; i < count; i++) {
    const hold_id = `h${i}`;
    const cause = { type: 'stars.held', event_id: hold_id, stars: 1, expires_at } as const;
    const applied = decide(wallet, cause, Date.now());
    if (typeof applied === 'string') throw new Error(applied);
    wallet = applied.wallet;
    const parts = applied.taken;
    const open = { hold_id, at: Date.now(), reason: null, expires_at, parts };
    writes.push(putOpenHold(id, open), ...putLedgerEntry(id, applied));
  }
  writes.push({ Put: { Item: walletItem(id, wallet) } });
  for (let i = 0; i < writes.length; i += 100) await table.transact(writes.slice(i, i + 100));
};

/** The table, how many items each of its transactions had, and how many each query could find. */
const counting = () => {
  const writes: number[] = [];
  const limits: number[] = [];
  const all = table.during({ deadline: Date.now() + 600_000 });
  return {
    writes,
    limits,
    table: {
      deadline: all.deadline,
      get: all.get.bind(all),
      getAll: all.getAll.bind(all),
      query: (input: Parameters<typeof all.query>[0]) => {
        limits.push(input.limit ?? Number.POSITIVE_INFINITY);
        return all.query(input);
      },
      transact: (...[items, options]: Parameters<typeof all.transact>) => {
        writes.push(items.length);
        return all.transact(items, options);
      },
    },
  };
};

test('the functions answer what they are asked', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  const context = contextFor(11_000);
  const input = { ...one, stars: 4, expires_in_seconds: 60, reason: 'Summarizes a call' };
  expect(await holdStars(input, context)).toMatchObject({ held: true });
  expect(await captureHold({ ...one, stars: 1 }, context)).toMatchObject({ captured_stars: 1 });
  await expect(releaseHold(one, context)).rejects.toMatchObject({ name: 'already_captured' });
  const two = { ...input, hold_id: randomUUID() };
  expect(await holdStars(two, context)).toMatchObject({ held: true });
  expect(await releaseHold(named(organization, two.hold_id), context)).toMatchObject({
    captured_stars: 0,
    returned_stars: 4,
    balance: { available_stars: 9 },
  });
  for (const [field, value] of [
    ['expires_in_seconds', 0],
    ['expires_in_seconds', 604_801],
    ['stars', 0],
    ['hold_id', 'a#b'],
    ['color', 'red'],
  ] as const) {
    await expect(holdStars({ ...two, [field]: value }, context)).rejects.toThrow(field);
  }
  const longest = { ...input, hold_id: randomUUID(), expires_in_seconds: 604_800 };
  expect(await holdStars(longest, context)).toMatchObject({ held: true });
});
