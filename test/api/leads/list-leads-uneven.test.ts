import { randomUUID } from 'node:crypto';
import { ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { creationTime, type Lead, leadInput, newLead } from '../../../lib/leads/lead.ts';
import type { Filters } from '../../../lib/leads/lists/index-ranges.ts';
import { listLeads } from '../../../lib/leads/lists/list.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { putLeads } from '../../support/lead-items.ts';
import { chance, pick, random, seed } from '../../support/random.ts';
import { times } from '../../support/some.ts';
import { openTableAt } from '../../support/table.ts';

// Lists that are merged from several pipelines, into which leads come at very different rates, with
// hours in which none come: on a table of its own, with leads of any age.

const next = random(seed);
const hour = 3_600_000;

const organizationId = randomUUID();
const owners = [randomUUID(), randomUUID()];
const stages = ['new', 'won'].map((name) => ({ name, outcome: 'open' as const }));
/** A pipeline for each, and where in a hundred leads its own begin. */
const begins = [0, 70, 90, 99];
const pipelines = begins.map((_, i) =>
  newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: `P${i}`, stages, unique_contact: [] }),
    Date.now() + i,
  ),
);

const pipelineByChance = () => {
  const percent = next() * 100;
  return pipelines[begins.findLastIndex((begin) => begin <= percent)]!;
};

const leadAt = (msecs: number): Lead => {
  const pipeline = pipelineByChance();
  const id = v7({ msecs });
  const created_at = creationTime(id);
  return {
    ...newLead(
      leadInput.parse({
        contact_name: 'Maria',
        pipeline_id: pipeline.id,
        ...(chance(next, 0.8) && { owner_id: pick(next, owners) }),
        tags: ['usual', 'rare'].filter((tag) => chance(next, tag === 'usual' ? 0.9 : 0.2)),
      }),
      pipeline,
    ),
    id,
    created_at,
    updated_at: created_at,
    stage: pick(next, stages).name,
  };
};

/** Newest first. */
const leads: Lead[] = [];
const processes = new Processes();
let table: TableClient;

beforeAll(async () => {
  const endpoint = await startEngine(processes, 'memory');
  const properties = inject('service').table;
  await ensureTable(endpoint, properties);
  table = openTableAt(endpoint, properties.TableName);
  await table.transact(pipelines.map((pipeline) => putPipeline(organizationId, pipeline)));
  let moment = Date.parse('2026-01-01T00:00:00Z');
  for (let i = 0; i < times(500, 1500); i++) {
    moment += chance(next, 0.01) ? 20 * hour * next() : 60_000 * next();
    leads.unshift(leadAt(Math.floor(moment)));
  }
  await putLeads(table, organizationId, leads, 25);
}, 60_000);
afterAll(() => processes.close());

const wanted = ({ pipeline_id, stage, owner_id, tags, created_from, created_to }: Filters) =>
  leads.filter(
    (lead) =>
      (!pipeline_id || lead.pipeline_id === pipeline_id) &&
      (!stage || lead.stage === stage) &&
      (!owner_id || lead.owner_id === owner_id) &&
      tags.every((tag) => lead.tags.includes(tag)) &&
      Date.parse(lead.created_at) >= (created_from ?? 0) &&
      Date.parse(lead.created_at) < (created_to ?? Number.POSITIVE_INFINITY),
  );

const listed = async (filters: Filters, limit: number): Promise<Lead[]> => {
  const found: Lead[] = [];
  let position: string | undefined;
  do {
    const page = await listLeads(table, organizationId, filters, limit, position);
    expect(page.leads.length).toBeLessThanOrEqual(limit);
    found.push(...page.leads);
    position = page.next;
  } while (position !== undefined);
  return found;
};

const filtersByChance = (): Filters => {
  const of = <T>(probability: number, value: T) => (chance(next, probability) ? value : undefined);
  const from = Math.floor(next() * leads.length);
  return {
    pipeline_id: of(0.2, pick(next, pipelines).id),
    stage: of(0.8, pick(next, stages).name),
    owner_id: of(0.4, pick(next, owners)),
    tags: ['usual', 'rare'].filter(() => chance(next, 0.5)),
    created_from: of(0.2, Date.parse(leads[from]!.created_at)),
    created_to: of(0.2, Date.parse(leads[Math.floor(from / 2)]!.created_at) + 1),
  };
};

test(`each lead is listed once and in order, whatever the filters and the limit (SEED=${seed})`, async () => {
  for (let run = 0; run < times(12, 100); run++) {
    const filters = filtersByChance();
    const limit = pick(next, [7, 20, 50, 200]);
    const found = await listed(filters, limit);
    expect(
      found.map(({ id }) => id),
      JSON.stringify({ filters, limit }),
    ).toEqual(wanted(filters).map(({ id }) => id));
  }
}, 240_000);
