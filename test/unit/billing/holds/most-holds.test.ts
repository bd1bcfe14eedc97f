import { afterEach, describe, expect, test, vi } from 'vitest';
import { handler as putAlerts } from '../../../../functions/billing/put-alerts.ts';
import { applyEvent } from '../../../../lib/billing/apply-event.ts';
import { putOpenHold } from '../../../../lib/billing/holds/open-holds.ts';
import { mostOpenHolds } from '../../../../lib/billing/refusals.ts';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { type Organization, run } from '../../support.ts';
import {
  failure,
  spend,
  walletOf,
  watchedTable,
  withStars,
  writeAll,
} from '../in-process-wallet.ts';
import { at, balanceOf, held, named } from './in-process-holds.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** So many holds of one star. */
const holdAll = (organization: Organization, expires_at: number, count = mostOpenHolds) => {
  const now = Date.now();
  const causes = Array.from({ length: count }, (_, i): [Cause, number] => [
    { type: 'stars.held', event_id: `h${i}`, stars: 1, expires_at },
    now,
  ]);
  return writeAll(organization, causes, ({ event_id: hold_id }, { takenLots: lots }) => [
    putOpenHold(organization.id, { hold_id, at: now, expires_at, lots }),
  ]);
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
    const { table: watched, counts } = watchedTable();
    const { refusal } = await applyEvent(watched, spend(organization, 1000));
    expect(refusal).toBeUndefined();
    expect(Math.max(...counts('TransactWrite'))).toBeLessThanOrEqual(100);
    // One more than a transaction can write off: it is the next to expire.
    expect(Math.max(...counts('Query'))).toBe(50);
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
    const { table: watched, counts } = watchedTable();
    const { balance } = await applyEvent(watched, spend(organization, 1));
    expect(balance).toMatchObject({ monthly_stars: 0, held_stars: 0, available_stars: 49 });
    // Entry and open hold of each, the wallet, and in the first one five notices: 47 fit, then 3, then the spend.
    expect(counts('TransactWrite')).toEqual([2 * 47 + 5 + 1, 2 * 3 + 1, 3]);
    expect(await walletOf(organization)).toMatchObject({ open_holds: 0, version: 1 + 50 + 50 + 1 });
  });
});
