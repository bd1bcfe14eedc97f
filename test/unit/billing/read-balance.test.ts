import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { readBalance } from '../../../lib/billing/read-balance.ts';
import type { Cause } from '../../../lib/billing/rules/causes.ts';
import { at, held, named } from './holds/in-process-holds.ts';
import {
  apply,
  failure,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
  writeAll,
} from './in-process-wallet.ts';

// That every moment's balance is what was answered then: rules/rules.property.test.ts.

afterEach(() => {
  vi.useRealTimers();
});

/** An organization with 100 stars, of which 30 are held for a second, five seconds ago. */
const withExpiredHold = async () => {
  const organization = await withStars(0, 100);
  const now = Date.now();
  at(now);
  await held(named(organization), 30, 1);
  at(now + 5000);
  return { organization, now };
};

test('a moment is found among many entries in few readings, and none of holds where there are none', async () => {
  const organization = await withStars(0, 100);
  const now = Date.now() + 10_000;
  const spends = Array.from({ length: 40 }, (_, i): [Cause, number] => [
    spend(organization, 1),
    now + (i + 1) * 100,
  ]);
  await writeAll(organization, spends);
  for (const i of [0, 1, 7, 16, 17, 18, 33, 39, 40]) {
    const { requests, counts, table: watched } = watchedTable();
    const then = now + i * 100 + 50;
    const { total_stars } = await readBalance(watched, organization.id, now + 5000, then);
    expect(total_stars).toBe(100 - i);
    expect(requests.length).toBeLessThanOrEqual(i === 40 ? 1 : 4);
    expect(counts('Query')).toEqual([]);
  }
});

test.each([
  ['before the change', 2000, 100],
  ['of the change', 5000, 0],
])('the balance %s that is made while it is read', async (_what, after, total_stars) => {
  const { organization, now } = await withExpiredHold();
  const { counts, table: interrupted } = watchedTable(async ({ operation }, pass) => {
    if (operation === 'Query' && counts('Query').length === 1)
      await apply(spend(organization, 100));
    return pass();
  });
  const reading = readBalance(interrupted, organization.id, Date.now(), now + after);
  const of = { total_stars, held_stars: 0, available_stars: total_stars };
  expect(await reading).toMatchObject(of);
  expect((await walletOf(organization))?.pack_stars).toBe(0);
});

test('a balance is unavailable while the wallet keeps changing, and of no organization internal', async () => {
  const { organization, now } = await withExpiredHold();
  let version = 100;
  const { table: restless } = watchedTable(async ({ operation }, pass) => {
    const found = await pass();
    return operation === 'Get' ? { Item: { ...found.Item, version: version++ } } : found;
  });
  const reading = readBalance(restless, organization.id, now + 5000);
  expect((await failure(reading))?.code).toBe('unavailable');
  expect(version).toBe(111);
  expect((await failure(readBalance(table, randomUUID(), now)))?.code).toBe('internal');
});
