import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { handler as getBalance } from '../../../functions/billing/get-balance.ts';
import { readBalance } from '../../../lib/billing/read-balance.ts';
import { Organization, run } from '../support.ts';
import { at, balanceOf, held, named } from './holds/in-process-holds.ts';
import { apply, eventOf, failure, spend, table, walletOf, withStars } from './in-process-wallet.ts';

afterEach(() => {
  vi.useRealTimers();
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
    const refused = (message: string) => ({ details: [{ path: 'at', message }] });
    expect(await failure(balanceOf(organization, now + 60_000))).toMatchObject(
      refused('must not be in the future'),
    );
    expect(await failure(balanceOf(organization, now - 3_600_000))).toMatchObject(
      refused('must not be before the wallet was made'),
    );
  });

  test('takes few readings, and none of holds where there are none', async () => {
    const organization = await withStars(0, 100);
    const now = Date.now() + 10_000;
    for (let i = 1; i <= 40; i++) {
      at(now + i * 100);
      await apply(spend(organization, 1));
    }
    let readings = 0;
    const counted: typeof reader = {
      ...reader,
      getAll(keys) {
        readings++;
        return table.getAll(keys);
      },
      query: () => Promise.reject(new Error('there are no holds')),
    };
    await readBalance(counted, organization.id, now + 5000);
    expect(readings).toBe(0);
    await readBalance(counted, organization.id, now + 5000, now + 3950);
    expect(readings).toBe(2);
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
