import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { deleteLeadWrites, type LeadAction } from '../../../lib/leads/lead-writes.ts';
import { findLeads } from '../../../lib/leads/lists/find.ts';
import { merge, readMergeItems } from '../../../lib/leads/merge.ts';
import { toStoredLead } from '../../../lib/leads/stored-lead.ts';
import type { Commit } from '../../../lib/operations/commit.ts';
import { commitIn, someOrigin } from '../../support/origin.ts';
import { pipelineOf, storeLead, table } from './leads-in-process.ts';

// A batch of reads is not one moment: a merge may find the survivor as it was before the same merge, and the
// other lead gone by it.

const actor = { organizationId: randomUUID(), userId: someOrigin.by, origin: someOrigin };
const pipeline = pipelineOf();
const make = (tag: string, external_id?: string) =>
  storeLead(actor, pipeline, { tags: [tag], external_id });

const commit: Commit<LeadAction> = async (changed, reply, options) => {
  await commitIn(table)(changed, options);
  return reply;
};

const callOf = (survivor: Lead, other: Lead) => ({
  ...{ ...actor, query: undefined, ifMatch: undefined, now: Date.now() },
  path: { lead_id: survivor.id },
  body: { from: other.id },
});

/** A merge that was done, and what the same merge finds that began just before it ended. */
const merged = async () => {
  const [survivor, other] = [await make('kept'), await make('brought')];
  const call = callOf(survivor, other);
  const before = await readMergeItems(call, table);
  const first = await merge(call, before, table, commit);
  const again = () => merge(call, { ...before, other: undefined }, table, commit);
  return { call, first, again };
};

test('a merge that meets the same merge answers the survivor with what the other brought', async () => {
  const { first, again } = await merged();
  expect(first.body.tags).toEqual(['kept', 'brought']);
  const { headers, body } = await again();
  expect([headers, body]).toEqual([first.headers, first.body]);
});

test('a lookup that meets a merge finds the survivor by what the other had', async () => {
  const [survivor, other] = [await make('kept'), await make('brought', 'crm-1')];
  const call = callOf(survivor, other);
  let reads = 0;
  // Who has it is known by then, and the lead itself is to be read.
  const getAll: typeof table.getAll = async (keys) => {
    if (++reads === 2) await merge(call, await readMergeItems(call, table), table, commit);
    return table.getAll(keys);
  };
  const on = {
    getAll,
    getAllEventually: table.getAllEventually.bind(table),
    query: table.query.bind(table),
    get: table.get.bind(table),
  };
  const find = (external_id: string) =>
    findLeads(on, actor.organizationId, { tags: [], external_id }, 10);
  expect((await find('crm-1')).leads).toMatchObject([{ id: survivor.id, external_id: 'crm-1' }]);
  expect((await find('crm-2')).leads).toEqual([]);
});

test('where the survivor was deleted meanwhile, there is nothing to answer', async () => {
  const { call, again } = await merged();
  const { survivor } = await readMergeItems(call, table);
  await commitIn(table)(deleteLeadWrites(call, toStoredLead(survivor!), call.now));
  await expect(again()).rejects.toMatchObject({ code: 'not_found' });
});
