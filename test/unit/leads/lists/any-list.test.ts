import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { creationTime, type Lead, leadInput, newLead } from '../../../../lib/leads/lead.ts';
import { listLeads } from '../../../../lib/leads/lists/list.ts';
import type { Filters } from '../../../../lib/leads/lists/terms/filters.ts';
import { type Sort, sorts, toOrder } from '../../../../lib/leads/lists/terms/orders.ts';
import { leadKind, listedLead, replaceLead } from '../../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { ownersOrders } from '../../../../lib/table/indexes/lead-indexes.ts';
import { indexPartition, places } from '../../../../lib/table/keys.ts';
import { withoutFact } from '../../../../lib/table/write.ts';
import { putLeads } from '../../../support/lead-items.ts';
import { filtersByChance, listOf } from '../../../support/list-model.ts';
import { orderValues, untriedOrders } from '../../../support/order-values.ts';
import { commitIn } from '../../../support/origin.ts';
import { chance, pick, random, seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import '../../support.ts';

// Of any leads, filters and orders. How much a page reads, and of which list, is tested in list.test.ts.

const stages = (['new', 'won'] as const).map((name) => ({
  name,
  outcome: name === 'won' ? name : ('open' as const),
}));
const makePipelines = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const input = pipelineInput.parse({ name: `P${i}`, stages, unique_contact: [] });
    return newPipeline(randomUUID(), input, Date.now() + i);
  });

const table = openTable();

const put = (key: { pk: string; sk: string }, attributes: object = {}) => ({
  Put: { Item: { ...key, ...attributes }, ConditionExpression: 'attribute_not_exists(pk)' },
  refused: (existing?: object) => new Error(`stands: ${JSON.stringify(existing)}`),
});

const key = () =>
  places.note.key({ organizationId: randomUUID(), leadId: randomUUID(), noteId: 'n' });

test('getAll answers in the order of its keys, and nothing for what is not there', async () => {
  const [a, b] = [key(), key()];
  await table.transact([put(a, { content: 1 }), put(b, { content: 2 })]);
  const found = await table.getAll([b, undefined, key(), a]);
  expect(found.map((item) => item?.content)).toEqual([2, undefined, undefined, 1]);
});

test('a refused condition writes nothing, and is given the item that stands in the way', async () => {
  const [taken, free] = [key(), key()];
  await table.transact([put(taken, { content: 1 })]);
  const both = table.transact([put(free), put(taken, { content: 2 })]);
  await expect(both).rejects.toThrow(/stands.*"content":1/);
  expect(await table.getAll([free, taken])).toEqual([undefined, { ...taken, content: 1 }]);
});

/** Any list here has fewer. */
const mostPages = 300;

/** All pages of a list, joined. */
const listed = async (
  organizationId: string,
  filters: Filters,
  limit: number,
  sort: Sort = '-created_at',
) => {
  const found: Lead[] = [];
  let position: string | undefined;
  let pages = 0;
  do {
    const order = toOrder(sort);
    const page = await listLeads(table, organizationId, filters, limit, position, order);
    expect(page.leads.length).toBeLessThanOrEqual(limit);
    found.push(...page.leads);
    position = page.next;
    pages++;
  } while (position !== undefined && pages < mostPages);
  expect(position, `${sort}: the list never ends`).toBeUndefined();
  return found;
};

const next = random(seed);
const hour = 3_600_000;
const organizationId = randomUUID();
const owners = [randomUUID(), randomUUID()];
/** Where in a hundred leads those of each pipeline begin. */
const begins = [0, 70, 90, 99];
const pipelines = makePipelines(begins.length);
/** Newest first. */
const leads: Lead[] = [];

const later = (msecs: number, hours: number): string =>
  new Date(Math.floor(msecs + hours * hour * next())).toISOString();

const leadAt = (msecs: number): Lead => {
  const percent = next() * 100;
  const pipeline = pipelines[begins.findLastIndex((begin) => begin <= percent)]!;
  const id = v7({ msecs });
  const at = creationTime(id);
  const input = leadInput.parse({
    contact_name: 'Maria',
    pipeline_id: pipeline.id,
    ...(chance(next, 0.8) && { owner_id: pick(next, owners) }),
    tags: ['usual', 'rare'].filter((tag) => chance(next, tag === 'usual' ? 0.9 : 0.2)),
    ...(chance(next, 0.7) && { email: `${id}@example.com` }),
    ...(chance(next, 0.3) && { phone: '+5511987654321' }),
  });
  const lead = newLead(input, pipeline, pick(next, stages).name);
  const stage_entered_at = chance(next, 0.5) ? at : later(msecs, 100);
  const values = orderValues(next);
  // Half of them were not changed since they entered the stage.
  const updated_at = chance(next, 0.5) ? stage_entered_at : values.updated_at;
  const times = { created_at: at, stage_entered_at };
  return { ...lead, id, ...times, ...values, updated_at };
};

beforeAll(async () => {
  await commitIn(table)(pipelines.flatMap((pipeline) => putPipeline(organizationId, pipeline)));
  let moment = Date.parse('2026-01-01T00:00:00Z');
  for (let i = 0; i < times(500, 1500); i++) {
    moment += chance(next, 0.01) ? 20 * hour * next() : 60_000 * next();
    leads.unshift(leadAt(Math.floor(moment)));
  }
  await putLeads(table, organizationId, leads, 25);
});

const outcomeOf = ({ stage }: Lead) => stages.find(({ name }) => name === stage)!.outcome;

const filtersOf = () =>
  filtersByChance(next, leads, {
    pipelines: pipelines.map(({ id }) => id),
    owners,
    stages: stages.map(({ name }) => name),
    tags: ['usual', 'rare'],
  });

test(`each lead is listed once, whole and in order, whatever the filters, the order and the limit (SEED=${seed})`, async () => {
  expect(untriedOrders(leads)).toEqual([]);
  for (let run = 0; run < times(20, 200); run++) {
    const filters = run === 0 ? { tags: [] } : filtersOf();
    const sort =
      run % 3 === 0 ? pick(next, ['-created_at', 'created_at'] as const) : pick(next, sorts);
    const limit = pick(next, [20, 50, 200]);
    const wanted = listOf(leads, filters, sort, outcomeOf);
    const of = JSON.stringify({ filters, sort, limit });
    const found = await listed(organizationId, filters, limit, sort).catch((error) => {
      if (error.code !== 'invalid_request') throw error;
      expect(filters.owner_id ?? undefined, of).toBeUndefined();
      expect(ownersOrders, of).toContain(toOrder(sort).field);
    });
    if (found) expect(found, of).toEqual(wanted);
  }
});

test('a listed lead is the same read from the table, and has a copy by its tag, which is in no index', async () => {
  const one = leads.find(({ tags }) => tags.includes('usual'))!;
  const { items: stored } = await table.query({
    kind: listedLead,
    condition: 'pk = :pk AND sk = :sk',
    values: { ':pk': leadKind.partition({ organizationId }), ':sk': one.id },
    limit: 1,
  });
  expect(stored).toEqual([one]);
  const copy = places.leadOfTag.key({ organizationId, tag: 'usual', leadId: one.id });
  expect(await table.get(copy)).toBeDefined();
  const { items } = await table.query({
    index: 'by_pipeline',
    condition: 'p = :p',
    values: { ':p': indexPartition(organizationId, one.pipeline_id) },
    limit: 10,
  });
  expect(new Set(items.map(({ pk }) => pk))).toEqual(
    new Set([leadKind.partition({ organizationId })]),
  );
});

test('a list whose pages are just full has no page without leads', async () => {
  const organizationId = randomUUID();
  const [pipeline] = makePipelines(1) as [ReturnType<typeof makePipelines>[0]];
  const input = leadInput.parse({ contact_name: 'Maria', pipeline_id: pipeline.id });
  const leads = Array.from({ length: 12 }, () => newLead(input, pipeline)).reverse();
  await putLeads(table, organizationId, leads, 25);
  for (const filters of [{ tags: [] }, { tags: [], pipeline_id: pipeline.id }]) {
    const first = await listLeads(table, organizationId, filters, 6);
    const second = await listLeads(table, organizationId, filters, 6, first.next);
    expect([[...first.leads, ...second.leads], second.next]).toEqual([leads, undefined]);
  }
});

test('a page of large leads is full, also of a stage in several pipelines', async () => {
  const organizationId = randomUUID();
  const pipelines = makePipelines(10);
  await commitIn(table)(pipelines.flatMap((pipeline) => putPipeline(organizationId, pipeline)));
  const wide = (n: number) => '\u{1F600}'.repeat(50 - String(n).length) + n;
  const long = '\u{1F600}'.repeat(200);
  // 4 bytes a character, and 20 tags: about 6 kB, of which 1 MB has less than 180.
  const large = { contact_name: long, company_name: long, tags: [...Array(20).keys()].map(wide) };
  const leads = Array.from({ length: 460 }, (_, i) => {
    const pipeline = pipelines[i % 30 === 0 ? 1 : 0]!;
    return newLead(leadInput.parse({ ...large, pipeline_id: pipeline.id }), pipeline);
  }).reverse();
  // Without their copies by tags.
  const stored = { version: 1, unique: [], filterable: [] };
  const writes = leads.flatMap((lead) =>
    replaceLead(organizationId, undefined, { lead, ...stored })
      .slice(0, 1)
      .map(withoutFact),
  );
  for (let i = 0; i < writes.length; i += 100) await table.transact(writes.slice(i, i + 100));
  for (const filters of [{ tags: [] }, { tags: [], stages: ['new'] }]) {
    const first = await listLeads(table, organizationId, filters, 200);
    const second = await listLeads(table, organizationId, filters, 200, first.next);
    const third = await listLeads(table, organizationId, filters, 200, second.next);
    const pages = [first, second, third].map((page) => page.leads.map(({ id }) => id));
    expect(pages.map(({ length }) => length)).toEqual([200, 200, 60]);
    expect([pages.flat(), third.next]).toEqual([leads.map(({ id }) => id), undefined]);
  }
});
