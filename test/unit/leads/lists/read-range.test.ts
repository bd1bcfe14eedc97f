import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { leadInput, leadPatch, newLead, patchLead } from '../../../../lib/leads/lead.ts';
import { createWrites, updateWrites } from '../../../../lib/leads/lead-writes.ts';
import { listLeads } from '../../../../lib/leads/lists/list.ts';
import type { ListTable } from '../../../../lib/leads/lists/read-range.ts';
import { toStoredLead } from '../../../../lib/leads/stored-lead.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { leadKey } from '../../../../lib/table/keys.ts';
import '../../support.ts';

const table = openTable();

test('a lead that moves between two pipelines while both are read is listed once, as it is then', async () => {
  const [organizationId, userId, now] = [randomUUID(), randomUUID(), Date.now()];
  const actor = { organizationId, userId };
  const input = { name: 'Sales', stages: [{ name: 'new', outcome: 'open' }], unique_contact: [] };
  const pipelines = [1, 2].map((i) =>
    newPipeline(`${i}${randomUUID().slice(1)}`, pipelineInput.parse(input), now),
  );
  const [from, to] = pipelines as [(typeof pipelines)[0], (typeof pipelines)[0]];
  await table.transact(pipelines.map((one) => putPipeline(organizationId, one)));
  const make = async (contact_name: string) => {
    const lead = newLead(leadInput.parse({ contact_name, pipeline_id: from.id }), from);
    await table.transact(createWrites(actor, lead, from, false));
    return lead;
  };
  const [older, moving, newer] = [await make('Ana'), await make('Rui'), await make('Eva')];
  const move = async () => {
    const item = await table.get(leadKey(organizationId, moving.id));
    const before = toStoredLead(item!);
    const after = patchLead(before.lead, leadPatch.parse({ pipeline_id: to.id }), to, now + 1000);
    await table.transact(updateWrites(actor, before, after, to).writes);
  };

  // The first pipeline is read, the lead moves, and then the second one is read.
  let turn: Promise<unknown> = Promise.resolve();
  let pipelinesRead = 0;
  const query: ListTable['query'] = async (one) => {
    if (!one.index) return table.query(one);
    const page = turn.then(() => table.query(one));
    turn = pipelinesRead++ === 0 ? page.then(move) : page;
    return page;
  };
  const filters = { stage: 'new', tags: [] };
  const { leads, next } = await listLeads({ query }, organizationId, filters, 50);
  expect(leads.map(({ id }) => id)).toEqual([newer.id, moving.id, older.id]);
  expect([pipelinesRead, leads[1]?.pipeline_id, next]).toEqual([2, to.id, undefined]);
});
