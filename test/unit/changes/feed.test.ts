import { beforeAll, describe, expect, test } from 'vitest';
import { noticesOf } from '../../../lib/billing/notices.ts';
import { toChange } from '../../../lib/changes/change.ts';
import { examineAtMost, readFeed, withoutGap } from '../../../lib/changes/feed.ts';
import { entriesOf, numberChanges } from '../../../lib/changes/numbering.ts';
import { Outbox, table, upTo } from './outbox.ts';

const withSequences = (...sequences: number[]) => sequences.map((sequence) => ({ sequence }));

describe('a page ends before the first number that is missing', () => {
  test.each([
    [0, [1, 2, 3], 3],
    [0, [2, 3], 0],
    [0, [1, 3, 4], 1],
    [7, [8, 9, 11], 2],
    [7, [7, 8], 0],
    [0, [], 0],
  ])('after %i, of %j', (after, sequences, taken) => {
    expect(withoutGap(after, withSequences(...sequences)).length).toBe(taken);
  });
});

test('no page has what comes after a number that the index does not show yet', async () => {
  const outbox = new Outbox();
  const keys = await outbox.lead(5);
  await numberChanges(table.during({ deadline: Date.now() + 30_000 }), outbox.id, entriesOf(keys));
  const lagging = {
    query: async (input: Parameters<typeof table.query>[0]) => {
      const page = await table.query(input);
      return { ...page, items: page.items.filter(({ sequence }) => sequence !== 3) };
    },
  };
  const read = (after: number) => readFeed(lagging, outbox.id, { after, limit: 50 });
  const page = await read(0);
  expect(page.items.map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(page).toMatchObject({ lastSequence: 2, hasMore: true });
  expect(await read(2)).toMatchObject({ items: [], lastSequence: 2, hasMore: true });
});

test('what has no number, or is not in the outbox, is no change', async () => {
  const [key] = await new Outbox().lead(1);
  expect(() => toChange({ ...key, type: 'lead.created' })).toThrow('has no sequence');
  expect(() => toChange({ pk: 'LEADS#1', sk: '2', sequence: 1 })).toThrow('no change is made of');
});

test('each threshold that the stars fell to is told by itself, the last star as stars.depleted', () => {
  expect(noticesOf([100, 10, 0], 0)).toEqual([
    { type: 'stars.low', threshold: 100, available_stars: 0 },
    { type: 'stars.low', threshold: 10, available_stars: 0 },
    { type: 'stars.depleted' },
  ]);
  expect(noticesOf([], 7)).toEqual([]);
});

describe('of a feed with 1,100 changes, all but the last of leads that are updated', () => {
  const outbox = new Outbox();
  const read = (
    after: number,
    limit: number,
    types?: ('lead.created' | 'lead.updated' | 'wallet.changed')[],
  ) => readFeed(table, outbox.id, { after, limit, types });

  beforeAll(async () => {
    const keys = [...(await outbox.lead(1099)), ...(await outbox.entry(1, 0))];
    await numberChanges(
      table.during({ deadline: Date.now() + 30_000 }),
      outbox.id,
      entriesOf(keys),
    );
  });

  test.each([1, 7, 200])('pages of %i are all of it', async (limit) => {
    const pages = Math.min(10, Math.ceil(1100 / limit));
    let after = 0;
    for (let i = 0; i < pages; i++) {
      const page = await read(after, limit);
      expect(page.items.map(({ sequence }) => sequence)).toEqual(
        upTo(Math.min(limit, 1100 - after)).map((n) => n + after),
      );
      after = page.lastSequence;
      expect(page.hasMore).toBe(after < 1100);
    }
  });

  test('a page that ends with the feed says that there is no more', async () => {
    expect(await read(1000, 100)).toMatchObject({ lastSequence: 1100, hasMore: false });
    expect(await read(1000, 99)).toMatchObject({ lastSequence: 1099, hasMore: true });
    expect(await read(1100, 50)).toMatchObject({ items: [], lastSequence: 1100, hasMore: false });
  });

  test('what is past the end is nothing, and stays where it is', async () => {
    expect(await read(5000, 50)).toMatchObject({ items: [], lastSequence: 5000, hasMore: false });
  });

  test('of a type, it examines so many and no more, and moves on over what is not of it', async () => {
    const first = await read(0, 50, ['wallet.changed']);
    expect(first).toMatchObject({ items: [], lastSequence: examineAtMost, hasMore: true });
    const second = await read(first.lastSequence, 50, ['wallet.changed']);
    expect(second.items.map(({ sequence }) => sequence)).toEqual([1100]);
    expect(second).toMatchObject({ lastSequence: 1100, hasMore: false });
    const both = await read(0, 2, ['lead.created', 'wallet.changed']);
    expect(both.items.map(({ type }) => type)).toEqual(['lead.created']);
    expect(both.lastSequence).toBe(examineAtMost);
  });

  test('of a type that there is much of, a page is full and leaves the rest', async () => {
    const page = await read(0, 60, ['lead.updated']);
    expect(page.items.map(({ sequence }) => sequence)).toEqual(upTo(60).map((n) => n + 1));
    expect(page).toMatchObject({ lastSequence: 61, hasMore: true });
  });
});
