import { randomUUID } from 'node:crypto';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { adminClient, credentialsFor, Processes } from '@leads-and-stars/runner';
import { createWrites } from '../../../lib/leads/change.ts';
import { type Lead, newLead } from '../../../lib/leads/lead.ts';
import { newPipeline, type Pipeline, pipelineInput } from '../../../lib/pipelines/pipeline.ts';
import { search } from '../../../lib/search/search.ts';
import { termsOf } from '../../../lib/search/words.ts';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { leadKey } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { random } from '../../faults/random.ts';
import { startLoadedEngine } from '../lists/load.ts';
import type { Progress } from '../section.ts';

export const leadCount = 20_000;
const rounds = 7;

const first = ['Maria', 'João', 'Ana', 'José', 'Rui', 'Eva', 'Ivo', 'Zoë', 'Inês', 'Luís'];
const last = ['Silva', 'Souza', 'Costa', 'Lima', 'Reis', 'Dias', 'Melo', 'Pinto', 'Rocha', 'Nunes'];

const queries: [string, string][] = [
  ['a rare word', 'n13141'],
  ['an email address', 'n13141@example.com'],
  ['a common word', 'maria'],
  ['two common words', 'maria silva'],
  ['a common word and a rare one', 'maria n13140'],
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
    const table = await openAt(endpoint);
    const rows: (string | number)[][] = [];
    for (const [name, q] of queries) {
      progress.step(name);
      const counted = await measured(table, async (one) => {
        const asked = { terms: termsOf(q), filters: { tags: [] }, limit: 20 };
        const { items, more } = await search(one, organizationId, asked);
        return [items.length, more ? 'yes' : 'no'];
      });
      rows.push([`${name}: \`${q}\``, ...counted]);
    }
    progress.step('a filter over everything');
    const all = await measured(table, (one) => filterAll(one, organizationId), 1);
    return [...rows, ['a filter over everything, for a rare word', ...all]];
  } finally {
    await processes.close();
  }
};

/** The functions' own client, in this process. */
const openAt = async (endpoint: string): Promise<TableClient> => {
  const { TableNames } = await adminClient(endpoint).send(new ListTablesCommand());
  Object.assign(process.env, {
    TABLE_NAME: TableNames?.[0],
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentialsFor(endpoint).accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  return openTable();
};

/** What was found, units, and the median of the milliseconds. */
const measured = async (
  table: TableClient,
  work: (table: TableClient) => Promise<(string | number)[]>,
  times = rounds,
): Promise<(string | number)[]> => {
  const took: number[] = [];
  let result: (string | number)[] = [];
  let units = 0;
  for (let i = 0; i < times; i++) {
    const one = table.during({ deadline: Number.POSITIVE_INFINITY });
    const startedAt = performance.now();
    result = await work(one);
    took.push(performance.now() - startedAt);
    units = one.units;
  }
  const median = took.sort((a, b) => a - b)[Math.floor(times / 2)]!;
  return [...result, units, median.toFixed(1)];
};

const filterAll = async (table: TableClient, organizationId: string) => {
  let found = 0;
  let startAfter: Item | undefined;
  do {
    const page = await table.query({
      condition: 'pk = :pk',
      filter: 'contains(contact_name, :word)',
      values: { ':pk': leadKey(organizationId, '').pk, ':word': 'n13141' },
      limit: 1_000_000,
      startAfter,
      consistent: true,
    });
    found += page.items.length;
    startAfter = page.last;
  } while (startAfter);
  return [found, 'no'];
};

/** Leads with their words; what a search does not read is left out. */
function* items(organizationId: string): Generator<Item> {
  const pipeline = newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: 'Sales', stages: [{ name: 'new', outcome: 'open' }] }),
    Date.now(),
  );
  const next = random(1);
  const pick = (names: readonly string[]) => names[Math.floor(next() * names.length)]!;
  for (let i = 0; i < leadCount; i++) {
    const lead = named(pipeline, `${pick(first)} ${pick(last)} n${i}`, `n${i}@example.com`);
    const actor = { organizationId, userId: organizationId };
    for (const write of createWrites(actor, lead, pipeline, true)) {
      const item = 'Put' in write ? (write.Put.Item as Item) : undefined;
      if (/^(LEADS|WORDS)#/.test(String(item?.pk))) yield item!;
    }
  }
}

const named = (pipeline: Pipeline, contact_name: string, email: string): Lead =>
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
      value_cents: null,
    },
    pipeline,
  );

export const searchSteps = queries.length + 2;
