import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Lead } from '../../../lib/leads/lead.ts';
import { deleteLeadWrites } from '../../../lib/leads/lead-writes.ts';
import { merge, readMergeItems } from '../../../lib/leads/merge.ts';
import { toStoredLead } from '../../../lib/leads/stored-lead.ts';
import { commitIn, someOrigin } from '../../support/origin.ts';
import { commit, pipelineOf, storeLead, table } from './leads-in-process.ts';

// A batch of reads is not one moment: a merge may find the survivor as it was before the same merge, and the
// other lead gone by it.

const actor = { organizationId: randomUUID(), userId: someOrigin.by, origin: someOrigin };
const pipeline = pipelineOf();
const make = (tag: string) => storeLead(actor, pipeline, { tags: [tag] });

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

test('where the survivor was deleted meanwhile, there is nothing to answer', async () => {
  const { call, again } = await merged();
  const { survivor } = await readMergeItems(call, table);
  await commitIn(table)(deleteLeadWrites(call, toStoredLead(survivor!), call.now));
  await expect(again()).rejects.toMatchObject({ code: 'not_found' });
});
