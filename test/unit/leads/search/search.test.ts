import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Lead, leadInput, patchLead } from '../../../../lib/leads/lead.ts';
import {
  createLeadWrites,
  deleteLeadWrites,
  updateLeadWrites,
} from '../../../../lib/leads/lead-writes.ts';
import { search } from '../../../../lib/leads/search/search.ts';
import { matchWords, parseTerms, wordsOf } from '../../../../lib/leads/search/words.ts';
import { places } from '../../../../lib/table/keys.ts';
import { mostItemsExamined } from '../../../../lib/table/read-budget.ts';
import { commitIn, itemsPut } from '../../../support/origin.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import {
  countingTable,
  leadOf,
  pipelineOf,
  storedLead,
  storeLead,
  table,
} from '../leads-in-process.ts';

const pipeline = pipelineOf();

const actor = (organizationId: string) => ({ organizationId, userId: randomUUID() });
const create = (organizationId: string, input: object) =>
  storeLead(actor(organizationId), pipeline, input);

const ask = (organizationId: string, q: string, filters: object = {}, limit = 50, on = table) =>
  search(on, organizationId, { terms: parseTerms(q), filters: { tags: [], ...filters }, limit });

const addresses = [
  'ana@example.com',
  'a#b@example.com',
  'An.Silva@example.org',
  "o'neil@x.com",
  '_an@x.com',
];
const words =
  "ana an Ána ANABEL silva O'Neil Jean-Luc ß STRASSE ısparta １２ 3½ ΟΔΟΣ οδό 東京 東 한글 محمد ивá a🚀b";
const numbers = ['(11) 98765-4321', '+55 12 000000', '98765 4321', '+55 11'];
const piece = fc.constantFrom(...words.split(' '), ...addresses, ...numbers);
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

test(`a search finds what a look at every lead finds, whatever was created, changed and deleted (SEED=${seed})`, async () => {
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
      const current = (lead: Lead) => storedLead(organizationId, lead);
      for (const [i, one] of changed.entries()) {
        const place = i % leads.length;
        const before = await current(leads[place]!);
        const after = patchLead(before.lead, one as never, pipeline, Date.now());
        await commitIn(table)(
          updateLeadWrites(actor(organizationId), before, after, pipeline).writes,
        );
        leads[place] = after;
      }
      for (const lead of leads.splice(0, deleted)) {
        const before = await current(lead);
        await commitIn(table)(deleteLeadWrites(actor(organizationId), before, Date.now()));
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
  await fc.assert(run, { seed, numRuns: times(10, 60), endOnFailure: true });
  // Or it would show little.
  expect(matched).toBeGreaterThan(asked / 20);
});

/** Puts leads, and nothing of them but what a search reads. */
const putSearched = async (organizationId: string, leads: readonly Lead[]): Promise<void> => {
  const items = leads.flatMap((lead) =>
    itemsPut(createLeadWrites(actor(organizationId), lead, pipeline)).filter(({ pk }) =>
      /^(LEADS|WORDS)#/.test(String(pk)),
    ),
  );
  for (let i = 0; i < items.length; i += 100) {
    await table.transact(items.slice(i, i + 100).map((Item) => ({ Put: { Item } })));
  }
};

test('of leads that stand under two words of a term, none is left out since the other word was read farther', async () => {
  const organizationId = randomUUID();
  const lead = (fields: object) => leadOf(pipeline, { contact_name: 'Ana', ...fields });
  const named = Array.from({ length: 4 }, () => lead({ contact_name: 'Jean Luc' }));
  const addressed = Array.from({ length: 4 }, () => lead({ email: 'jean-luc@example.com' }));
  await putSearched(organizationId, [...named, ...addressed]);
  // A query of two items is cut: so two of each are known, of which those with the address are newer.
  const { items, more } = await ask(organizationId, 'jean-luc', {}, 3, countingTable(2).on);
  const newest = addressed.slice(1).map(({ id }) => id);
  expect([items.map(({ id }) => id), more]).toEqual([newest.toReversed(), true]);
});

test('a lead that was changed between its words and itself is found by what it is now', async () => {
  const organizationId = randomUUID();
  const { id } = await create(organizationId, { contact_name: 'Ana Reis' });
  const ids = { organizationId, initial: 'l', word: 'lima', leadId: id };
  const Item = { ...places.word.key(ids), words: ' ana lima ' };
  await table.transact([{ Put: { Item } }]);
  const idsBy = async (q: string) => (await ask(organizationId, q)).items.map((one) => one.id);
  expect([await idsBy('lima'), await idsBy('reis')]).toEqual([[], [id]]);
});

// Some words are of nearly all leads, some of few: so the ranges of a query end at different times.
const usual = fc.constantFrom(
  ...['Ana', 'Ana', 'Ana', 'Anabel', 'Lima', 'Limas', 'Rui', 'Jean-Luc', 'Jean-Luc', 'Luc'],
);
const person = fc.record({
  contact_name: fc.array(usual, { minLength: 1, maxLength: 3 }).map((names) => names.join(' ')),
  email: fc.constantFrom(null, null, null, 'jean-luc@example.com', 'lima@example.com'),
});
const asked = fc.record({
  q: fc.constantFrom(
    ...['ana', 'an', 'rui', 'ana lima', 'lima ana', 'rui ana', 'an lim', 'li ana ru'],
    ...['jean-luc', 'jean-luc', 'ana jean-luc', 'jean-luc lim', 'ana luc', 'none ana'],
  ),
  /** As many as match, or some more or less; or so many. */
  beside: fc.constantFrom(-1, 0, 0, 1, undefined),
  upTo: fc.integer({ min: 1, max: 8 }),
  mostItems: fc.constantFrom(12, 40, 200),
  mostAtOnce: fc.constantFrom(1, 3, 1000),
});

test(`a search of several words finds the first of all that match, however far its words were read, or has read what it may (SEED=${seed})`, async () => {
  const counted = { whole: 0, cut: 0, readUp: 0 };
  const run = fc.asyncProperty(
    fc.array(person, { minLength: 20, maxLength: 60 }),
    fc.array(asked, { minLength: 20, maxLength: 20 }),
    async (people, searches) => {
      const organizationId = randomUUID();
      const leads = people.map((one) => leadOf(pipeline, one));
      await putSearched(organizationId, leads);
      for (const { q, beside, upTo, mostItems, mostAtOnce } of searches) {
        const [terms, all] = [parseTerms(q), modelled(leads, q)];
        const limit = beside === undefined ? upTo : Math.max(1, all.length + beside);
        const { on, counts } = countingTable(mostAtOnce);
        const query = { terms, filters: { tags: [] }, limit, mostItems: mostItems + limit };
        const { items, more } = await search(on, organizationId, query);
        const ids = items.map(({ id }) => id);
        expect(counts.words).toBeLessThanOrEqual(mostItems);
        expect(counts.others).toBeLessThanOrEqual(limit);
        // Nothing is read twice.
        expect(new Set(counts.queries).size).toBe(counts.queries.length);
        const ranges = terms.reduce((sum, { others }) => sum + 1 + others.length, 0);
        if (more && counts.words > mostItems - ranges) {
          // Only some were examined: these match, in their order.
          expect(all.filter((id) => ids.includes(id))).toEqual(ids);
          counted.readUp++;
        } else {
          expect([q, ids, more]).toEqual([q, all.slice(0, limit), all.length > limit]);
          counted[more ? 'cut' : 'whole']++;
        }
      }
    },
  );
  await fc.assert(run, { seed, numRuns: times(4, 60), endOnFailure: true });
  for (const count of Object.values(counted)) expect(count).toBeGreaterThan(0);
});

test('a search examines at most 1,000 items, however many leads have its words, and says that there are more', async () => {
  const organizationId = randomUUID();
  const names = Array.from({ length: 700 }, (_, i) => `Maria ${i % 2 ? 'Silva' : 'Lima'} n${i}`);
  await putSearched(
    organizationId,
    names.map((contact_name) => leadOf(pipeline, { contact_name })),
  );
  const counted = async (q: string, filters: object = {}) => {
    const { on, counts } = countingTable();
    const { items, more } = await ask(organizationId, q, filters, 50, on);
    const examined = counts.words + counts.others;
    expect(examined).toBeLessThanOrEqual(mostItemsExamined);
    const names = items.map(({ contact_name }) => contact_name);
    return { names, more, examined, queries: counts.queries.length };
  };
  const common = await counted('maria');
  expect(common.more).toBe(true);
  expect(common.examined).toBeLessThanOrEqual(110);
  const both = await counted('maria silva');
  expect([both.names.length, both.more]).toEqual([50, true]);
  for (const one of both.names) expect(one).toContain('Silva');
  // It ends with the word of the two that was read farther.
  expect(both.examined).toBeLessThanOrEqual(160);
  // Each round reads twice as much as the one before.
  const neither = await counted('silva lima');
  expect([neither.names, neither.more]).toEqual([[], false]);
  expect(neither.queries).toBeLessThanOrEqual(10);
  // The rarest word of several ends the search.
  const rare = await counted('maria silva n123');
  expect(rare).toMatchObject({ names: ['Maria Silva n123'], more: false });
  expect(rare.examined).toBeLessThanOrEqual(200);
  const begun = await counted('ma');
  expect([begun.names.length, begun.more]).toEqual([50, true]);
  const none = { names: [], more: true };
  expect(await counted('maria', { stages: ['none'] })).toMatchObject(none);
  // Beginnings alone are read to their end: of those there is half, as each may be a lead to read.
  expect(await counted('mari', { stages: ['none'] })).toMatchObject(none);
  const few = await counted('n69');
  const expected = names.filter((one) => one.includes('n69'));
  expect([few.names.sort(), few.more]).toEqual([expected.sort(), false]);
});
