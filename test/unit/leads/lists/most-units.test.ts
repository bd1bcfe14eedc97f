import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Lead } from '../../../../lib/leads/lead.ts';
import { createLeadWrites } from '../../../../lib/leads/lead-writes.ts';
import { findLeads } from '../../../../lib/leads/lists/find.ts';
import { listLeads } from '../../../../lib/leads/lists/list.ts';
import { type Filters, isLookup } from '../../../../lib/leads/lists/terms/filters.ts';
import { type Sort, toOrder } from '../../../../lib/leads/lists/terms/orders.ts';
import { search } from '../../../../lib/leads/search/search.ts';
import { parseTerms } from '../../../../lib/leads/search/words.ts';
import { putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { listOf } from '../../../support/list-model.ts';
import { commitIn, itemsPut } from '../../../support/origin.ts';
import { random, seed } from '../../../support/random.ts';
import { leadOf, pipelineOf, table } from '../leads-in-process.ts';

// Of leads as large as they can be, however a list or a search passes over most of them: no request takes more read units.

const mostUnits = 250;
const next = random(seed);
const organizationId = randomUUID();
const stages = ['new', 'won'].map((name) => ({ name, outcome: 'open' }));
const pipelines = [1, 2, 3].map(() => pipelineOf({ stages }));
const owners = [randomUUID(), randomUUID()];
const leads: Lead[] = [];

/** Texts of as many bytes as fields may have. */
const wide = (characters: number) => '\u{1F600}'.repeat(characters);

/** The first leads have others than all the rest. */
const wideTags = (end: string) => Array.from({ length: 18 }, (_, i) => `${wide(39)}${i}${end}`);

const largeLead = (n: number): Lead => {
  const pipeline = pipelines[n % 3]!;
  const lead = leadOf(pipeline, {
    contact_name: `Maria ${wide(190)}`,
    company_name: wide(200),
    phone: '+5511987654321',
    owner_id: n % 4 === 0 ? null : owners[n % 2],
    tags: [...wideTags(n < 30 ? 'a' : 'b'), 'most', ...(n % 9 ? [] : ['few'])],
    fields: Object.fromEntries([...Array(16).keys()].map((i) => [`f${i}`, 'x'.repeat(490)])),
    value_cents: Math.floor(next() * 1000),
    ...(n % 2 && { next_step_at: '2026-12-01T13:00:00.000Z' }),
  });
  return { ...lead, stage: n % 40 === 0 ? 'won' : 'new' };
};

beforeAll(async () => {
  await commitIn(table)(pipelines.flatMap((pipeline) => putPipeline(organizationId, pipeline)));
  for (let n = 0; n < 300; n++) leads.push(largeLead(n));
  const items = leads.flatMap((lead) =>
    itemsPut(createLeadWrites({ organizationId }, lead, pipelineOf())).filter(({ pk }) =>
      /^(LEADS|WORDS|CONTACT|TAG#[^#]*#(most|few|.*a)$)/.test(String(pk)),
    ),
  );
  for (let i = 0; i < items.length; i += 100) {
    await table.transact(items.slice(i, i + 100).map((Item) => ({ Put: { Item } })));
  }
});

/** What the work gives, and the read units that it took. */
const metered = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const before = table.unitsByKind.read;
  return [await work, table.unitsByKind.read - before];
};

const phone = '+5511987654321';
const [one, two] = owners as [string, string];
const lists: [string, Partial<Filters>, Sort?][] = [
  ['all', {}],
  ['a stage of all pipelines', { stages: ['new'] }],
  ['two stages of all pipelines', { stages: ['new', 'won'] }],
  ['nobody’s', { owner_id: null }],
  ['without a next step, of a pipeline', { next_step_at: null, pipeline_id: pipelines[0]!.id }],
  ['none', { email: null, phone: null, owner_id: one }],
  ['a tag and others', { tags: ['most'], stages: ['won'], owner_id: two }],
  ['two tags', { tags: ['most', 'few'] }],
  ['many tags', { tags: wideTags('a') }],
  ['by value', {}, '-value_cents'],
  ['of a stage by the last change', { stages: ['won'] }, 'updated_at'],
  ['of a tag by value', { tags: ['few'] }, '-value_cents'],
  ['of an owner by the next step', { owner_id: one, tags: ['few'] }, 'next_step_at'],
  ['since a time by value', { created_from: 1, owner_id: null }, 'value_cents'],
  ['of a phone', { phone }],
  ['of a phone by value', { phone, pipeline_id: pipelines[1]!.id }, 'value_cents'],
  ['of a phone, nobody’s', { phone, owner_id: null }],
];

test.each(lists)(`a list: %s (SEED=${seed})`, async (_, some, sort: Sort = '-created_at') => {
  const filters: Filters = { tags: [], ...some };
  const read = isLookup(filters) ? findLeads : listLeads;
  for (const limit of [20, 200]) {
    const wanted = listOf(leads, filters, sort, () => 'open').map(({ id }) => id);
    const found: string[] = [];
    let position: string | undefined;
    let pages = 0;
    do {
      const reading = read(table, organizationId, filters, limit, position, toOrder(sort));
      const [page, units] = await metered(reading);
      expect([limit, units, units <= mostUnits]).toEqual([limit, units, true]);
      found.push(...page.leads.map(({ id }) => id));
      position = page.next;
      pages++;
    } while (position !== undefined && pages < 400);
    expect(found).toEqual(wanted);
  }
});

test.each([
  ['maria', {}],
  ['mar', { stages: ['won'] }],
  ['maria 987654321', { email: null, value_from: 1000 }],
])('a search: %s, %j', async (q, some) => {
  const terms = parseTerms(q);
  const filters = { tags: [], ...some };
  const [{ more }, units] = await metered(
    search(table, organizationId, { terms, filters, limit: 50 }),
  );
  expect([more, units > 150]).toEqual([true, true]);
  expect(units).toBeLessThanOrEqual(mostUnits);
});
