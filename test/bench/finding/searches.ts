import { randomUUID } from 'node:crypto';
import { Processes } from '@leads-and-stars/runner';
import { type Lead, newLead } from '../../../lib/leads/lead.ts';
import { search } from '../../../lib/leads/search/search.ts';
import { updateWords } from '../../../lib/leads/search/word-items.ts';
import { parseTerms, type Term } from '../../../lib/leads/search/words.ts';
import { replaceLead } from '../../../lib/leads/stored-lead.ts';
import { newPipeline, type Pipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { type Key, leadKey } from '../../../lib/table/keys.ts';
import type { Item, Page, Write } from '../../../lib/table/table.ts';
import { random } from '../../support/random.ts';
import { openLoaded, startLoadedEngine } from '../lists/load.ts';
import type { Progress } from '../section.ts';

export const leadCount = 1_000_000;
const rounds = 7;
/** Of the leads, a filter over everything reads so many, and is told as if it had read all. */
export const filtered = 50_000;

const first = ['Maria', 'João', 'Ana', 'José', 'Rui', 'Eva', 'Ivo', 'Zoë', 'Inês', 'Luís'];
const last = ['Silva', 'Souza', 'Costa', 'Lima', 'Reis', 'Dias', 'Melo', 'Pinto', 'Rocha', 'Nunes'];

/** Each that has one: every tenth lead has an email address, and its number in its name. */
const every = 10;
const rare = 'n654320';

const queries: [string, string][] = [
  ['a rare word', rare],
  ['an email address', `${rare}@example.com`],
  ['a common word', 'maria'],
  ['two common words', 'maria silva'],
  ['a common word and a rare one', `maria ${rare}`],
  ['the beginning of common words', 'ma'],
  ['a word that no lead has', 'nobody'],
];

/** What a search costs among many leads, and a filter over all of them. */
export const searchRows = async (progress: Progress): Promise<(string | number)[][]> => {
  const processes = new Processes();
  try {
    const organizationId = randomUUID();
    progress.step(`an organization of ${leadCount} leads`);
    const endpoint = await startLoadedEngine(processes, items(organizationId));
    const table = await openLoaded(endpoint);
    const rows: (string | number)[][] = [];
    for (const [name, q] of queries) {
      progress.step(name);
      const counted = await measured(table, async (one) => {
        const asked = { terms: parseTerms(q), filters: { tags: [] }, limit: 20 };
        const { items, more } = await search(one, organizationId, asked);
        return [items.length, more ? 'yes' : 'no'];
      });
      rows.push([`${name}: \`${q}\``, ...counted]);
    }
    progress.step('a filter over everything');
    const all = await filterAll(table, organizationId);
    return [...rows, ['a filter over everything, for a rare word', ...all]];
  } finally {
    await processes.close();
  }
};

/** What was found, units, and the median of the milliseconds. */
const measured = async (
  table: TableClient,
  work: (table: Examining) => Promise<(string | number)[]>,
): Promise<(string | number)[]> => {
  const took: number[] = [];
  let result: (string | number)[] = [];
  let [units, examined] = [0, 0];
  for (let i = 0; i < rounds; i++) {
    const one = new Examining(table);
    const startedAt = performance.now();
    result = await work(one);
    took.push(performance.now() - startedAt);
    [units, examined] = [one.units, one.examined];
  }
  const median = took.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  return [...result, examined, units, median.toFixed(1)];
};

/** The table, for one request, and how many items were read of it. */
class Examining {
  examined = 0;
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table.during({ deadline: Number.POSITIVE_INFINITY });
  }

  get units(): number {
    return this.#table.units;
  }

  async query(input: Parameters<TableClient['query']>[0]): Promise<Page> {
    const page = await this.#table.query(input);
    this.examined += page.examined;
    return page;
  }

  get(key: Key) {
    this.examined++;
    return this.#table.get(key);
  }

  getAll(keys: Parameters<TableClient['getAll']>[0]): ReturnType<TableClient['getAll']> {
    this.examined += keys.length;
    return this.#table.getAll(keys);
  }
}

/** What a search would be without its words. Of a part of the leads; units and time are those of all. */
const filterAll = async (table: TableClient, organizationId: string) => {
  const startedAt = performance.now();
  const one = table.during({ deadline: Number.POSITIVE_INFINITY });
  let [found, read] = [0, 0];
  let startAfter: Item | undefined;
  do {
    const page = await one.query({
      condition: 'pk = :pk',
      filter: 'contains(contact_name, :word)',
      values: { ':pk': leadKey(organizationId, '').pk, ':word': rare },
      limit: filtered - read,
      startAfter,
      consistent: true,
    });
    found += page.items.length;
    read += page.examined;
    startAfter = page.last;
  } while (startAfter && read < filtered);
  const share = leadCount / read;
  const milliseconds = (performance.now() - startedAt) * share;
  return [
    Math.max(1, found),
    'no',
    leadCount,
    Math.round(one.units * share),
    milliseconds.toFixed(0),
  ];
};

/** Leads with their words; what a search does not read is left out, as are words that no query here begins. */
function* items(organizationId: string): Generator<Item> {
  const begins = new Set(queries.flatMap(([, q]) => parseTerms(q).flatMap(firstCharacters)));
  const pipeline = newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: 'Sales', stages: [{ name: 'new', outcome: 'open' }] }),
    Date.now(),
  );
  const next = random(1);
  const pick = (names: readonly string[]) => names[Math.floor(next() * names.length)]!;
  for (let i = 0; i < leadCount; i++) {
    const name = `${pick(first)} ${pick(last)}`;
    const lead =
      i % every === 0
        ? named(pipeline, `${name} n${i}`, `n${i}@example.com`)
        : named(pipeline, name, null);
    const { pk, sk, ...attributes } = itemOf(
      replaceLead(organizationId, undefined, stored(lead))[0]!,
    );
    yield { pk, sk, ...withoutIndexes(attributes) };
    for (const write of updateWords(organizationId, undefined, stored(lead))) {
      const item = itemOf(write);
      if (begins.has(String(item.sk)[0]!)) yield item;
    }
  }
}

const firstCharacters = ({ words, address }: Term): string[] =>
  [...words, ...(address ? [address] : [])].map((word) => word[0]!);

const stored = (lead: Lead) => ({
  lead,
  version: 1,
  unique: [],
  filterable: [],
  searchable: true,
});

const itemOf = (write: Write<'PutItem' | 'DeleteItem'>): Item =>
  'Put' in write ? (write.Put.Item as Item) : {};

/** No search reads an index, and entries of five take longest to load. */
const withoutIndexes = ({ p: _p, ps: _ps, o: _o, po: _po, pso: _pso, ...item }: Item): Item => item;

const named = (pipeline: Pipeline, contact_name: string, email: string | null): Lead =>
  newLead(
    {
      contact_name,
      email,
      company_name: null,
      phone: null,
      external_id: null,
      pipeline_id: pipeline.id,
      owner_id: null,
      tags: [],
      fields: {},
      value_cents: null,
    },
    pipeline,
  );

export const searchSteps = queries.length + 2;
