import { invalid } from '../operations/errors.ts';
import type { Call, Reply } from '../operations/operation.ts';
import { type Pipeline, toPipeline } from '../pipelines/pipeline.ts';
import { etag } from '../schema/etag.ts';
import { pipelineKey } from '../table/keys.ts';
import type { Commit, Item, Reader } from '../table/table.ts';
import { type changeGrants, changeWrites } from './change.ts';
import { changeCurrent } from './current.ts';
import { changesBetween } from './history.ts';
import { type Lead, type LeadPatch, patched } from './lead.ts';
import type { StoredLead } from './records.ts';

/** What was read: the lead, and what the patch refers to. */
export interface Found {
  item: Item | undefined;
  pipeline: Item | undefined;
  owner: Item | undefined;
}

type PatchCall = Call<{ lead_id: string }, unknown, LeadPatch>;
type UpdateTable = Reader<'GetItem'>;
type CommitChange = Commit<(typeof changeGrants)[number]>;

/** Applies a patch to the lead as it is. */
export const update = async (
  call: PatchCall,
  { item, ...found }: Found,
  table: UpdateTable,
  commit: CommitChange,
): Promise<Reply<Lead>> => {
  assertReferences(call.body, found);
  return changeCurrent(call, item, table, (before) =>
    write(call, before, found.pipeline, table, commit),
  );
};

const assertReferences = (patch: LeadPatch, found: Omit<Found, 'item'>): void => {
  if (patch.pipeline_id && !found.pipeline) {
    throw invalid('pipeline_id', 'is not a pipeline of this organization');
  }
  if (patch.owner_id && !found.owner) {
    throw invalid('owner_id', 'is not a member of this organization');
  }
};

const write = async (
  call: PatchCall,
  before: StoredLead,
  target: Item | undefined,
  table: UpdateTable,
  commit: CommitChange,
): Promise<Reply<Lead>> => {
  const { body: patch, now } = call;
  const pipeline = target
    ? toPipeline(target)
    : needsPipeline(patch)
      ? await readPipeline(table, call.organizationId, before.lead.pipeline_id)
      : undefined;
  const lead = patched(before.lead, patch, pipeline, now);
  if (changesBetween(before.lead, lead).length === 0) {
    return { headers: etag(before.version), body: before.lead };
  }
  const { after, writes } = changeWrites(call, before, lead, pipeline);
  return commit(writes, { headers: etag(after.version), body: lead });
};

/** Its stages, or what it wants unique. */
const needsPipeline = ({ stage, email, phone }: LeadPatch): boolean =>
  stage !== undefined || email !== undefined || phone !== undefined;

const readPipeline = async (
  table: UpdateTable,
  organizationId: string,
  pipelineId: string,
): Promise<Pipeline> => {
  const item = await table.get(pipelineKey(organizationId, pipelineId), { consistent: true });
  if (!item) throw new Error(`lead in a pipeline that is not there: ${pipelineId}`);
  return toPipeline(item);
};
