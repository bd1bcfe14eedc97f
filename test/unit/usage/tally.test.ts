import { expect, test } from 'vitest';
import { emptyEntry } from '../../../lib/billing/stored/ledger-entry.ts';
import { mostSums, tally } from '../../../lib/usage/tally.ts';

const entryOf = (fields: object = {}) => ({
  ...emptyEntry,
  at: '2026-11-28T23:59:59.999Z',
  type: 'stars.spent',
  stars: -5,
  ...fields,
});

/** What is added to each sum, by its ids. */
const sumsOf = (...entries: ReturnType<typeof entryOf>[]) =>
  tally(entries).sums.map(({ ids, used }) => [...Object.values(ids), Object.fromEntries(used)]);

test('a spend counts on its day: in all, for its feature, and for its spender', () => {
  const used = { 28: { spent_stars: 5, refunded_stars: 0 } };
  expect(sumsOf(entryOf({ feature: 'search' }))).toEqual([
    ['day', '2026-11', '', used],
    ['feature', '2026-11', 'search', used],
    ['spender', '2026-11', '', used],
  ]);
});

test('spends and captures are spent; a refund is all that it is of; nothing else is usage', () => {
  const inAll = (type: string, stars: number, lost: { stars: number }[] = []) =>
    sumsOf(entryOf({ type, stars, lost }))[0]?.[3];
  expect(inAll('hold.captured', -3)).toEqual({ 28: { spent_stars: 3, refunded_stars: 0 } });
  expect(inAll('stars.refunded', 2, [{ stars: 4 }, { stars: 1 }])).toEqual({
    28: { spent_stars: 0, refunded_stars: 7 },
  });
  for (const type of ['stars.lapsed', 'hold.released', 'hold.expired', 'stars.held'])
    expect(inAll(type, -3)).toBeUndefined();
  for (const type of ['pack.purchased', 'pack.reversed', 'stars.adjusted', 'subscription.renewed'])
    expect(inAll(type, -3, [{ stars: 2 }])).toBeUndefined();
  // A capture of a hold of which nothing was taken.
  expect(inAll('hold.captured', -0)).toBeUndefined();
});

test('days of a month are one sum, those of two months are two', () => {
  const days = ['2026-11-01', '2026-11-30', '2026-12-01', '2026-11-30'];
  const sums = sumsOf(...days.map((day) => entryOf({ at: `${day}T00:00:00.000Z` })));
  expect(sums.filter(([grouping]) => grouping === 'day')).toEqual([
    [
      'day',
      '2026-11',
      '',
      {
        '01': { spent_stars: 5, refunded_stars: 0 },
        30: { spent_stars: 10, refunded_stars: 0 },
      },
    ],
    ['day', '2026-12', '', { '01': { spent_stars: 5, refunded_stars: 0 } }],
  ]);
});

test('entries are counted until they touch as many sums as a transaction can', () => {
  const of = (count: number) =>
    Array.from({ length: count }, (_, i) => entryOf({ spender: `s${i}` }));
  // A day and a feature, and a spender each.
  const most = mostSums - 2;
  expect(tally(of(most))).toMatchObject({ entries: most });
  expect(tally(of(most)).sums).toHaveLength(mostSums);
  expect(tally(of(most + 1))).toMatchObject({ entries: most });
  expect(tally(of(most + 1)).sums).toHaveLength(mostSums);
  // What touches no other sum goes on.
  const more = [...of(most), entryOf({ spender: 's0' }), entryOf({ type: 'stars.held' })];
  expect(tally([...more, entryOf({ spender: 'other' })]).entries).toBe(most + 2);
});
