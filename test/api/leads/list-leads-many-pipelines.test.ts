import { randomUUID } from 'node:crypto';
import { ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Lead, leadInput, newLead } from '../../../lib/leads/lead.ts';
import { listLeads } from '../../../lib/leads/lists/list.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../lib/pipelines/pipeline.ts';
import type { TableClient } from '../../../lib/table/client.ts';
import { putLeads } from '../../support/lead-items.ts';
import { openTableAt } from '../../support/table.ts';

// What one request can cost at most: a stage that each of the most pipelines has.
// @module-tag long

const processes = new Processes();
let table: TableClient;

beforeAll(async () => {
  const endpoint = await startEngine(processes, 'memory');
  const properties = inject('service').table;
  await ensureTable(endpoint, properties);
  table = openTableAt(endpoint, properties.TableName);
});
afterAll(() => processes.close());

const stages = [{ name: 'new', outcome: 'open' }];
const pipelines = Array.from({ length: 50 }, (_, i) =>
  newPipeline(
    randomUUID(),
    pipelineInput.parse({ name: `P${i}`, stages, unique_contact: [] }),
    Date.now(),
  ),
);

/** An organization with 3,000 leads; `place` says in which pipeline each is. */
const fill = async (place: (i: number) => number) => {
  const organizationId = randomUUID();
  await table.transact(pipelines.map((pipeline) => putPipeline(organizationId, pipeline)));
  const leads: Lead[] = [];
  for (let i = 0; i < 3000; i++) {
    const pipeline = pipelines[place(i)]!;
    const input = { contact_name: 'Maria '.repeat(30), pipeline_id: pipeline.id };
    leads.unshift(newLead(leadInput.parse(input), pipeline));
  }
  await putLeads(table, organizationId, leads, 100);
  return { organizationId, leads };
};

test.each<[string, (i: number) => number]>([
  ['all alike', (i) => i % 50],
  ['one of them much more than the others', (i) => (i % 10 === 0 ? (i / 10) % 50 : 7)],
  ['only one of them', () => 7],
])(
  'a page of a stage in 50 pipelines costs little more than one without a stage: filled %s',
  async (_how, place) => {
    const { organizationId, leads } = await fill(place);
    for (const limit of [50, 200]) {
      const page = async (stage: string | undefined) => {
        const counted = table.during({ deadline: Number.POSITIVE_INFINITY });
        const found = await listLeads(counted, organizationId, { stage, tags: [] }, limit);
        const expected = leads.slice(0, limit).map(({ id }) => id);
        expect(found.leads.map(({ id }) => id)).toEqual(expected);
        return counted.units;
      };
      const [whole, ofStage] = [await page(undefined), await page('new')];
      // Each pipeline that is looked at is half a unit at least, and they are read themselves.
      expect(ofStage).toBeLessThan(6 * whole + 0.5 * pipelines.length + 5);
    }
  },
);
