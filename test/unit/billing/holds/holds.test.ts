import { afterEach, describe, expect, test, vi } from 'vitest';
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
  named,
  released,
  typesOf,
} from './in-process-holds.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a hold', () => {
  test('is none where there are not enough stars, stores nothing, and may be one later', async () => {
    const organization = await withStars(2, 3);
    const one = named(organization);
    expect(await failure(held(one, 6))).toEqual({
      code: 'insufficient_stars',
      details: [{ path: 'stars', message: expect.any(String), available_stars: 5 }],
    });
    expect(await typesOf(organization)).toEqual(['organization.provisioned']);
    expect((await failure(captured(one)))?.code).toBe('not_found');
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
    expect((await held(one, 6)).balance.held_stars).toBe(6);
    expect((await apply(spend(organization, 1))).refusal).toBe('insufficient_stars');
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
    await held(one, 4, 9, { reason: 'A call', feature: 'calls' });
    await held(two, 1, 8);
    const monthly = { compartment: 'monthly', stars: 3, expires_at: expect.any(Number) };
    const pack = { compartment: 'pack', stars: 1 };
    expect(await readOpenHolds(table, organization.id)).toEqual([
      { hold_id: 'two', at: now, expires_at: now + 8000, lots: [pack] },
      {
        hold_id: 'one',
        at: now,
        reason: 'A call',
        feature: 'calls',
        expires_at: now + 9000,
        lots: [monthly, pack],
      },
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
    expect(await failure(captured(one, 11))).toMatchObject({ details: [{ path: 'stars' }] });
  });

  test('that was captured can be refunded, never beyond what was captured', async () => {
    const organization = await withStars(0, 100);
    const one = named(organization);
    await held(one, 10);
    const refund = (stars: number) =>
      apply(eventOf(organization, { type: 'stars.refunded', stars, refunds: one.hold_id }));
    expect((await refund(1)).refusal).toBe('not_a_spend');
    await captured(one, 4);
    expect((await refund(3)).balance.total_stars).toBe(99);
    expect((await refund(2)).refusal).toBe('more_than_spent');
    expect((await refund(1)).balance.total_stars).toBe(100);
    const other = named(organization);
    await held(other, 10);
    await released(other);
    const ofReleased = { type: 'stars.refunded', stars: 1, refunds: other.hold_id };
    expect((await apply(eventOf(organization, ofReleased))).refusal).toBe('not_a_spend');
  });
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
  for (const reason of [undefined, 'Own', undefined]) await refund(one.hold_id, reason);
  await refund(none.hold_id);
  const event = spend(organization, 2, { reason: 'S', feature: 'f-S', spender: 's-S' });
  await apply(event);
  await refund(event.event_id);
  at(Date.now() + 10_000);
  await apply(spend(organization, 1));
  const entries = await historyOf(organization);
  const told = entries
    .slice(5)
    .map(({ type, reason, feature, spender }: Item) => [type, reason, feature, spender]);
  expect(told).toEqual([
    ['hold.captured', 'A', 'f-A', 's-A'],
    ['hold.released', 'B', 'f-B', 's-B'],
    ['hold.captured', null, null, null],
    ['stars.refunded', 'A', 'f-A', 's-A'],
    ['stars.refunded', 'Own', 'f-A', 's-A'],
    ['stars.refunded', 'A', 'f-A', 's-A'],
    ['stars.refunded', null, null, null],
    ['stars.spent', 'S', 'f-S', 's-S'],
    ['stars.refunded', 'S', 'f-S', 's-S'],
    ['hold.expired', 'C', 'f-C', 's-C'],
    ['stars.spent', null, null, null],
  ]);
});

describe('a hold that is extended', () => {
  test('expires so many seconds from then, and a repeat of its start gets the first answer', async () => {
    const organization = await withStars(0, 10);
    const now = Date.now();
    at(now);
    const one = named(organization);
    const first = await held(one, 10, 60);
    at(now + 50_000);
    expect(await extended(one, 60)).toMatchObject({
      status: 'open',
      stars: 10,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 110_000).toISOString(),
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
      ['hold.extended', new Date(now + 50_000).toISOString()],
      ['hold.expired', new Date(now + 110_000).toISOString()],
      ['stars.spent', new Date(now + 110_000).toISOString()],
    ]);
    // What was told of a moment before is told of it again.
    expect(await balanceOf(organization, now + 109_999)).toMatchObject({ held_stars: 10 });
  });

  test('never expires earlier by it, and nothing is written then', async () => {
    const organization = await withStars(0, 10);
    const one = named(organization);
    const { expires_at } = await held(one, 10, 600);
    expect(await extended(one, 1)).toMatchObject({ status: 'open', expires_at });
    expect((await walletOf(organization))?.version).toBe(2);
  });

  test('is captured after its first expiry, and can be extended again', async () => {
    const organization = await withStars(0, 10);
    const now = Date.now();
    at(now);
    const one = named(organization);
    await held(one, 10, 60);
    await extended(one, 120);
    await extended(one, 180);
    at(now + 179_000);
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
    expect(await captured(one, 4)).toMatchObject({ captured_stars: 4, returned_stars: 6 });
    expect(await readOpenHolds(table, organization.id)).toEqual([]);
    expect(await walletOf(organization)).toMatchObject({ open_holds: 0, pack_stars: 7 });
  });

  test('must be open', async () => {
    const organization = await withStars(0, 10);
    const now = Date.now();
    at(now);
    const [one, two, three] = ['one', 'two', 'three'].map((id) => named(organization, id));
    for (const hold of [one!, two!, three!]) await held(hold, 1, 60);
    await captured(one!);
    await released(two!);
    expect((await failure(extended(one!, 600)))?.code).toBe('already_captured');
    expect((await failure(extended(two!, 600)))?.code).toBe('already_released');
    expect((await failure(extended(named(organization), 600)))?.code).toBe('not_found');
    at(now + 59_999);
    expect(await extended(three!, 1)).toMatchObject({ status: 'open' });
    at(now + 60_999);
    expect((await failure(extended(three!, 600)))?.code).toBe('hold_expired');
  });
});
