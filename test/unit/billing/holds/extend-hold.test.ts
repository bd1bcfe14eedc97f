import { expect, test } from 'vitest';
import { readOpenHolds } from '../../../../lib/billing/holds/open-holds.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  withStars,
} from '../in-process-wallet.ts';
import {
  at,
  balanceOf,
  captured,
  extended,
  held,
  iso,
  named,
  now,
  released,
  useStillClock,
} from './in-process-holds.ts';

useStillClock();

test('a hold expires so many seconds from then, and a repeat of its start gets the first answer', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  const first = await held(one, 10, 60);
  at(now + 50_000);
  expect(await extended(one, 60)).toMatchObject({
    status: 'open',
    stars: 10,
    created_at: iso(now),
    expires_at: iso(now + 110_000),
  });
  expect(await held(one, 10, 60)).toEqual(first);
  at(now + 109_999);
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 10, available_stars: 0 });
  expect((await apply(spend(organization, 1))).refusal).toBe('insufficient_stars');
  at(now + 110_000);
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 0, available_stars: 10 });
  expect((await failure(captured(one)))?.code).toBe('hold_expired');
  await apply(spend(organization, 1));
  const entries = await historyOf(organization);
  expectSoundLedger(entries);
  expect(entries.slice(-3).map(({ type, at: time }: Item) => [type, time])).toEqual([
    ['hold.extended', iso(now + 50_000)],
    ['hold.expired', iso(now + 110_000)],
    ['stars.spent', iso(now + 110_000)],
  ]);
  // What was told of a moment before is told of it again.
  expect(await balanceOf(organization, now + 109_999)).toMatchObject({ held_stars: 10 });
});

test('a hold never expires earlier by it, and nothing is written then', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  const { expires_at } = await held(one, 10, 600);
  for (const seconds of [1, 600]) {
    expect(await extended(one, seconds)).toMatchObject({ status: 'open', expires_at });
  }
  expect((await walletOf(organization))?.version).toBe(2);
});

test('a hold can be extended again, never expires earlier by it, and is captured after its first expiry', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  await held(one, 10, 60);
  await extended(one, 120);
  const { expires_at } = await extended(one, 180);
  const { version } = (await walletOf(organization))!;
  expect(await extended(one, 1)).toMatchObject({ status: 'open', expires_at });
  // Nothing is written then.
  expect((await walletOf(organization))?.version).toBe(version);
  at(now + 179_000);
  await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
  expect(await captured(one, 4)).toMatchObject({ captured_stars: 4, returned_stars: 6 });
  expect(await readOpenHolds(table, organization.id)).toEqual([]);
  expect(await walletOf(organization)).toMatchObject({ open_holds: 0, pack_stars: 7 });
});

test('a hold must be open', async () => {
  const organization = await withStars(0, 10);
  const [one, two, three] = [named(organization), named(organization), named(organization)];
  for (const hold of [one, two, three]) await held(hold, 1, 60);
  await captured(one);
  await released(two);
  const codeOf = async (hold: typeof one) => (await failure(extended(hold, 600)))?.code;
  expect(await codeOf(one)).toBe('already_captured');
  expect(await codeOf(two)).toBe('already_released');
  expect(await codeOf(named(organization))).toBe('not_found');
  at(now + 60_000);
  expect(await codeOf(three)).toBe('hold_expired');
});
