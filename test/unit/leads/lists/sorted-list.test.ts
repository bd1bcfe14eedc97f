import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { creationTime, type Lead, leadInput, newLead } from '../../../../lib/leads/lead.ts';
import { listLeads } from '../../../../lib/leads/lists/list.ts';
import type { ListGrant } from '../../../../lib/leads/lists/read-range.ts';
import { mostItemsSorted, sortInMemory } from '../../../../lib/leads/lists/sorted-list.ts';
import type { Filters } from '../../../../lib/leads/lists/terms/filters.ts';
import { type Sort, sorts, toOrder } from '../../../../lib/leads/lists/terms/orders.ts';
import { replaceLead } from '../../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { leadIndexKeys } from '../../../../lib/table/indexes/lead-indexes.ts';
import { places } from '../../../../lib/table/keys.ts';
import { mostItemsExamined } from '../../../../lib/table/read-budget.ts';
import type { Item, Page, QueryInput } from '../../../../lib/table/table.ts';
import { withoutFact } from '../../../../lib/table/write.ts';
import { fakeQueries } from '../../../support/fake-table.ts';
import { listOf } from '../../../support/list-model.ts';
import { orderValues, untriedOrders } from '../../../support/order-values.ts';
import { itemsPut } from '../../../support/origin.ts';

// Lists that are not sorted by creation: those that are sorted in memory, and what is read where that is too much. Of any leads
// and filters: any-list.test.ts.

const organizationId = randomUUID();
const pipeline = newPipeline(
  randomUUID(),
  pipelineInput.parse({ name: 'P', stages: [{ name: 'new', outcome: 'open' }] }),
  Date.parse('2026-01-01'),
);
const pipelineItems = itemsPut(putPipeline(organizationId, pipeline)).slice(0, 1);
const owner_id = randomUUID();
const start = Date.parse('2026-01-02');

/** A lead that was made so many minutes after the start. */
const leadAt = (minute: number, input: object = {}): Lead => {
  const id = v7({ msecs: start + minute * 60_000 });
  const fields = { contact_name: 'Ana', pipeline_id: pipeline.id, owner_id, ...input };
  const at = creationTime(id);
  const times = { created_at: at, stage_entered_at: at, updated_at: at };
  return { ...newLead(leadInput.parse(fields), pipeline), id, ...times };
};

const idsOf = (leads: readonly Lead[]) => leads.map(({ id }) => id);

/** All pages of a list. One that never ends fails. */
const pagesOf = async (
  read: (after?: string) => Promise<{ leads: Lead[]; next?: string | undefined }>,
): Promise<Lead[][]> => {
  const pages: Lead[][] = [];
  let next: string | undefined;
  do {
    const page = await read(next);
    pages.push(page.leads);
    next = page.next;
  } while (next !== undefined && pages.length < 100);
  expect(next, 'the list never ends').toBeUndefined();
  return pages;
};

test.each(sorts)(
  'by %s in memory, the last lead ends the last page, which may be full',
  async (sort) => {
    // Two leads have each value.
    const leads = Array.from({ length: 6 }, (_, i) => ({
      ...leadAt(i),
      ...orderValues(() => (i % 3) / 3, 0),
    }));
    expect(untriedOrders(leads)).toEqual([]);
    const wanted = listOf(leads, { tags: [] }, sort, () => 'open');
    for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
      const pages = await pagesOf(async (after) =>
        sortInMemory(toOrder(sort), {}, leads, limit, after),
      );
      expect(idsOf(pages.flat())).toEqual(idsOf(wanted));
      expect(pages.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(6 / limit) }, (_, i) => Math.min(limit, 6 - i * limit)),
      );
    }
    expect(sortInMemory(toOrder(sort), {}, [], 1, undefined)).toEqual({
      leads: [],
      next: undefined,
    });
  },
);

/** Answers as DynamoDB does, of leads as they are stored, and writes down which index was asked, and how many items it looked at. */
class Store {
  asked: { index: string; examined: number }[] = [];
  readonly #items: Item[] = [];
  readonly #mostAtOnce: number;

  constructor(leads: readonly Lead[], mostAtOnce = Number.POSITIVE_INFINITY) {
    this.#mostAtOnce = mostAtOnce;
    this.add(...leads);
  }

  add(...leads: readonly Lead[]): void {
    const stored = { version: 1, unique: [], filterable: [] };
    for (const lead of leads) {
      const writes = replaceLead(organizationId, undefined, { lead, ...stored });
      this.#items.push(...itemsPut(writes.map(withoutFact)));
    }
  }

  readonly #query = (input: QueryInput<ListGrant>): Page => {
    if (!(':partition' in input.values)) {
      return { items: pipelineItems, examined: pipelineItems.length, units: 0, last: undefined };
    }
    const { index, names = {}, values, limit, startAfter, newestFirst } = input;
    const partition = names['#partition'] ?? 'pk';
    const sortKey = leadIndexKeys.find(({ name }) => name === index)?.sortKey ?? 'sk';
    const place = (item: Item) => `${item[sortKey]} ${item.sk}`;
    const all = this.#items
      .filter((item) => item[partition] === values[':partition'] && item[sortKey] !== undefined)
      .sort((a, b) => (place(a) < place(b) === newestFirst ? 1 : -1));
    const isAfter = (item: Item) =>
      !startAfter ||
      (newestFirst ? place(item) < place(startAfter) : place(item) > place(startAfter));
    const [from, to] = [values[':from'], values[':to']].map((bound) => bound as string | undefined);
    const isWithin = (item: Item) =>
      (from === undefined || String(item[sortKey]) >= from) &&
      (to === undefined || String(item[sortKey]) < to);
    const rest = all.filter((item) => isAfter(item) && isWithin(item));
    const most = Math.min(limit, this.#mostAtOnce);
    const some = rest.slice(0, most);
    this.asked.push({ index: index ?? String(values[':partition']), examined: some.length });
    const tags = Object.entries(values).flatMap(([name, tag]) =>
      name.startsWith(':tag') ? [tag] : [],
    );
    const items = some.filter((item) =>
      tags.every((tag) => (item.tags as unknown[])?.includes(tag)),
    );
    const last = some.length === most ? some.at(-1) : undefined;
    return { items, examined: some.length, units: 0, last };
  };

  readonly #table = fakeQueries<ListGrant>(this.#query);

  /** A page, with what was asked for it. */
  async page(filters: Filters, limit: number, sort: Sort, after?: string) {
    this.asked = [];
    const order = toOrder(sort);
    const page = await listLeads(this.#table, organizationId, filters, limit, after, order);
    return { ...page, asked: this.asked };
  }
}

const examined = (asked: Store['asked']) => asked.reduce((sum, one) => sum + one.examined, 0);
const listOfTag = (tag: string) => places.leadOfTag.partition({ organizationId, tag });
const byValue = 'by_pipeline_value_cents';

/** So many leads with the tag, and then others. The later one was made, the greater is its value. */
const tagged = (count: number, others: number, tags = ['t']): Lead[] =>
  Array.from({ length: count + others }, (_, i) =>
    leadAt(i, { value_cents: i, tags: i < count ? tags : [] }),
  );

const ofTag = { pipeline_id: pipeline.id, tags: ['t'] };
const wantedOf = (leads: readonly Lead[], filters: Filters, sort: Sort) =>
  idsOf(listOf(leads, filters, sort, () => 'open'));

describe('a list that is short where it is read by the id', () => {
  test.each([
    [200, Number.POSITIVE_INFINITY, 1, 0],
    // A query may end before its limit.
    [200, 50, 5, 0],
    [201, Number.POSITIVE_INFINITY, 1, 1],
  ])(
    'of %i leads, in queries of %d at most, takes %i queries of its tag, and %i of its order',
    async (...row) => {
      const [count, most, ofTags, ofOrder] = row;
      const leads = tagged(count, 300);
      const page = await new Store(leads, most).page(ofTag, 50, 'value_cents');
      const wanted = wantedOf(leads, ofTag, 'value_cents');
      expect(idsOf(page.leads)).toEqual(wanted.slice(0, page.leads.length));
      expect(page.leads.length).toBeGreaterThanOrEqual(40);
      expect(page.asked.map(({ index }) => index)).toEqual([
        ...Array(ofTags).fill(listOfTag('t')),
        ...Array(ofOrder).fill(byValue),
      ]);
    },
  );

  test('may be so in the time that is asked for', async () => {
    const leads = tagged(600, 0);
    const filters = { ...ofTag, created_from: start + 500 * 60_000 };
    const page = await new Store(leads).page(filters, 200, '-value_cents');
    expect(idsOf(page.leads)).toEqual(wantedOf(leads, filters, '-value_cents'));
    expect(page.asked).toEqual([{ index: listOfTag('t'), examined: 100 }]);
  });

  test('is the one that ends, if another one does not', async () => {
    const leads = [
      ...tagged(600, 0, ['t']),
      ...Array.from({ length: 10 }, (_, i) =>
        leadAt(1000 + i, { value_cents: i, tags: ['t', 'u'] }),
      ),
    ];
    const filters = { pipeline_id: pipeline.id, tags: ['t', 'u'] };
    const page = await new Store(leads).page(filters, 20, 'value_cents');
    expect(idsOf(page.leads)).toEqual(wantedOf(leads, filters, 'value_cents'));
    expect(page.next).toBeUndefined();
  });
});

test.each([1000, 1001])(
  'next steps of any owner are sorted where there are 1,000 leads: %i',
  async (count) => {
    const leads = Array.from({ length: count }, (_, i) =>
      leadAt(i, { next_step_at: new Date(start - i * 1000).toISOString() }),
    );
    const page = new Store(leads).page({ pipeline_id: pipeline.id, tags: [] }, 50, 'next_step_at');
    if (count > mostItemsSorted)
      await expect(page).rejects.toMatchObject({ code: 'invalid_request' });
    else expect(idsOf((await page).leads)).toEqual(idsOf(leads.slice(-50)).toReversed());
  },
);

describe('a list that turns out to be long', () => {
  test.each(['-value_cents', 'value_cents'] as const)(
    'by %s is tried once; then it is read in its order, or sorted where that gives few',
    async (sort) => {
      const leads = tagged(600, 900);
      const store = new Store(leads);
      const pages = await pagesOf(async (after) => {
        const page = await store.page(ofTag, 200, sort, after);
        expect(examined(page.asked)).toBeLessThanOrEqual(2 * mostItemsExamined);
        const [first, ...others] = page.asked;
        if (after === undefined) {
          expect(first).toEqual({ index: listOfTag('t'), examined: 201 });
          // Of the largest first, those with the tag come last: so all that may be read was, and then the tag to its end.
          const last = { index: listOfTag('t'), examined: 399 };
          if (sort === '-value_cents') expect(others.pop()).toEqual(last);
          expect(others.filter(({ index }) => index !== byValue)).toEqual([]);
        } else {
          const way = sort === '-value_cents' ? listOfTag('t') : byValue;
          expect(new Set(page.asked.map(({ index }) => index))).toEqual(new Set([way]));
        }
        return page;
      });
      expect(idsOf(pages.flat())).toEqual(wantedOf(leads, ofTag, sort));
    },
  );

  test('of many tags takes half of a request to find that out', async () => {
    const tags = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const leads = [...tagged(300, 0, tags), ...tagged(0, 1500)];
    const filters = { pipeline_id: pipeline.id, tags };
    const { asked } = await new Store(leads).page(filters, 200, '-value_cents');
    const end = asked.findIndex(({ index }) => index === byValue);
    const tries = asked.slice(0, end);
    expect(new Set(tries.map(({ index }) => index))).toEqual(new Set(tags.map(listOfTag)));
    expect(examined(tries)).toBeLessThanOrEqual(mostItemsExamined / 2);
    expect(examined(asked.filter(({ index }) => index === byValue))).toBeGreaterThan(500);
  });

  test('since its first page was read goes on after that page', async () => {
    const leads = tagged(200, 100);
    const store = new Store(leads);
    const more = leadAt(5000, { value_cents: 5000, tags: ['t'] });
    const pages = await pagesOf(async (after) => {
      const page = await store.page(ofTag, 50, 'value_cents', after);
      if (after === undefined) store.add(more);
      return page;
    });
    expect(idsOf(pages.flat())).toEqual(wantedOf([...leads, more], ofTag, 'value_cents'));
  });

  test('is not tried at all where its way by the id is as long', async () => {
    const store = new Store(tagged(0, 300));
    const ways: Filters[] = [
      { pipeline_id: pipeline.id, tags: [] },
      { pipeline_id: pipeline.id, created_from: start, tags: [] },
      { created_from: start, tags: [] },
    ];
    for (const filters of ways) {
      const { asked } = await store.page(filters, 50, 'value_cents');
      expect(new Set(asked.map(({ index }) => index))).toEqual(new Set([byValue]));
    }
  });

  test('has cursors of its own: the next page takes no other letter', async () => {
    const store = new Store(tagged(300, 0));
    const { next = '' } = await store.page(ofTag, 50, 'value_cents');
    expect(next).toMatch(/a$/);
    await expect(store.page(ofTag, 50, 'value_cents', next)).resolves.toHaveProperty('leads');
    const other = store.page(ofTag, 50, 'value_cents', next.replace(/a$/, 'c'));
    await expect(other).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});
