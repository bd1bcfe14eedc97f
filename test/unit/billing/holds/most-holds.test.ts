import { afterEach, describe, expect, test, vi } from 'vitest';
import { handler as putAlerts } from '../../../../functions/billing/put-alerts.ts';
import { applyEvent } from '../../../../lib/billing/apply-event.ts';
import { putOpenHold } from '../../../../lib/billing/holds/open-holds.ts';
import { mostOpenHolds } from '../../../../lib/billing/refusals.ts';
import { apply as decide } from '../../../../lib/billing/rules/rules.ts';
import { putLedgerEntry } from '../../../../lib/billing/stored-entry.ts';
import { toWallet, walletItem } from '../../../../lib/billing/wallet.ts';
import { walletKey } from '../../../../lib/table/keys.ts';
import { type Organization, run } from '../../support.ts';
import { failure, spend, table, walletOf, withStars } from '../in-process-wallet.ts';
import { at, balanceOf, counting, held, named } from './in-process-holds.ts';

afterEach(() => {
  vi.useRealTimers();
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
    const lots = applied.takenLots;
    const open = { hold_id, at: Date.now(), reason: null, expires_at, lots };
    writes.push(putOpenHold(id, open), ...putLedgerEntry(id, applied));
  }
  writes.push({ Put: { Item: walletItem(id, wallet) } });
  for (let i = 0; i < writes.length; i += 100) await table.transact(writes.slice(i, i + 100));
};

describe('a thousand holds', () => {
  test('that have all expired at once are written off by the next spend', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
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
    const { refusal } = await applyEvent(counted, spend(organization, 1000));
    console.info(
      `1,000 expired holds written off in ${writes.length - 1} transactions, ${Math.round(performance.now() - startedAt)} ms`,
    );
    expect(refusal).toBeUndefined();
    expect(Math.max(...writes)).toBeLessThanOrEqual(100);
    // One more than a transaction can write off: it is the next to expire.
    expect(Math.max(...limits)).toBe(50);
    expect((await walletOf(organization))?.open_holds).toBe(0);
    expect(await balanceOf(organization, now + 59_999)).toMatchObject({ held_stars: 1000 });
    expect(await balanceOf(organization, now + 60_000)).toMatchObject({ total_stars: 0 });
  });

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
