import { expect, test } from 'vitest';
import { handler as putAlerts } from '../../../../functions/billing/put-alerts.ts';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import { openHoldItem } from '../../../support/billing-items.ts';
import { someOrigin } from '../../../support/origin.ts';
import { type Organization, run } from '../../support.ts';
import {
  at,
  balanceOf,
  captured,
  held,
  iso,
  named,
  now,
  released,
  typesOf,
  useStillClock,
} from '../holds/in-process-holds.ts';
import {
  apply,
  applyTo,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
  writeAll,
} from '../in-process-wallet.ts';

useStillClock();

test('a hold that expires has ended also for an environment whose clock is behind that of the one that wrote it off', async () => {
  const organization = await withStars(0, 100);
  const one = named(organization);
  await held(one, 30, 3);
  at(now + 4000);
  await apply(spend(organization, 1));
  at(now + 2000);
  for (const end of [captured, released]) {
    expect((await failure(end(one)))?.code).toBe('hold_expired');
  }
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 0, as_of: iso(now + 4000) });
  await apply(spend(organization, 1));
  expectSoundLedger(await historyOf(organization));
  // A hold that it makes then starts at the wallet's time.
  expect((await held(named(organization), 1, 3)).expires_at).toBe(iso(now + 7000));
});

test('a hold that expires is written off by a change for which no time is left, which is not made', async () => {
  const organization = await withStars(0, 100);
  await held(named(organization), 30, 1);
  at(now + 1000);
  const late = table.during({ deadline: now });
  expect((await failure(applyTo(late, spend(organization, 1))))?.code).toBe('timeout');
  expect((await typesOf(organization)).slice(1)).toEqual(['stars.held', 'hold.expired']);
});

test('holds that expire are written off in one search, after which the next expiry is known, also of one that was captured', async () => {
  const organization = await withStars(0, 100);
  const first = named(organization);
  await held(first, 10, 1);
  for (const seconds of [60, 3, 2]) await held(named(organization), 10, seconds);
  await captured(first);
  at(now + 1500);
  expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 1000);
  await apply(spend(organization, 1));
  expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 2000);
  at(now + 4000);
  const { table: watched, counts } = watchedTable();
  await applyTo(watched, spend(organization, 1));
  expect([counts('TransactWrite').length, counts('Query').length]).toEqual([2, 1]);
  expect((await walletOf(organization))?.next_hold_expiry).toBe(now + 60_000);
});

/** So many holds of one star. */
const holdAll = (organization: Organization, expires_at: number, count: number) => {
  const causes = Array.from({ length: count }, (_, i): [Cause, number] => [
    {
      type: 'stars.held',
      event_id: `h${i}`,
      stars: 1,
      expires_in_seconds: (expires_at - now) / 1000,
    },
    now,
  ]);
  return writeAll(organization, causes, ({ event_id: hold_id }, { takenLots: lots }) => [
    { Put: { Item: openHoldItem(organization.id, { hold_id, at: now, expires_at, lots }) } },
  ]);
};

test('holds that expire at once are written off in as few transactions as they fit into', async () => {
  const organization = await withStars(100, 50);
  const later = now + 7_200_000;
  await holdAll(organization, later, 50);
  const alerts = await run(putAlerts, {
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    body: JSON.stringify({ thresholds: [99, 90, 80, 70, 60] }),
  });
  expect(alerts.status).toBe(200);
  at(later);
  const { table: watched, counts } = watchedTable();
  const { balance } = await applyTo(watched, spend(organization, 1));
  expect(balance).toMatchObject({ monthly_stars: 0, held_stars: 0, available_stars: 49 });
  // First the wallet, the lapse, its five notices, and of each hold the entry and the open hold: 46 fit.
  expect(counts('TransactWrite')).toEqual([1 + 1 + 5 + 2 * 46, 1 + 2 * 4, 3]);
  expect(await walletOf(organization)).toMatchObject({
    open_holds: 0,
    version: 1 + 50 + 1 + 50 + 1,
  });
});

test('an expired hold that somebody’s spend writes off is nobody’s, and the spend is theirs', async () => {
  const organization = await withStars(0, 100);
  await held(named(organization), 30, 1);
  at(now + 1000);
  await apply(spend(organization, 1));
  const origins = (await historyOf(organization)).map(
    ({ type, user_id, request_id }: Record<string, string | null>) => [type, user_id, request_id],
  );
  const { by, requestId } = someOrigin;
  expect(origins.slice(1)).toEqual([
    ['stars.held', by, requestId],
    ['hold.expired', null, null],
    ['stars.spent', by, requestId],
  ]);
});
