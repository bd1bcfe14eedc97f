import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstIdAt } from '../../../../lib/leads/lead.ts';
import { listLeads, pageEndForm } from '../../../../lib/leads/lists/list.ts';
import type { ListGrant } from '../../../../lib/leads/lists/read-range.ts';
import type { Filters } from '../../../../lib/leads/lists/terms/filters.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { indexPartition, places } from '../../../../lib/table/keys.ts';
import { mostItemsExamined } from '../../../../lib/table/read-budget.ts';
import type { Item, Page, QueryInput } from '../../../../lib/table/table.ts';
import { fakeQueries } from '../../../support/fake-table.ts';
import { itemsPut } from '../../../support/origin.ts';
import { random, seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';

// How much a page reads, and of which list. What the table answers is tested with an engine: test/api/leads.

const next = random(seed);

const organizationId = randomUUID();
const start = Date.parse('2026-01-01T00:00:00Z');
const idAt = (minute: number) => `${firstIdAt(start + minute * 60_000)}-7000-8000-000000000000`;

/** What each lead has. */
const stored = { contact_name: 'Ana', pipeline_id: randomUUID(), stage: 'new' };

interface Listed {
  id: string;
  /** Whether it is in the list that is asked for. */
  passes: boolean;
}

/** Answers as DynamoDB does, of lists that are newest first, and writes down what was asked for. */
class Lists {
  asked: { list: string; limit: number; end: string }[] = [];
  readonly #lists: ReadonlyMap<string, readonly Listed[]>;
  readonly #pipelines: Item[];
  readonly #mostAtOnce: number;

  constructor(
    lists: ReadonlyMap<string, readonly Listed[]>,
    pipelines: Item[] = [],
    mostAtOnce = Number.POSITIVE_INFINITY,
  ) {
    this.#lists = lists;
    this.#pipelines = pipelines;
    this.#mostAtOnce = mostAtOnce;
  }

  readonly #query = ({ values, limit, startAfter, filter }: QueryInput<ListGrant>): Page => {
    const list = values[':partition'] as string;
    const leads = this.#lists.get(list);
    if (!leads)
      return {
        items: this.#pipelines,
        examined: this.#pipelines.length,
        units: 0,
        last: undefined,
      };
    const next = startAfter ? leads.findIndex(({ id }) => id < String(startAfter.sk)) : 0;
    const most = Math.min(limit, this.#mostAtOnce);
    const some = next < 0 ? [] : leads.slice(next, next + most);
    const last = some.length === most ? { pk: list, sk: some.at(-1)?.id } : undefined;
    this.asked.push({ list, limit, end: last?.sk ?? '' });
    const items = some
      .filter(({ passes }) => passes || !filter)
      .map(({ id }) => ({ pk: list, sk: id, ...stored }));
    return { items, examined: some.length, units: 0, last };
  };

  readonly table = fakeQueries<ListGrant>(this.#query);

  /** The pages of a list, each with what was asked for it. */
  async pages(filters: Filters, limit: number) {
    const pages: { ids: string[]; before?: string; next?: string; asked: Lists['asked'] }[] = [];
    do {
      this.asked = [];
      const before = pages.at(-1)?.next;
      const { leads, next } = await listLeads(this.table, organizationId, filters, limit, before);
      const ids = leads.map(({ id }) => id);
      pages.push({ ids, ...(before && { before }), ...(next && { next }), asked: this.asked });
    } while (pages.at(-1)?.next);
    return pages;
  }
}

/** If all leads are as large as they can be, 240 units read so many. */
const mostItemsProbed = 120;

const total = (asked: { limit: number }[]) => asked.reduce((sum, { limit }) => sum + limit, 0);

const tagsOf = (count: number) => Array.from({ length: count }, (_, i) => `t${10 + i}`);
const listOf = (tag: string) => places.leadOfTag.partition({ organizationId, tag });

/** The lists of as many tags: `both` leads that all have, and of each tag so many more, spread by chance. */
const listsOf = (both: number, more: readonly number[], place: () => number) => {
  const shared = Array.from({ length: both }, () => ({ at: place(), passes: true }));
  const taken = new Set<number>();
  const listed = (leads: { at: number; passes: boolean }[]) =>
    leads
      .map(({ at, passes }) => ({ id: idAt(at), passes }))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const one of shared) {
    while (taken.has(one.at)) one.at++;
    taken.add(one.at);
  }
  const lists = tagsOf(more.length).map((tag, i): [string, Listed[]] => {
    const own = Array.from({ length: more[i]! }, () => ({ at: place(), passes: false }));
    return [listOf(tag), listed([...shared, ...own.filter(({ at }) => !taken.has(at))])];
  });
  return { table: new Lists(new Map(lists)), wanted: listed(shared).map(({ id }) => id) };
};

test(`of several lists, each page is nearly full, or has examined what it may, of the list that came farthest (SEED=${seed})`, async () => {
  const worlds = fc.record({
    both: fc.nat(400),
    more: fc.array(fc.oneof(fc.nat(100), fc.nat(4000)), { minLength: 2, maxLength: 7 }),
    limit: fc.constantFrom(1, 7, 50, 200),
    places: fc.infiniteStream(fc.nat(100_000)),
  });
  const run = fc.asyncProperty(worlds, async ({ both, more, limit, places }) => {
    const { table, wanted } = listsOf(both, more, () => places.next().value);
    const joined: string[] = [];
    const filters = { tags: tagsOf(more.length) };
    for (const { ids, next, before, asked } of await table.pages(filters, limit)) {
      joined.push(...ids);
      expect(ids.length).toBeLessThanOrEqual(limit);
      expect(total(asked)).toBeLessThanOrEqual(mostItemsExamined);
      const isNearlyFull = ids.length >= limit * 0.8;
      if (next && !isNearlyFull) expect(total(asked)).toBe(mostItemsExamined);
      // A page that was dear chooses anew; one that was not goes on with its list.
      if (next) expect(pageEndForm.exec(next)?.[2] !== '').toBe(isNearlyFull);
      const goesOn = before !== undefined && pageEndForm.exec(before)?.[2] !== '';
      const probes = goesOn ? [] : asked.slice(0, more.length);
      if (!goesOn) {
        expect(probes.map(({ list }) => list)).toEqual(filters.tags.map(listOf));
        const probe = Math.min(limit, 50, Math.floor(mostItemsProbed / more.length));
        expect(new Set(probes.map((one) => one.limit))).toEqual(new Set([probe]));
      }
      const read = new Set(asked.slice(probes.length).map(({ list }) => list));
      expect(read.size).toBeLessThanOrEqual(1);
      const farthest = probes.map(({ end }) => end).sort()[0];
      for (const { list, end } of probes) if (read.has(list)) expect(end).toBe(farthest);
    }
    expect(joined).toEqual(wanted);
  });
  await fc.assert(run, { seed, numRuns: times(8, 60) });
});

test.each([
  [20, 10],
  [200, 3],
])(
  'a page of %i, of which one in %i is in the list, examines little more than it needs',
  async (limit, every) => {
    const leads = Array.from({ length: 10_000 }, (_, i) => ({
      id: idAt(10_000 - i),
      passes: i % every === 0,
    }));
    const table = new Lists(new Map(tagsOf(2).map((tag) => [listOf(tag), leads])));
    const [first] = await table.pages({ tags: tagsOf(2) }, limit);
    const [, ofOther, ...read] = first!.asked;
    expect(total(read)).toBeGreaterThan(0);
    expect(first!.ids.length).toBeGreaterThanOrEqual(limit * 0.8);
    expect(total(first!.asked) - ofOther!.limit).toBeLessThan(1.1 * limit * every);
    // One after the other, so few are better.
    expect(read.length).toBeLessThanOrEqual(4);
  },
);

test.each([
  [2, 200, 50],
  [7, 200, 17],
  [20, 50, 6],
])(
  'where none of %i lists has what is asked for, a request for %i examines what it may, the first %i of each included',
  async (count, limit, probe) => {
    const { table } = listsOf(0, Array(count).fill(3000), () => Math.floor(next() * 1e6));
    const [first] = await table.pages({ tags: tagsOf(count) }, limit);
    expect(first).toMatchObject({ ids: [], next: expect.stringMatching(/^[\da-f-]{36}$/) });
    const probes = first!.asked.slice(0, count).map((one) => one.limit);
    expect(probes).toEqual(Array(count).fill(probe));
    expect(total(first!.asked)).toBe(mostItemsExamined);
  },
);

test('a cursor of a list that is not asked for is refused', async () => {
  const { table } = listsOf(50, [50, 50], () => Math.floor(next() * 100_000));
  const from = (letter: string) =>
    listLeads(table.table, organizationId, { tags: tagsOf(2) }, 10, `${idAt(50_000)}${letter}`);
  await expect(from('b')).resolves.toHaveProperty('leads');
  await expect(from('c')).rejects.toMatchObject({ code: 'invalid_cursor' });
});

const stages = [{ name: 'new', outcome: 'open' }];
const input = pipelineInput.parse({ name: 'Sales', stages, unique_contact: [] });

/** One for each of these shares of the leads. */
const pipelinesOf = (count: number, shares: readonly number[], mostAtOnce?: number) => {
  const pipelines = shares.map(() => newPipeline(randomUUID(), input, start));
  const lists = pipelines.map(({ id }): [string, Listed[]] => [
    indexPartition(organizationId, id, 'new'),
    [],
  ]);
  const all = shares.flatMap((share, i) => Array.from({ length: share }, () => i));
  const leads = Array.from({ length: count }, (_, i) => {
    const lead = { id: idAt(count - i), passes: true };
    // 7919 is prime: in each while, each pipeline has its share.
    lists[all[(i * 7919) % all.length]!]![1].push(lead);
    return lead.id;
  });
  const items = pipelines.map((one) => itemsPut(putPipeline(organizationId, one))[0]!);
  return { table: new Lists(new Map(lists), items, mostAtOnce), leads };
};

test.each([
  ['one', [1], 1],
  ['two that are alike', [1, 1], 2],
  ['two that are not', [1, 19], 2.2],
  ['fifty that are alike', Array(50).fill(1), 5.3],
  ['fifty, one of which has nearly all', [951, ...Array(49).fill(1)], 5.3],
])(
  'pages of the lists of pipelines, %s, are full, and read no more than so many times as much',
  async (_, shares, times) => {
    for (const limit of [10, 50, 200]) {
      const { table, leads } = pipelinesOf(1500, shares);
      const joined: string[] = [];
      for (const { ids, next, asked } of await table.pages({ stages: ['new'], tags: [] }, limit)) {
        joined.push(...ids);
        if (next) expect(ids.length).toBe(limit);
        expect(total(asked)).toBeLessThanOrEqual(times * (limit + 1) + shares.length);
      }
      expect(joined).toEqual(leads);
    }
  },
);

test.each([1, 3, 50])('pages of %i pipelines are full where a query ends early', async (count) => {
  const { table, leads } = pipelinesOf(500, Array(count).fill(1), 30);
  const pages = await table.pages({ stages: ['new'], tags: [] }, 200);
  expect(pages.map(({ ids }) => ids.length)).toEqual([200, 200, 100]);
  expect(pages.flatMap(({ ids }) => ids)).toEqual(leads);
});
