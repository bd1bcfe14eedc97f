import { randomUUID } from 'node:crypto';
import { ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Lead, leadInput, newLead } from '../../../lib/leads/lead.ts';
import { listLeads } from '../../../lib/leads/lists/list.ts';
import { replaceLead, toLead } from '../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { indexPartition, leadKey, memberKey, tagKey } from '../../../lib/table/keys.ts';
import { missing, startDynamoDbLocal } from '../../support/dynamodb-local/engine.ts';
import { openTableAt } from '../../support/table.ts';

// The storing layer, on the engine of `npm run dev` and, where it is installed, on AWS's own DynamoDB Local. How much a
// page reads, and of which list, is tested in test/unit/leads/lists/list.test.ts.

const engines = {
  dynoxide: {
    lacks: undefined,
    start: (processes: Processes) => startEngine(processes, 'memory'),
  },
  'DynamoDB Local': { lacks: missing(), start: startDynamoDbLocal },
};

const pipeline = newPipeline(
  randomUUID(),
  pipelineInput.parse({
    name: 'Sales',
    stages: [{ name: 'new', outcome: 'open' }],
    unique_contact: [],
  }),
  Date.now(),
);

const lead = (fields: object = {}) =>
  newLead(
    leadInput.parse({ contact_name: 'Maria', pipeline_id: pipeline.id, ...fields }),
    pipeline,
  );

const putLead = (organization: string, one: Lead) =>
  replaceLead(organization, undefined, {
    lead: one,
    version: 1,
    unique: [],
    filterable: [],
    searchable: false,
  });

const noFilter = { pipeline_id: undefined, stage: undefined, owner_id: undefined, tags: [] };

describe.each(Object.entries(engines))('%s', (_, { lacks, start }) => {
  if (lacks) {
    test.skip(lacks);
    return;
  }

  const processes = new Processes();
  let table: TableClient;

  beforeAll(async () => {
    const endpoint = await start(processes);
    const properties = inject('service').table;
    await ensureTable(endpoint, properties);
    await ensureTable(endpoint, properties);
    table = openTableAt(endpoint, properties.TableName);
    await table.get({ pk: 'none', sk: 'none' });
  }, 60_000);

  afterAll(() => processes.close());

  const put = (key: { pk: string; sk: string }, attributes: object = {}) => ({
    Put: { Item: { ...key, ...attributes }, ConditionExpression: 'attribute_not_exists(pk)' },
    refused: (existing?: object) => new Error(`stands: ${JSON.stringify(existing)}`),
  });

  const key = () => memberKey(randomUUID(), randomUUID());

  test('getAll answers in the order of its keys, and nothing for what is not there', async () => {
    const [a, b] = [key(), key()];
    await table.transact([put(a, { n: 1 }), put(b, { n: 2 })]);
    const found = await table.getAll([b, undefined, key(), a]);
    expect(found.map((item) => item?.n)).toEqual([2, undefined, undefined, 1]);
  });

  test('a refused condition writes nothing, and is given the item that stands in the way', async () => {
    const [taken, free] = [key(), key()];
    await table.transact([put(taken, { n: 1 })]);
    await expect(table.transact([put(free), put(taken, { n: 2 })])).rejects.toThrow(
      /stands.*"n":1/,
    );
    expect(await table.getAll([free, taken])).toEqual([undefined, { ...taken, n: 1 }]);
  });

  test('a lead is the same read from the table, from each index, and from each tag', async () => {
    const organization = randomUUID();
    const owner_id = randomUUID();
    const one = lead({ owner_id, tags: ['a', 'b'], value_cents: 5, email: 'm@example.com' });
    await table.transact(putLead(organization, one));
    const { id: pipeline_id } = pipeline;
    const filters = [
      {},
      { pipeline_id },
      { pipeline_id, stage: 'new' },
      { owner_id },
      { pipeline_id, owner_id },
      { pipeline_id, stage: 'new', owner_id },
      { tags: ['a'] },
      { tags: ['b', 'a'], stage: 'new', owner_id, pipeline_id },
    ];
    for (const filter of filters) {
      const page = await listLeads(table, organization, { ...noFilter, ...filter }, 10);
      expect(page).toEqual({ leads: [one], next: undefined });
    }
    expect(toLead((await table.get(leadKey(organization, one.id))) ?? {})).toEqual(one);
  });

  test('a tag’s copy is in no index', async () => {
    const organization = randomUUID();
    const one = lead({ tags: ['a'] });
    await table.transact(putLead(organization, one));
    const { items } = await table.query({
      index: 'by_pipeline',
      condition: 'p = :p',
      values: { ':p': indexPartition(organization, pipeline.id) },
      limit: 10,
    });
    expect(items.map(({ pk }) => pk)).toEqual([leadKey(organization, '').pk]);
    expect(await table.get(tagKey(organization, 'a', one.id))).toBeDefined();
  });

  test('pages of every size, joined, are the list', async () => {
    const organization = randomUUID();
    const leads = Array.from({ length: 12 }, () => lead()).reverse();
    await table.transact(leads.flatMap((one) => putLead(organization, one)));
    for (const filter of [{}, { pipeline_id: pipeline.id }]) {
      for (const limit of [1, 5, 6, 11, 12, 13]) {
        const joined: string[] = [];
        let after: string | undefined;
        do {
          const filters = { ...noFilter, ...filter };
          const page = await listLeads(table, organization, filters, limit, after);
          expect(page.leads.length).toBeGreaterThan(0);
          joined.push(...page.leads.map(({ id }) => id));
          after = page.next;
        } while (after);
        expect(joined).toEqual(leads.map(({ id }) => id));
      }
    }
  });

  test('a page of large leads is full, also of a stage in several pipelines', async () => {
    const organization = randomUUID();
    const { id: _, ...same } = pipeline;
    const more = () => newPipeline(randomUUID(), { ...same, name: 'Partners' }, Date.now());
    const pipelines = [pipeline, ...Array.from({ length: 9 }, more)];
    const leads: Lead[] = [];
    const long = '\u{1F600}'.repeat(200);
    for (let i = 0; i < 460; i++) {
      const one = pipelines[i % 30 === 0 ? 1 : 0]!;
      // 4 bytes a character, and 20 tags: about 6 kB, of which 1 MB has less than 180.
      const wide = (n: number) => '\u{1F600}'.repeat(50 - String(n).length) + n;
      const tags = Array.from({ length: 20 }, (_, n) => wide(n));
      const names = { contact_name: long, company_name: long };
      leads.push({ ...lead({ ...names, tags }), pipeline_id: one.id });
    }
    for (const one of pipelines) await table.transact([putPipeline(organization, one)]);
    const items = leads.map((one) => putLead(organization, one)[0]!);
    for (let i = 0; i < items.length; i += 100) await table.transact(items.slice(i, i + 100));
    const newest = leads.toReversed().map(({ id }) => id);
    for (const filters of [noFilter, { ...noFilter, stage: 'new' }]) {
      const first = await listLeads(table, organization, filters, 200);
      const second = await listLeads(table, organization, filters, 200, first.next);
      const third = await listLeads(table, organization, filters, 200, second.next);
      const pages = [first, second, third].map((page) => page.leads.map(({ id }) => id));
      expect(pages.map(({ length }) => length)).toEqual([200, 200, 60]);
      expect([pages.flat(), third.next]).toEqual([newest, undefined]);
    }
  });
});
