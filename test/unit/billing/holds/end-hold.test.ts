import { afterEach, expect, test, vi } from 'vitest';
import type { Item } from '../../../../lib/table/table.ts';
import { apply, eventOf, failure, historyOf, spend, withStars } from '../in-process-wallet.ts';
import { at, balanceOf, captured, held, named, released, typesOf } from './in-process-holds.ts';

afterEach(() => {
  vi.useRealTimers();
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
  expect((await refund(1)).refusal).toBe('not_a_spend');
  await captured(one, 4);
  await released(two);
  expect((await refund(3)).balance.total_stars).toBe(99);
  expect((await refund(2)).refusal).toBe('more_than_spent');
  expect((await refund(1)).balance.total_stars).toBe(100);
  expect((await refund(1, two)).refusal).toBe('not_a_spend');
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
