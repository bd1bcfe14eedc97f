import type * as z from 'zod/mini';
import type { ReplyToPart } from '../../operations/commit.ts';
import type { MemberCall, Reply } from '../../operations/request.ts';
import { parseEtag } from '../../schema/etag.ts';
import type { Reader } from '../../table/table.ts';
import { guardKeys, readGuards } from '../guards.ts';
import type { leadGrants } from '../lead-writes.ts';
import { leadKind } from '../stored-lead.ts';
import { updateLead } from '../update.ts';
import { pickReferences, type References, runParts } from './batch.ts';
import type { ChangesResult, changesInput, LeadBatchUpdate } from './batch-schema.ts';
import { lookupValues } from './create-batch.ts';

type UpdateCall = MemberCall<{ body: z.output<typeof changesInput> }>;
type UpdateTable = Reader<'GetItem' | 'Query'>;

/** Patches the leads, each in a transaction of its own; those of the same lead one after another. */
export const updateBatch = (
  call: UpdateCall,
  items: References,
  table: UpdateTable,
  replyToPart: ReplyToPart<(typeof leadGrants)[number]>,
): Promise<Reply<ChangesResult>> =>
  runParts(
    call,
    call.body.leads,
    ({ id, patch }) => [id, ...lookupValues(patch)],
    async (i, part) => {
      const { headers, body } = await replyToPart(i, async (commit) => {
        const { organizationId } = call;
        const references = pickReferences(part.patch, items);
        // Only now: an earlier part may have changed it.
        const [item, guards] = await Promise.all([
          table.get(leadKind.key({ organizationId, leadId: part.id })),
          readGuards(table, guardKeys(organizationId, part.patch.pipeline_id, part.patch)),
        ]);
        return updateLead(updateCall(call, part), { item, guards, ...references }, table, commit);
      });
      return { status: 200 as const, etag: headers!.ETag!, lead: body };
    },
  );

const updateCall = (
  { role: _, apiKey: __, assertAllowed: ___, ...call }: UpdateCall,
  part: LeadBatchUpdate,
) => ({
  ...call,
  path: { lead_id: part.id },
  body: part.patch,
  ifMatch: part.if_match === undefined ? undefined : [parseEtag(part.if_match)],
});
