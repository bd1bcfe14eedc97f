import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Lead, leadInput, newLead, patchLead } from '../../../lib/leads/lead.ts';
import { createWrites, deleteWrites, updateWrites } from '../../../lib/leads/lead-writes.ts';
import { mostItemsExamined, search } from '../../../lib/leads/search/search.ts';
import { parseTerms } from '../../../lib/leads/search/words.ts';
import { toStoredLead } from '../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { leadKey, wordKey } from '../../../lib/table/keys.ts';
import { itemsOf } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { seed } from '../../support/random.ts';
import { openTableAt } from '../../support/table.ts';

const found = async (organization: Organization, q: string, more: Record<string, string> = {}) => {
  const { body, text } = await organization.get(
    `/leads/search?${new URLSearchParams({ q, ...more })}`,
  );
  if (!body.items) throw new Error(text);
  return body.items.map(({ contact_name }: Lead) => contact_name);
};

describe('over HTTP', () => {
  test('leads are found by words and their beginnings: whole words first, then the newest', async () => {
    const organization = await provision();
    const email = 'j.costa@example.com';
    for (const fields of [
      {
        contact_name: 'João Costa',
        email,
        phone: '+5511987654321',
        company_name: 'Cedro & Filhos',
      },
      { contact_name: 'Joana Dias' },
      { contact_name: 'JOAO Souza', company_name: 'Costa Verde' },
    ]) {
      await organization.lead(fields);
    }
    expect(await found(organization, 'joao')).toEqual(['JOAO Souza', 'João Costa']);
    expect(await found(organization, 'JOÃ')).toEqual(['JOAO Souza', 'Joana Dias', 'João Costa']);
    expect(await found(organization, 'joa', { limit: '2' })).toHaveLength(2);
    expect(await found(organization, 'costa joao')).toEqual(['JOAO Souza', 'João Costa']);
    for (const q of [email, `João <${email}>`, 'example.com', '+5511', '55119', 'cedro fil']) {
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
    for (const [filter, names] of [
      [{ owner_id }, ['Ana A']],
      [{ tag: 'x' }, ['Ana B', 'Ana A']],
      [{ tag: 'y' }, ['Ana B']],
      [{ external_id: 'b' }, ['Ana B']],
      [{ stage: 'won' }, []],
      [{ created_from: a.created_at }, ['Ana B', 'Ana A']],
      [{ created_to: a.created_at }, []],
    ] as [Record<string, string>, string[]][]) {
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

// Any leads and any queries, held against a model that looks at every lead. On the table itself, where
// thousands of cases take seconds.

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

const bits = [
  'ana',
  'an',
  'Ána',
  'ANABEL',
  'silva',
  'Ölçü',
  'o',
  "O'Neil",
  'Jean-Luc',
  'ß',
  'Straße',
  'STRASSE',
  'ISPARTA',
  'Isparta',
  'ısparta',
  '12',
  '１２',
  '3½',
];
const scripts = [
  'Οδός',
  'ΟΔΟΣ',
  'οδό',
  'हिन्दी',
  '東京',
  '東',
  '한글',
  '한',
  'محمد',
  'Иван',
  'ивá',
  '🚀',
  '👩‍💻',
  'a🚀b',
  '  ',
];
const addresses = [
  'ana@example.com',
  'An.Silva@example.org',
  'an@ana.com',
  "o'neil@x.com",
  '_an@x.com',
  '12@12.de',
];
const piece = fc.constantFrom(...bits, ...scripts, ...addresses);
const name = fc
  .oneof(
    fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(' ')),
    fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .filter((text) => text.trim() !== '' && text.isWellFormed() && [...text].length <= 200);
const fields = fc.record({
  contact_name: name,
  company_name: fc.option(name),
  email: fc.option(fc.constantFrom(...addresses)),
  phone: fc.option(fc.constantFrom('+5511987654321', '+5512000000', '+12000000')),
});
const query = fc.oneof(
  piece,
  fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(' ')),
  fc.tuple(piece, fc.nat(4)).map(([text, length]) => [...text].slice(0, length + 1).join('')),
  name,
);

/** By the characters one at a time, and not by expressions as the service does it. */
const plain = (text: string): string => {
  let out = '';
  const oneCase = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase();
  for (const character of oneCase.normalize('NFKD')) {
    if (!/^\p{M}$/u.test(character)) out += character === 'ς' ? 'σ' : character;
  }
  return out;
};
const isWord = (character: string) => /^[\p{L}\p{N}]$/u.test(character);
const words = (text: string): string[] => {
  const all = [''];
  for (const character of plain(text)) {
    if (isWord(character)) all[all.length - 1] += character;
    else all.push('');
  }
  return all.filter((word) => word !== '');
};
const address = (text: string): string => {
  const characters = [...plain(text)];
  const first = characters.findIndex(isWord);
  return first < 0 ? '' : characters.slice(first).join('');
};
const wordsOfLead = (lead: Lead): string[] => {
  const [local = '', domain = ''] = lead.email?.split('@') ?? [];
  const whole = [lead.email ?? '', local, domain].map(address).filter((word) => word !== '');
  const all = [...words(lead.contact_name), ...words(lead.company_name ?? '')];
  return [...new Set([...all, ...whole, ...words(lead.phone ?? '')])].slice(0, 12);
};
const modelled = (leads: readonly Lead[], q: string): string[] => {
  const terms = plain(q)
    .split(/\s+/u)
    .filter((term) => words(term).length > 0);
  const matches = (lead: Lead, has: (word: string, asked: string) => boolean) => {
    const all = wordsOfLead(lead);
    const any = (asked: string) => all.some((word) => has(word, asked));
    return terms.every(
      (term) => any(address(term)) || (!address(term).includes('@') && words(term).every(any)),
    );
  };
  const newestFirst = [...leads].sort((a, b) => (a.id < b.id ? 1 : -1));
  const whole = newestFirst.filter((lead) => matches(lead, (word, asked) => word === asked));
  const begun = newestFirst.filter((lead) =>
    matches(lead, (word, asked) => word.startsWith(asked)),
  );
  return [...whole, ...begun.filter((lead) => !whole.includes(lead))].map(({ id }) => id);
};

const noFilter = { tags: [] };
const actor = (organizationId: string) => ({ organizationId, userId: randomUUID() });

const make = (input: object): Lead =>
  newLead(leadInput.parse({ ...input, pipeline_id: pipeline.id }), pipeline);

const writesOf = (organizationId: string, lead: Lead) =>
  createWrites(actor(organizationId), lead, pipeline, true);

const create = async (organizationId: string, input: object): Promise<Lead> => {
  const lead = make(input);
  await table.transact(writesOf(organizationId, lead));
  return lead;
};

test(`a search finds what a look at every lead finds, whatever was created, changed and deleted (SEED=${seed})`, {
  tags: ['long'],
  timeout: 240_000,
}, async () => {
  let asked = 0;
  let matched = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: 1, maxLength: 10 }),
      fc.array(fields, { maxLength: 3 }),
      fc.nat(2),
      fc.array(query, { minLength: 1, maxLength: 12 }),
      async (made, changed, deleted, queries) => {
        const organizationId = randomUUID();
        const leads: Lead[] = [];
        for (const one of made) leads.push(await create(organizationId, one));
        const current = async (lead: Lead) =>
          toStoredLead((await table.get(leadKey(organizationId, lead.id)))!);
        for (const [i, one] of changed.entries()) {
          const lead = leads[i % leads.length]!;
          const before = await current(lead);
          const after = patchLead(before.lead, one as never, pipeline, Date.now());
          const { writes } = updateWrites(actor(organizationId), before, after, pipeline);
          await table.transact(writes);
          leads[leads.indexOf(lead)] = after;
        }
        for (const lead of leads.splice(0, deleted)) {
          await table.transact(
            deleteWrites(actor(organizationId), await current(lead), Date.now()),
          );
        }
        for (const q of queries) {
          const terms = parseTerms(q);
          if (terms.length === 0) continue;
          const { items, more } = await search(table, organizationId, {
            terms,
            filters: noFilter,
            limit: 50,
          });
          const expected = modelled(leads, q);
          expect([q, items.map(({ id }) => id), more]).toEqual([q, expected, false]);
          asked++;
          if (expected.length > 0) matched++;
        }
      },
    ),
    { seed, numRuns: 60, endOnFailure: true },
  );
  // Or it would show little.
  expect(matched).toBeGreaterThan(asked / 5);
});

test('a lead that was changed between its words and itself is found by what it is now', async () => {
  const organizationId = randomUUID();
  const { id } = await create(organizationId, { contact_name: 'Ana Reis' });
  const Item = { ...wordKey(organizationId, 'lima', id), words: ' ana lima ' };
  await table.transact([{ Put: { Item } }]);
  const names = async (q: string) => {
    const query = { terms: parseTerms(q), filters: { tags: [] }, limit: 50 };
    return (await search(table, organizationId, query)).items.map((one) => one.contact_name);
  };
  expect([await names('lima'), await names('reis')]).toEqual([[], ['Ana Reis']]);
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
  const counting = (limit: number) => {
    let examined = 0;
    const counted = {
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
    return async (q: string, filters: object = {}) => {
      examined = 0;
      const terms = parseTerms(q);
      const all = { tags: [], ...filters };
      const { items, more } = await search(counted, organizationId, { terms, filters: all, limit });
      expect(examined).toBeLessThanOrEqual(mostItemsExamined);
      return { names: items.map(({ contact_name }) => contact_name), more, examined };
    };
  };
  const of = counting(50);
  const newest = (word: string) => names.filter((one) => one.includes(word)).reverse();
  const common = await of('maria');
  expect(common.more).toBe(true);
  expect(common.examined).toBeLessThanOrEqual(110);
  const both = await of('maria silva');
  expect([both.names.length, both.more]).toEqual([50, true]);
  for (const one of both.names) expect(one).toContain('Silva');
  // The rarest word of several ends the search.
  const rare = await of('maria silva n123');
  expect([rare.names, rare.more]).toEqual([['Maria Silva n123'], false]);
  expect(rare.examined).toBeLessThanOrEqual(200);
  const begun = await of('ma');
  expect([begun.names.length, begun.more]).toEqual([50, true]);
  const filtered = await of('maria', { stage: 'none' });
  expect([filtered.names, filtered.more]).toEqual([[], true]);
  // Beginnings alone are read to their end: of those there is half, as each may be a lead to read.
  const begunAndFiltered = await of('mari', { stage: 'none' });
  expect([begunAndFiltered.names, begunAndFiltered.more]).toEqual([[], true]);
  const few = await of('n69');
  expect([few.names.sort(), few.more]).toEqual([newest('n69').sort(), false]);
}, 240_000);
