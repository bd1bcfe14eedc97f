import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Lead, leadInput, newLead, patchLead } from '../../../lib/leads/lead.ts';
import { createWrites, deleteWrites, updateWrites } from '../../../lib/leads/lead-writes.ts';
import { mostItemsExamined, search } from '../../../lib/leads/search/search.ts';
import { matchWords, parseTerms, wordsOf } from '../../../lib/leads/search/words.ts';
import { toStoredLead } from '../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { leadKey, wordKey } from '../../../lib/table/keys.ts';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { openTableAt } from '../../support/table.ts';

// What the words of a lead are, and which query they match, is in test/unit/leads/search/words.test.ts.

describe('over HTTP', () => {
  const found = async (organization: Organization, q: string, more: object = {}) => {
    const parameters = new URLSearchParams({ q, ...more });
    const { body, text } = await organization.get(`/leads/search?${parameters}`);
    if (!body.items) throw new Error(text);
    return body.items.map(({ contact_name }: Lead) => contact_name);
  };

  test('leads are found by words and their beginnings: whole words first, then the newest', async () => {
    const organization = await provision();
    const contact = { email: 'j.costa@example.com', phone: '+5511987654321' };
    const company_name = 'Cedro & Filhos';
    await organization.lead({ contact_name: 'João Costa', company_name, ...contact });
    await organization.lead({ contact_name: 'Joana Dias' });
    await organization.lead({ contact_name: 'JOAO Souza', company_name: 'Costa Verde' });
    expect(await found(organization, 'joao')).toEqual(['JOAO Souza', 'João Costa']);
    expect(await found(organization, 'JOÃ')).toEqual(['JOAO Souza', 'Joana Dias', 'João Costa']);
    expect(await found(organization, 'joa', { limit: '2' })).toHaveLength(2);
    for (const q of [`João <${contact.email}>`, '+5511', 'cedro fil']) {
      expect([q, await found(organization, q)]).toEqual([q, ['João Costa']]);
    }
    // All of it is in the one's address, its words begin words of the other.
    expect(await found(organization, 'J.COSTA')).toEqual(['João Costa', 'JOAO Souza']);
    expect(await found(organization, 'osta')).toEqual([]);
  });

  test('a lead is found at once by what it is changed to, and no more by what it was', async () => {
    const organization = await provision();
    const { id } = await organization.lead({ contact_name: 'Ana Lima', company_name: 'Cedro' });
    await organization.patch(`/leads/${id}`, { contact_name: 'Ana Reis' });
    expect(await found(organization, 'ana reis cedro')).toEqual(['Ana Reis']);
    expect(await found(organization, 'lima')).toEqual([]);
    await organization.patch(`/leads/${id}`, { stage: 'won' });
    expect(await found(organization, 'reis', { stage: 'won' })).toEqual(['Ana Reis']);
    await organization.delete(`/leads/${id}`);
    expect(await found(organization, 'ana')).toEqual([]);
    expect(await itemsOf(organization, 'WORDS')).toEqual([]);
  });

  test('the filters of the list apply', async () => {
    const organization = await provision();
    const owner_id = organization.users.agent;
    const a = await organization.lead({ contact_name: 'Ana A', owner_id, tags: ['x'] });
    await organization.lead({ contact_name: 'Ana B', tags: ['x', 'y'], external_id: 'b' });
    const all: [object, string[]][] = [
      [{ owner_id }, ['Ana A']],
      [{ tag: 'x' }, ['Ana B', 'Ana A']],
      [{ tag: 'y' }, ['Ana B']],
      [{ external_id: 'b' }, ['Ana B']],
      [{ created_from: a.created_at }, ['Ana B', 'Ana A']],
      [{ created_to: a.created_at }, []],
    ];
    for (const [filter, names] of all) {
      expect([filter, await found(organization, 'ana', filter)]).toEqual([filter, names]);
    }
  });

  test('what has no word, too many, or is too long is refused; what is as long as may be is not', async () => {
    const organization = await provision();
    const words = (count: number, between = ' ') =>
      Array.from({ length: count }, (_, i) => `w${i}`).join(between);
    for (const q of ['', ' ', '🚀', words(13), words(13, ', '), 'x'.repeat(201)]) {
      const { body } = await organization.get(`/leads/search?${new URLSearchParams({ q })}`);
      expect([q, body.error.details]).toMatchObject([q, [{ path: 'q' }]]);
    }
    for (const q of [words(12), words(12, ', '), words(12, '-'), 'x'.repeat(200)]) {
      expect(await found(organization, q)).toEqual([]);
    }
    for (const limit of ['0', '51']) {
      const { status } = await organization.get(`/leads/search?q=x&limit=${limit}`);
      expect(status).toBe(400);
    }
    expect(await found(organization, 'x', { limit: '50' })).toEqual([]);
  });
});

// On the table itself, where thousands of cases take seconds.

const pipeline = newPipeline(
  randomUUID(),
  pipelineInput.parse({
    name: 'Sales',
    stages: [{ name: 'new', outcome: 'open' }],
    unique_contact: [],
  }),
  Date.now(),
);

let table: TableClient;
beforeAll(() => {
  const { tableEndpoint, tableName } = inject('service');
  table = openTableAt(tableEndpoint, tableName);
});

const make = (input: object): Lead =>
  newLead(leadInput.parse({ ...input, pipeline_id: pipeline.id }), pipeline);

const actor = (organizationId: string) => ({ organizationId, userId: randomUUID() });
const writesOf = (organizationId: string, lead: Lead) =>
  createWrites(actor(organizationId), lead, pipeline, true);

const create = async (organizationId: string, input: object): Promise<Lead> => {
  const lead = make(input);
  await table.transact(writesOf(organizationId, lead));
  return lead;
};

const ask = (organizationId: string, q: string, filters: object = {}, limit = 50, on = table) =>
  search(on, organizationId, { terms: parseTerms(q), filters: { tags: [], ...filters }, limit });

const addresses = ['ana@example.com', 'An.Silva@example.org', "o'neil@x.com", '_an@x.com'];
const words =
  "ana an Ána ANABEL silva O'Neil Jean-Luc ß STRASSE ısparta １２ 3½ ΟΔΟΣ οδό 東京 東 한글 محمد ивá a🚀b";
const piece = fc.constantFrom(...words.split(' '), ...addresses);
const name = fc
  .oneof(
    fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(' ')),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .filter((text) => leadInput.shape.contact_name.safeParse(text).success);
const fields = fc.record({
  contact_name: name,
  company_name: fc.option(name),
  email: fc.option(fc.constantFrom(...addresses)),
  phone: fc.option(fc.constantFrom('+5511987654321', '+5512000000')),
});
const query = fc.oneof(
  piece,
  fc.tuple(piece, fc.nat(4)).map(([text, length]) => [...text].slice(0, length + 1).join('')),
  name,
);

/** By a look at every lead. */
const modelled = (leads: readonly Lead[], q: string): string[] => {
  const newestFirst = leads.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return ['whole', 'beginning'].flatMap((match) =>
    newestFirst.flatMap((lead) =>
      matchWords(wordsOf(lead), parseTerms(q)) === match ? lead.id : [],
    ),
  );
};

test(`a search finds what a look at every lead finds, whatever was created, changed and deleted (SEED=${seed})`, {
  tags: ['long'],
}, async () => {
  let asked = 0;
  let matched = 0;
  const run = fc.asyncProperty(
    fc.array(fields, { minLength: 1, maxLength: 10 }),
    fc.array(fields, { maxLength: 3 }),
    fc.nat(2),
    fc.array(query, { minLength: 1, maxLength: 12 }),
    async (made, changed, deleted, queries) => {
      const organizationId = randomUUID();
      const leads: Lead[] = [];
      for (const one of made) leads.push(await create(organizationId, one));
      const current = async ({ id }: Lead) =>
        toStoredLead((await table.get(leadKey(organizationId, id)))!);
      for (const [i, one] of changed.entries()) {
        const place = i % leads.length;
        const before = await current(leads[place]!);
        const after = patchLead(before.lead, one as never, pipeline, Date.now());
        await table.transact(updateWrites(actor(organizationId), before, after, pipeline).writes);
        leads[place] = after;
      }
      for (const lead of leads.splice(0, deleted)) {
        const before = await current(lead);
        await table.transact(deleteWrites(actor(organizationId), before, Date.now()));
      }
      for (const q of queries.filter((one) => parseTerms(one).length > 0)) {
        const { items, more } = await ask(organizationId, q);
        const expected = modelled(leads, q);
        expect([q, items.map(({ id }) => id), more]).toEqual([q, expected, false]);
        asked++;
        if (expected.length > 0) matched++;
      }
    },
  );
  await fc.assert(run, { seed, numRuns: 60, endOnFailure: true });
  // Or it would show little.
  expect(matched).toBeGreaterThan(asked / 5);
});

test('a lead that was changed between its words and itself is found by what it is now', async () => {
  const organizationId = randomUUID();
  const { id } = await create(organizationId, { contact_name: 'Ana Reis' });
  const Item = { ...wordKey(organizationId, 'lima', id), words: ' ana lima ' };
  await table.transact([{ Put: { Item } }]);
  const idsBy = async (q: string) => (await ask(organizationId, q)).items.map((one) => one.id);
  expect([await idsBy('lima'), await idsBy('reis')]).toEqual([[], [id]]);
});

test('a search examines at most 1,000 items, however many leads have its words, and says that there are more', async () => {
  const organizationId = randomUUID();
  const names = Array.from({ length: 700 }, (_, i) => `Maria ${i % 2 ? 'Silva' : 'Lima'} n${i}`);
  // Only what a search reads.
  const items = names.flatMap((contact_name) =>
    writesOf(organizationId, make({ contact_name })).filter(
      (write) => 'Put' in write && /^(LEADS|WORDS)#/.test(String(write.Put.Item?.pk)),
    ),
  );
  expect(items.length).toBe(4 * names.length);
  for (let i = 0; i < items.length; i += 100) await table.transact(items.slice(i, i + 100));
  const counted = async (q: string, filters: object = {}) => {
    let examined = 0;
    const on = {
      query: async (input: never) => {
        const page = await table.query(input);
        examined += page.examined;
        return page;
      },
      get: table.get.bind(table),
      getAll: (keys: never) => {
        examined += (keys as unknown[]).length;
        return table.getAll(keys);
      },
    };
    const { items, more } = await ask(organizationId, q, filters, 50, on as never);
    expect(examined).toBeLessThanOrEqual(mostItemsExamined);
    return { names: items.map(({ contact_name }) => contact_name), more, examined };
  };
  const common = await counted('maria');
  expect(common.more).toBe(true);
  expect(common.examined).toBeLessThanOrEqual(110);
  const both = await counted('maria silva');
  expect([both.names.length, both.more]).toEqual([50, true]);
  for (const one of both.names) expect(one).toContain('Silva');
  // The rarest word of several ends the search.
  const rare = await counted('maria silva n123');
  expect(rare).toMatchObject({ names: ['Maria Silva n123'], more: false });
  expect(rare.examined).toBeLessThanOrEqual(200);
  const begun = await counted('ma');
  expect([begun.names.length, begun.more]).toEqual([50, true]);
  const none = { names: [], more: true };
  expect(await counted('maria', { stage: 'none' })).toMatchObject(none);
  // Beginnings alone are read to their end: of those there is half, as each may be a lead to read.
  expect(await counted('mari', { stage: 'none' })).toMatchObject(none);
  const few = await counted('n69');
  const expected = names.filter((one) => one.includes('n69'));
  expect([few.names.sort(), few.more]).toEqual([expected.sort(), false]);
});
