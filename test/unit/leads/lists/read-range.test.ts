import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { leadPatch, patchLead } from '../../../../lib/leads/lead.ts';
import { updateLeadWrites } from '../../../../lib/leads/lead-writes.ts';
import { listLeads } from '../../../../lib/leads/lists/list.ts';
import type { ListTable } from '../../../../lib/leads/lists/read-range.ts';
import { putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { commitIn } from '../../../support/origin.ts';
import { pipelineOf, storedLead, storeLead, table } from '../leads-in-process.ts';

test('a lead that moves between two pipelines while both are read is listed once, as it is then', async () => {
  const [organizationId, now] = [randomUUID(), Date.now()];
  const actor = { organizationId };
  const [from, to] = ['1', '2'].map((i) => pipelineOf({}, i + randomUUID().slice(1))) as [
    ReturnType<typeof pipelineOf>,
    ReturnType<typeof pipelineOf>,
  ];
  await commitIn(table)([from, to].flatMap((one) => putPipeline(organizationId, one)));
  const make = (contact_name: string) => storeLead(actor, from, { contact_name });
  const [older, moving, newer] = [await make('Ana'), await make('Rui'), await make('Eva')];
  const move = async () => {
    const before = await storedLead(organizationId, moving);
    const after = patchLead(before.lead, leadPatch.parse({ pipeline_id: to.id }), to, now + 1000);
    await commitIn(table)(updateLeadWrites(actor, before, after, to).writes);
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
  const filters = { stages: ['new'], tags: [] };
  const { leads, next } = await listLeads({ query }, organizationId, filters, 50);
  expect(leads.map(({ id }) => id)).toEqual([newer.id, moving.id, older.id]);
  expect([pipelinesRead, leads[1]?.pipeline_id, next]).toEqual([2, to.id, undefined]);
});
