import type * as z from 'zod/mini';
import type { PartReplies } from '../../operations/commit.ts';
import type { Call, MemberCall, Reply } from '../../operations/request.ts';
import { parseEtag } from '../../schema/etag.ts';
import type { ReadOnly } from '../../table/table.ts';
import { guardKeys, readGuards } from '../guards.ts';
import type { LeadAction } from '../lead-writes.ts';
import { type LeadItem, leadKind, toStoredLead } from '../stored-lead.ts';
import { foreseePatch, type LeadUpdateTable, updateLead } from '../update.ts';
import { pickReferences, type References, readReferences, runParts, validInputs } from './batch.ts';
import type { ChangesResult, changesInput, LeadBatchUpdate } from './batch-schema.ts';
import { lookupValues } from './create-batch.ts';

type UpdateCall = MemberCall<{ body: z.output<typeof changesInput> }>;

/** The items that a batch of updates reads first: its leads, and what its patches name. */
interface UpdateItems {
  references: References;
  /** The leads as they are before the first part. */
  leads: Map<string, LeadItem | undefined>;
}

export const readUpdateBatch = async (
  { organizationId, body }: Call<{ body: z.output<typeof changesInput> }>,
  table: ReadOnly<'GetItem'>,
): Promise<UpdateItems> => {
  const updates = validInputs(body.leads);
  const ids = [...new Set(updates.map(({ id }) => id))];
  const [references, leads] = await Promise.all([
    readReferences(
      organizationId,
      updates.map(({ patch }) => patch),
      table,
    ),
    table.getAll(ids.map((leadId) => leadKind.key({ organizationId, leadId }))),
  ]);
  return { references, leads: new Map(ids.map((id, i) => [id, leads[i]])) };
};

/** Patches the leads, each in a transaction of its own; those of the same lead one after another. */
export const updateBatch = (
  call: UpdateCall,
  { references: items, leads }: UpdateItems,
  table: LeadUpdateTable,
  replies: PartReplies<LeadAction>,
): Promise<Reply<ChangesResult>> => {
  const { organizationId } = call;
  const readLead = (leadId: string) => table.get(leadKind.key({ organizationId, leadId }));
  return runParts(call, call.body.leads, {
    competesFor: ({ id, patch }) => [id, ...lookupValues(patch)],
    expectedUnits(i, { id, patch }) {
      const item = leads.get(id);
      if (!item) return 0;
      const { lead, writes } = foreseePatch(call, toStoredLead(item), patch, items.fields);
      return replies.expectedUnits(i, writes, { body: lead });
    },
    async runPart(i, part) {
      const { headers, body } = await replies.replyToPart(i, async (commit) => {
        const references = pickReferences(part.patch, items);
        const isUnread = !leads.has(part.id);
        const [item, guards] = await Promise.all([
          isUnread ? readLead(part.id) : leads.get(part.id),
          readGuards(table, guardKeys(organizationId, part.patch.pipeline_id, part.patch)),
        ]);
        // A later part that patches the same lead reads it again.
        leads.delete(part.id);
        return updateLead(updateCall(call, part), { item, guards, ...references }, table, commit);
      });
      return { status: 200 as const, etag: headers!.ETag!, lead: body };
    },
  });
};

const updateCall = (
  { organizationId, userId, origin, now }: UpdateCall,
  { id, patch, if_match }: LeadBatchUpdate,
) => ({
  organizationId,
  userId,
  origin,
  now,
  path: { lead_id: id },
  query: undefined,
  body: patch,
  ifMatch: if_match === undefined ? undefined : [parseEtag(if_match)],
});
