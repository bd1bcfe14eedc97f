import { invalid } from '../errors/errors.ts';
import { updateCustomFields } from '../fields/check.ts';
import type { StoredFields } from '../fields/definition.ts';
import type { Call, Reply } from '../operations/request.ts';
import {
  type Pipeline,
  pipelineKind,
  type StoredPipeline,
  toPipeline,
} from '../pipelines/pipeline.ts';
import { etag } from '../schema/etag.ts';
import type { Reader } from '../table/table.ts';
import { changeLatestLead } from './change-latest-lead.ts';
import { type LookupField, lookupFields } from './contacts.ts';
import { assertUnique, type Guards, guardKeys, readGuards } from './guards.ts';
import { diffLeads } from './history.ts';
import { type Lead, type LeadPatch, patchLead } from './lead.ts';
import { type LeadCommit, type LeadWrite, updateLeadWrites } from './lead-writes.ts';
import type { LeadItem, StoredLead } from './stored-lead.ts';

/** The items that were read: the lead, and what the patch refers to. */
export interface LeadUpdateItems {
  item: LeadItem | undefined;
  pipeline: StoredPipeline | undefined;
  owner: { role?: unknown } | undefined;
  /** The definitions of custom fields, where the patch names some. */
  fields: StoredFields | undefined;
  /** Guards of what the patch may want, as far as that can be known before the lead is. */
  guards: Guards;
}

type LeadPatchCall = Call<{ path: { lead_id: string }; body: LeadPatch }>;
export type LeadUpdateTable = Reader<'GetItem' | 'Query'>;

/** Applies a patch to the lead as it is. */
export const updateLead = async (
  call: LeadPatchCall,
  { item, ...found }: LeadUpdateItems,
  table: LeadUpdateTable,
  commit: LeadCommit,
): Promise<Reply<Lead>> => {
  assertPipeline(call.body, found);
  const target = found.pipeline && toPipeline(found.pipeline);
  return changeLatestLead(call, item, table, async (before) => {
    assertOwner(call.body, found, before.lead);
    const { lead, version, writes } = await patchWrites(
      call,
      before,
      call.body,
      { target, fields: found.fields, guards: found.guards },
      table,
    );
    const reply = { headers: etag(version), body: lead };
    return writes.length === 0
      ? { ...reply, leadIds: [lead.id] }
      : commit(writes, reply, { retryConflicts: false });
  });
};

/** Throws `invalid_request` if something is missing that a new lead refers to. */
export const assertReferences = (
  lead: Pick<LeadPatch, 'pipeline_id' | 'owner_id'>,
  found: { pipeline: unknown; owner: { role?: unknown } | undefined },
): void => {
  assertPipeline(lead, found);
  assertOwner(lead, found);
};

/** The pipeline has to be there. Throws `invalid_request`. */
export const assertPipeline = (
  { pipeline_id }: Pick<LeadPatch, 'pipeline_id'>,
  { pipeline }: { pipeline: unknown },
): void => {
  if (pipeline_id && !pipeline) {
    throw invalid('pipeline_id', 'is not a pipeline of this organization');
  }
};

/** The owner has to be a member, or the lead's owner already: a member who left. Throws `invalid_request`. */
export const assertOwner = (
  { owner_id }: Pick<LeadPatch, 'owner_id'>,
  { owner }: { owner: { role?: unknown } | undefined },
  before?: Pick<Lead, 'owner_id'>,
): void => {
  if (owner_id && !owner?.role && owner_id !== before?.owner_id) {
    throw invalid('owner_id', 'is not a member of this organization');
  }
};

/** The items that a patch refers to. */
export interface PatchReferences {
  /** The pipeline that it names. */
  target: Pipeline | undefined;
  /** The definitions of custom fields. */
  fields: StoredFields | undefined;
  guards: Guards;
}

/**
 * The lead after a patch, and the writes for it: none where the patch changes nothing. Throws `duplicate_lead` where
 * another lead has what is unique.
 */
export const patchWrites = async (
  call: Pick<LeadPatchCall, 'organizationId' | 'userId' | 'now'>,
  before: StoredLead,
  patch: LeadPatch,
  { target, fields, guards }: PatchReferences,
  table: LeadUpdateTable,
): Promise<{ lead: Lead; version: number; writes: LeadWrite[] }> => {
  const { organizationId } = call;
  const own = before.lead.pipeline_id;
  const [pipeline, ownGuards] =
    target || !needsPipeline(patch)
      ? [target, []]
      : await Promise.all([
          readPipeline(table, organizationId, own),
          readGuards(table, guardKeys(organizationId, own, newValues(before.lead, patch))),
        ]);
  const current = { fields: before.lead.fields, filterable: before.filterable };
  const fielded = updateCustomFields(current, patch.fields, fields);
  const lead = patchLead(before.lead, { ...patch, fields: fielded.fields }, pipeline, call.now);
  if (diffLeads(before.lead, lead).length === 0) return { ...before, writes: [] };
  const { after, writes } = updateLeadWrites(call, before, lead, pipeline, fielded.filterable);
  const all = new Map([...guards, ...ownGuards]);
  await assertUnique(table, organizationId, writes, all, [before]);
  return { lead, version: after.version, writes };
};

/**
 * The lead after a patch, and what is written for it, as far as that can be said without reading its pipeline. Throws
 * `invalid_request` for custom fields that it can't have.
 */
export const foreseePatch = (
  call: Pick<LeadPatchCall, 'organizationId' | 'userId' | 'now'>,
  before: StoredLead,
  patch: LeadPatch,
  definitions: StoredFields | undefined,
): { lead: Lead; writes: LeadWrite[] } => {
  const current = { fields: before.lead.fields, filterable: before.filterable };
  const { fields, filterable } = updateCustomFields(current, patch.fields, definitions);
  const unmoved = { ...patch, fields, stage: undefined };
  const patched = patchLead(before.lead, unmoved, undefined, call.now);
  const lead = { ...patched, stage: patch.stage ?? before.lead.stage };
  if (diffLeads(before.lead, lead).length === 0) return { lead, writes: [] };
  return { lead, writes: updateLeadWrites(call, before, lead, undefined, filterable).writes };
};

/** The values by which leads are found that a patch changes. */
const newValues = (before: Lead, patch: LeadPatch): Partial<Record<LookupField, string | null>> =>
  Object.fromEntries(
    lookupFields
      .filter((field) => patch[field] !== before[field])
      .map((field) => [field, patch[field]]),
  );

/** Whether a patch needs the pipeline's stages, or what the pipeline wants unique. */
const needsPipeline = ({ stage, email, phone }: LeadPatch): boolean =>
  stage !== undefined || email !== undefined || phone !== undefined;

/** The pipeline of a lead. */
export const readPipeline = async (
  table: Reader<'GetItem'>,
  organizationId: string,
  pipelineId: string,
): Promise<Pipeline> => {
  const item = await table.get(pipelineKind.key({ organizationId, pipelineId }));
  if (!item) throw new Error(`lead in a pipeline that is not there: ${pipelineId}`);
  return toPipeline(item);
};
