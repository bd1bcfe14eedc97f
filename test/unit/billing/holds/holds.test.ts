import { expect, test } from 'vitest';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { readOpenHolds } from '../../../../lib/billing/stored/open-hold.ts';
import { changeWallet } from '../../../../lib/billing/writer/change-wallet.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { expectSoundLedger } from '../../../support/billing.ts';
import { eventRecordKey, walletKey } from '../../../support/keys.ts';
import {
  apply,
  change,
  changing,
  eventOf,
  failure,
  hidingOnce,
  historyOf,
  refusalOf,
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
  typesOf,
  useStillClock,
} from './in-process-holds.ts';

// What each answers and refuses: test/api/billing/put-hold.test.ts, and its neighbours.

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
  expect(await refusalOf(apply(spend(organization, 1)))).toBe('insufficient_stars');
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

test('a hold can be extended again, never expires earlier by it, and is captured after its first expiry', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  await held(one, 10, 60);
  await extended(one, 120);
  const { expires_at } = await extended(one, 180);
  const { version } = (await walletOf(organization))!;
  for (const seconds of [1, 180]) {
    expect(await extended(one, seconds)).toMatchObject({ status: 'open', expires_at });
  }
  // Nothing is written then.
  expect((await walletOf(organization))?.version).toBe(version);
  at(now + 179_000);
  await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
  expect(await captured(one, 4)).toMatchObject({ captured_stars: 4, returned_stars: 6 });
  expect(await readOpenHolds(table, organization.id)).toEqual([]);
  expect(await walletOf(organization)).toMatchObject({ open_holds: 0, pack_stars: 7 });
});

test('an extension that reads its hold before, and the wallet after, a longer one does not shorten that', async () => {
  const organization = await withStars(0, 10);
  const one = named(organization);
  await held(one, 10, 60);
  const key = eventRecordKey(organization.id, one.hold_id);
  const before = (await table.get(key))!;
  const { expires_at } = await extended(one, 600);
  const late = (seconds: number) =>
    changeWallet(
      changing(hidingOnce(key, before)),
      change(organization.id, extensionUpdate(one.hold_id, seconds)),
    );
  const extended_to = Date.parse(expires_at);
  expect(await late(120)).toMatchObject({ record: { extended_to }, isRepeat: true });
  expect(await late(900)).toMatchObject({ record: { extended_to: now + 900_000 } });
  expect((await readOpenHolds(table, organization.id)).map((hold) => hold.expires_at)).toEqual([
    now + 900_000,
  ]);
});

test('a hold must be open to be extended', async () => {
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

test('a hold has an id that no other hold and no event has', async () => {
  const organization = await withStars(0, 100);
  const one = named(organization);
  await held(one, 10);
  const event = spend(organization, 1);
  await apply(event);
  const ofEvent = named(organization, event.event_id);
  for (const [path, other] of [
    ['hold_id', () => held(one, 11)],
    ['hold_id', () => held(one, 10, 601)],
    ['hold_id', () => held(ofEvent, 1)],
    ['event_id', () => apply(spend(organization, 10, { event_id: one.hold_id }))],
  ] as const) {
    const refused = { code: 'event_id_reused', details: [{ path }] };
    expect(await failure(other())).toMatchObject(refused);
  }
  for (const end of [() => captured(ofEvent), () => released(named(organization))]) {
    expect((await failure(end()))?.code).toBe('not_found');
  }
});

test('a hold ends once: a repeat is answered as the first time, and another end hears how it ended', async () => {
  const organization = await withStars(0, 100);
  const [one, two, three] = [named(organization), named(organization), named(organization)];
  const starts = async () => [await held(one, 10), await held(two, 20), await held(three, 10)];
  const ends = async (whole?: number) => [
    await captured(one, 4),
    await released(two),
    // Captured whole, its stars may be told.
    await captured(three, whole),
  ];
  const [first, ended] = [await starts(), await ends()];
  expect(ended[2]).toMatchObject({ captured_stars: 10, returned_stars: 0 });
  await apply(spend(organization, 50));
  expect([await starts(), await ends(), await ends(10)]).toEqual([first, ended, ended]);
  const codeOf = async (end: Promise<unknown>) => (await failure(end))?.code;
  expect(await codeOf(captured(one, 5))).toBe('already_captured');
  expect(await codeOf(released(one))).toBe('already_captured');
  expect(await codeOf(captured(two))).toBe('already_released');
  expect((await balanceOf(organization)).total_stars).toBe(36);
  expect((await typesOf(organization)).length).toBe(8);
});

test('a hold that was captured can be refunded, never beyond what was captured', async () => {
  const organization = await withStars(0, 100);
  const [one, two] = [named(organization), named(organization)];
  await held(one, 10);
  await held(two, 10);
  const refund = (stars: number, { hold_id: refunds } = one) =>
    apply(eventOf(organization, { type: 'stars.refunded', stars, refunds }));
  expect(await refusalOf(refund(1))).toBe('not_a_spend');
  await captured(one, 4);
  await released(two);
  expect((await refund(3)).balance.total_stars).toBe(99);
  expect(await refusalOf(refund(2))).toBe('more_than_spent');
  expect((await refund(1)).balance.total_stars).toBe(100);
  expect(await refusalOf(refund(1, two))).toBe('not_a_spend');
});

test('what ends a hold or gives stars of it back has its purpose, but a refund may have its own reason', async () => {
  const organization = await withStars(0, 100);
  const make = async (reason?: string) => {
    const one = named(organization);
    const names = reason && { feature: `f-${reason}`, spender: `s-${reason}` };
    await held(one, 4, 9, { reason, ...names });
    return one;
  };
  const refund = (refunds: string, reason?: string) =>
    apply(eventOf(organization, { type: 'stars.refunded', stars: 1, refunds, reason }));
  const [one, two, , none] = [await make('A'), await make('B'), await make('C'), await make()];
  await captured(one, 3);
  await released(two);
  await captured(none);
  for (const reason of [undefined, 'Own']) await refund(one.hold_id, reason);
  await refund(none.hold_id);
  const event = spend(organization, 2, { reason: 'S', feature: 'f-S', spender: 's-S' });
  await apply(event);
  await refund(event.event_id);
  at(Date.now() + 10_000);
  await apply(spend(organization, 1));
  const told = (await historyOf(organization))
    .slice(5)
    .map(({ type, reason, feature, spender }: Item) => [type, reason, feature, spender]);
  expect(told).toEqual([
    ['hold.captured', 'A', 'f-A', 's-A'],
    ['hold.released', 'B', 'f-B', 's-B'],
    ['hold.captured', null, null, null],
    ['stars.refunded', 'A', 'f-A', 's-A'],
    ['stars.refunded', 'Own', 'f-A', 's-A'],
    ['stars.refunded', null, null, null],
    ['stars.spent', 'S', 'f-S', 's-S'],
    ['stars.refunded', 'S', 'f-S', 's-S'],
    ['hold.expired', 'C', 'f-C', 's-C'],
    ['stars.spent', null, null, null],
  ]);
});

test('a hold whose wallet was read before it was made is read again, and ends', async () => {
  const organization = await withStars(0, 100);
  const before = await walletOf(organization);
  const { hold_id } = named(organization);
  await held({ ...named(organization), hold_id }, 10);
  const torn = hidingOnce(walletKey(organization.id), before);
  const release = change(organization.id, releaseUpdate(hold_id));
  const { record } = await changeWallet(changing(torn), release);
  expect(record.hold_end).toMatchObject({ stars: 0, balance: { held_stars: 0 } });
  expectSoundLedger(await historyOf(organization));
});
