import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTable } from '../../../lib/table/client.ts';
import { type ItemOf, Kind } from '../../../lib/table/kind.ts';
import { type PartitionList, readPage } from '../../../lib/table/pages.ts';
import { Place } from '../../../lib/table/place.ts';
import type { Page } from '../../../lib/table/table.ts';
import { put } from '../../../lib/table/write.ts';
import { fakeQueries } from '../../support/fake-table.ts';
import { seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import '../support.ts';

const table = openTable();

const kind = new Kind(new Place('THINGS#<id>', 'THING#<number>'), {
  holds: 'a thing',
  attributes: z.object({ isListed: z.boolean() }),
});
type Thing = ItemOf<typeof kind>;

const numberOf = (item: Thing) => kind.idsOf(item).number;
const listOf = (id: string) => ({
  identity: [id, 'listThings'] as const,
  kind,
  pk: kind.partition({ id }),
  pattern: /^\d{4}$/,
  toItem: (item: Thing) => (item.isListed ? numberOf(item) : undefined),
});
const numbered = (i: number) => String(i).padStart(4, '0');

/** A partition with so many things, of which these are listed, and one item of another kind at each end. */
const having = async (count: number, isListed: (i: number) => boolean) => {
  const id = randomUUID();
  const pk = kind.partition({ id });
  const others = ['A', 'Z'].map((sk) => ({ Put: { Item: { pk, sk } } }));
  const things = Array.from({ length: count }, (_, i) =>
    put(kind.key({ id, number: numbered(i) }), { isListed: isListed(i) }),
  );
  await table.transact([...others, ...things]);
  return id;
};

/** All pages of a list, each of so many. */
const pagesOf = async (list: PartitionList<Thing, string>, limit: number) => {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(table, list, { limit, cursor });
    pages.push(page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
};

test(`pages have all that is listed, in its order, and are full but the last (SEED=${seed})`, async () => {
  const lists = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  const run = fc.asyncProperty(lists, async (isListed) => {
    const id = await having(isListed.length, (i) => isListed[i]!);
    const listed = isListed.flatMap((one, i) => (one ? numbered(i) : []));
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      for (const newestFirst of [false, true]) {
        const pages = await pagesOf({ ...listOf(id), newestFirst }, limit);
        expect(pages.flat()).toEqual(newestFirst ? listed.toReversed() : listed);
        // What is not listed takes no place in them, and none is empty but that of an empty list.
        expect(pages).toHaveLength(Math.max(1, Math.ceil(listed.length / limit)));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
      }
    }
  });
  await fc.assert(run, { seed, numRuns: times(12, 100) });
});

test('of a list where nothing is listed, the one page is empty', async () => {
  const id = await having(5, () => false);
  expect(await pagesOf(listOf(id), 2)).toEqual([[]]);
  expect(await pagesOf(listOf(randomUUID()), 2)).toEqual([[]]);
});

test('a list begins and ends where it should', async () => {
  const id = await having(8, () => true);
  const from = kind.sort({ number: '0002' });
  const isPast = (item: Thing) => numberOf(item) >= '0006';
  // The list begins after this key.
  const pages = await pagesOf({ ...listOf(id), from, isPast }, 2);
  expect(pages).toEqual([[3, 4].map(numbered), [5].map(numbered)]);
});

test('a cursor is of its list alone', async () => {
  const id = await having(3, () => true);
  const { next_cursor: cursor } = await readPage(table, listOf(id), { limit: 1 });
  expect((await readPage(table, listOf(id), { limit: 1, cursor: cursor! })).items).toEqual([
    '0001',
  ]);
  const other = await having(3, () => true);
  for (const wrong of [cursor!, 'x']) {
    const read = readPage(table, listOf(other), { limit: 1, cursor: wrong });
    await expect(read).rejects.toMatchObject({ code: 'invalid_cursor' });
  }
});

/** A partition with so many things of which only the last is listed, and the number of those that were read. */
const lastOf = (count: number) => {
  let examined = 0;
  const pk = kind.partition({ id: 'a' });
  const fake = fakeQueries(({ limit, startAfter }): Page => {
    const from = startAfter ? Number(String(startAfter.sk).slice(kind.sortPrefix.length)) + 1 : 0;
    const numbers = Array.from({ length: Math.min(limit, count - from) }, (_, i) => from + i);
    const items = numbers.map((i) => ({
      pk,
      sk: kind.sort({ number: numbered(i) }),
      isListed: i === count - 1,
    }));
    examined += items.length;
    const isEnd = from + items.length === count;
    return { items, examined: items.length, units: 0, last: isEnd ? undefined : items.at(-1) };
  });
  return { fake, examined: () => examined };
};

test('a page that reads 1,000 items which are not listed ends there, and the next goes on', async () => {
  const within = lastOf(1000);
  expect(await readPage(within.fake, listOf('a'), { limit: 99 })).toEqual({
    items: ['0999'],
    next_cursor: null,
  });
  const beyond = lastOf(1001);
  const first = await readPage(beyond.fake, listOf('a'), { limit: 99 });
  expect([first.items, beyond.examined()]).toEqual([[], 1000]);
  const cursor = first.next_cursor!;
  expect(await readPage(beyond.fake, listOf('a'), { limit: 99, cursor })).toEqual({
    items: ['1000'],
    next_cursor: null,
  });
});
