import { afterEach, describe, expect, test, vi } from 'vitest';
import { handler as captureHold } from '../../../../functions/billing/capture-hold.ts';
import { handler as holdStars } from '../../../../functions/billing/hold-stars.ts';
import { handler as releaseHold } from '../../../../functions/billing/release-hold.ts';
import { hold } from '../../../../lib/billing/holds/holds.ts';
import { readOpenHolds } from '../../../../lib/billing/holds/open-holds.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { contextFor } from '../../support.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  spend,
  table,
  withStars,
} from '../in-process-wallet.ts';
import {
  at,
  balanceOf,
  captured,
  held,
  limited,
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
    expect(await held(one, 6)).toMatchObject({
      held: false,
      expires_at: null,
      balance: { total_stars: 5, held_stars: 0 },
    });
    expect(await typesOf(organization)).toEqual(['organization.provisioned']);
    expect((await failure(captured(one)))?.code).toBe('invalid_request');
    await apply(eventOf(organization, { type: 'pack.purchased', stars: 1 }));
    expect((await held(one, 6)).held).toBe(true);
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
    await hold(limited(), { ...one, stars: 4, expires_in_seconds: 9, reason: 'A call' });
    await held(two, 1, 8);
    const monthly = { compartment: 'monthly', stars: 3, expires_at: expect.any(Number) };
    const pack = { compartment: 'pack', stars: 1 };
    expect(await readOpenHolds(table, organization.id)).toEqual([
      { hold_id: 'two', at: now, reason: null, expires_at: now + 8000, lots: [pack] },
      { hold_id: 'one', at: now, reason: 'A call', expires_at: now + 9000, lots: [monthly, pack] },
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
    const noHold = [{ path: 'hold_id', message: 'is not a hold' }];
    for (const end of [() => captured(ofEvent), () => released(named(organization))]) {
      expect(await failure(end())).toEqual({ code: 'invalid_request', details: noHold });
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

test('what ends a hold or gives stars of it back has its reason, unless a refund has its own', async () => {
  const organization = await withStars(0, 100);
  const make = async (reason?: string) => {
    const one = named(organization);
    await hold(limited(), { ...one, stars: 4, expires_in_seconds: 9, reason });
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
  const event = spend(organization, 2, { reason: 'S' });
  await apply(event);
  await refund(event.event_id);
  at(Date.now() + 10_000);
  await apply(spend(organization, 1));
  const entries = await historyOf(organization);
  expect(entries.slice(5).map(({ type, reason }: Item) => `${type}: ${reason}`)).toEqual([
    'hold.captured: A',
    'hold.released: B',
    'hold.captured: null',
    'stars.refunded: A',
    'stars.refunded: Own',
    'stars.refunded: A',
    'stars.refunded: null',
    'stars.spent: S',
    'stars.refunded: S',
    'hold.expired: C',
    'stars.spent: null',
  ]);
});

test('the functions answer what they are asked', async () => {
  const organization = await withStars(0, 10);
  const context = contextFor(11_000);
  const [one, two] = [named(organization), named(organization)];
  const input = { ...one, stars: 4, expires_in_seconds: 604_800, reason: 'Summarizes a call' };
  expect(await holdStars(input, context)).toMatchObject({ held: true });
  expect(await captureHold({ ...one, stars: 1 }, context)).toMatchObject({ captured_stars: 1 });
  await expect(releaseHold(one, context)).rejects.toMatchObject({ name: 'already_captured' });
  expect(await holdStars({ ...input, ...two }, context)).toMatchObject({ held: true });
  expect(await releaseHold(two, context)).toMatchObject({
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
    const wrong = { ...input, ...named(organization), [field]: value };
    await expect(holdStars(wrong, context)).rejects.toThrow(field);
  }
});
