import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { toTold } from '../../../lib/changes/change.ts';
import { examineAtMost, readFeed, withoutGap } from '../../../lib/changes/feed.ts';
import { fakeQueries } from '../../support/fake-table.ts';
import { Outbox, table, upTo } from './outbox.ts';

test.each([
  [0, [1, 2, 3], 3],
  [0, [2, 3], 0],
  [0, [1, 3, 4], 1],
  [7, [8, 9, 11], 2],
  [7, [7, 8], 0],
  [0, [], 0],
])('after %i, a page of %j ends before the first number that is missing', (after, all, taken) => {
  expect(
    withoutGap(
      after,
      all.map((sequence) => ({ sequence })),
    ).length,
  ).toBe(taken);
});

test('no page has what comes after a number that the index does not show yet', async () => {
  const outbox = new Outbox();
  await outbox.number(await outbox.lead(5));
  const lagging = fakeQueries<'Query by_sequence'>(async (input) => {
    const page = await table.query(input);
    return { ...page, items: page.items.filter(({ sequence }) => sequence !== 3) };
  });
  const read = (after: number) => readFeed(lagging, outbox.id, { after, limit: 50 });
  const page = await read(0);
  expect(page.items.map(({ change }) => change.sequence)).toEqual([1, 2]);
  expect(page).toMatchObject({ lastSequence: 2, hasMore: true });
  expect(await read(2)).toMatchObject({ items: [], lastSequence: 2, hasMore: true });
});

test('what has no number, or is not in the outbox, is no change', async () => {
  const outbox = new Outbox();
  const [key] = await outbox.lead(1);
  const item = await table.get(key!);
  expect(() => toTold(item!)).toThrow('has no sequence');
  await outbox.number([key!]);
  expect(toTold((await table.get(key!))!).change).toMatchObject({ sequence: 1 });
  expect(() => toTold({ pk: 'LEADS#1', sk: '2', sequence: 1 })).toThrow('no change is made of');
});

describe('of a feed with 1,100 changes, all but the last of leads that are updated', () => {
  const outbox = new Outbox();
  type Types = ('lead.created' | 'lead.updated' | 'wallet.changed')[];
  /** The numbers of a page, and where it ends. */
  const read = async (after: number, limit: number, types?: Types) => {
    const page = await readFeed(table, outbox.id, { after, limit, types });
    const numbers = page.items.map(({ change }) => change.sequence);
    return { numbers, end: [page.lastSequence, page.hasMore] };
  };

  beforeAll(async () => {
    await outbox.number([...(await outbox.lead(1099)), ...(await outbox.entry(1, 0))]);
  });

  test.each([1, 7, 200])('pages of %i are all of it', async (limit) => {
    const pages = Math.min(10, Math.ceil(1100 / limit));
    for (let i = 0, after = 0; i < pages; i++) {
      const last = Math.min(after + limit, 1100);
      expect(await read(after, limit)).toEqual({
        numbers: upTo(last).slice(after),
        end: [last, last < 1100],
      });
      after = last;
    }
  });

  test('a page that ends with the feed, or begins after it, says that there is no more', async () => {
    expect((await read(1000, 100)).end).toEqual([1100, false]);
    expect((await read(1000, 99)).end).toEqual([1099, true]);
    for (const after of [1100, 5000]) {
      expect(await read(after, 50)).toEqual({ numbers: [], end: [after, false] });
    }
  });

  test('of a type, it examines so many and no more, and moves on over what is not of it', async () => {
    const first = await read(0, 50, ['wallet.changed']);
    expect(first).toEqual({ numbers: [], end: [examineAtMost, true] });
    const second = await read(examineAtMost, 50, ['wallet.changed']);
    expect(second).toEqual({ numbers: [1100], end: [1100, false] });
    const both = await read(0, 2, ['lead.created', 'wallet.changed']);
    expect(both).toEqual({ numbers: [1], end: [examineAtMost, true] });
  });

  test('of a user, it passes over what others did, and examines no more either', async () => {
    const none = await readFeed(table, outbox.id, { after: 0, limit: 50, userId: randomUUID() });
    expect([none.items, none.lastSequence, none.hasMore]).toEqual([[], examineAtMost, true]);
  });

  test('where changes are large, it ends once it took 122 of 250 units', async () => {
    const large = fakeQueries<'Query by_sequence'>(async (input) => {
      const page = await table.query(input);
      return { ...page, units: 123 };
    });
    const page = await readFeed(large, outbox.id, {
      after: 0,
      limit: 50,
      types: ['wallet.changed'],
    });
    expect([page.items, page.lastSequence, page.hasMore]).toEqual([[], 51, true]);
  });

  test('of a type that there is much of, a page is full and leaves the rest', async () => {
    const page = await read(0, 60, ['lead.updated']);
    expect(page).toEqual({ numbers: upTo(61).slice(1), end: [61, true] });
  });
});
