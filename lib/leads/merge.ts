import * as z from 'zod/mini';
import { ApiError, invalid } from '../errors/errors.ts';
import type { Commit } from '../operations/commit.ts';
import type { Call, Reply } from '../operations/request.ts';
import { contactFields } from '../pipelines/pipeline.ts';
import { etag } from '../schema/etag.ts';
import { uuid } from '../schema/fields.ts';
import { ConflictError, retryOnConflict } from '../table/retry.ts';
import type { Reader, ReadOnly } from '../table/table.ts';
import { assertUnique } from './guards.ts';
import type { Lead } from './lead.ts';
import { type LeadAction, mergeLeadWrites } from './lead-writes.ts';
import { mergeFields } from './merge-fields.ts';
import { type LeadItem, leadKind, toStoredLead } from './stored-lead.ts';
import { findSurvivor, leadNotFound } from './survivor.ts';
import { readPipeline } from './update.ts';

/** The body of `POST /leads/{lead_id}/merge`. */
export const mergeInput = z
  .strictObject({
    from: uuid().check(z.describe('The lead that is merged into this one, and is gone then.')),
  })
  .check(z.meta({ id: 'LeadMerge' }));

type MergeCall = Call<{ path: { lead_id: string }; body: { from: string } }>;
type MergeTable = Reader<'GetItem' | 'Query'>;

export interface MergeItems {
  survivor: LeadItem | undefined;
  other: LeadItem | undefined;
}

export const readMergeItems = async (
  { organizationId, path, body }: Pick<MergeCall, 'organizationId' | 'path' | 'body'>,
  table: ReadOnly<'GetItem'>,
): Promise<MergeItems> => {
  const [survivor, other] = await table.getAll([
    leadKind.key({ organizationId, leadId: path.lead_id }),
    leadKind.key({ organizationId, leadId: body.from }),
  ]);
  return { survivor, other };
};

/**
 * Makes one lead of two in one transaction, of at most 100 items. Where it was done before, the survivor is
 * answered as it is. Throws `not_found` where one of them is not there, `invalid_request` where the lead would
 * have more than a lead can have, `duplicate_lead` where a third lead has a contact that it would get, and
 * `write_conflict` when others change them until the deadline.
 */
export const merge = (
  call: MergeCall,
  found: MergeItems,
  table: MergeTable,
  commit: Commit<LeadAction>,
): Promise<Reply<Lead>> => {
  const { organizationId, path, body, now } = call;
  if (body.from === path.lead_id) throw invalid('from', 'is the lead itself');
  const readAgain = () => readMergeItems(call, table);
  return retryOnConflict(table, found, readAgain, async ({ survivor, other }) => {
    if (!survivor) throw await leadNotFound(table, organizationId, path.lead_id);
    if (!other) return replyIfMerged(call, table);
    const before = toStoredLead(survivor);
    const otherLead = toStoredLead(other);
    const result = mergeFields(before, otherLead, now);
    const pipeline = getsContact(before.lead, result.lead)
      ? await readPipeline(table, organizationId, before.lead.pipeline_id)
      : undefined;
    const { after, writes } = mergeLeadWrites(call, before, otherLead, result, pipeline);
    await assertUnique(table, organizationId, writes, new Map(), [before, otherLead]);
    return commit(writes, { headers: etag(after.version), body: after.lead });
  });
};

const getsContact = (before: Lead, after: Lead): boolean =>
  contactFields.some((field) => before[field] !== after[field]);

/** The survivor, if the other lead became part of it before. */
const replyIfMerged = async (
  { organizationId, path, body }: MergeCall,
  table: MergeTable,
): Promise<Reply<Lead>> => {
  const survivor = await findSurvivor(table, organizationId, body.from);
  if (survivor === path.lead_id) {
    // Again: what was read together with the other lead may be from before they were merged.
    const item = await table.get(leadKind.key({ organizationId, leadId: survivor }));
    if (!item) throw new ConflictError();
    const { lead, version } = toStoredLead(item);
    return { headers: etag(version), body: lead, leadIds: [lead.id] };
  }
  if (survivor) throw await leadNotFound(table, organizationId, body.from, 'from');
  const message = 'is not a lead of this organization';
  throw new ApiError('not_found', { details: [{ path: 'from', message }] });
};
