import { filterableOf } from '../fields/check.ts';
import { fieldsKind } from '../fields/definition.ts';
import type { Commit } from '../operations/commit.ts';
import type { Call, Reply } from '../operations/request.ts';
import { organizationKind } from '../organizations/organization.ts';
import { type Pipeline, pipelineKind, toPipeline } from '../pipelines/pipeline.ts';
import { etag } from '../schema/etag.ts';
import { ConflictError, retryOnConflict } from '../table/retry.ts';
import type { Reader, ReadOnly } from '../table/table.ts';
import { uniqueContacts } from './contacts.ts';
import { assertUnique, guardKeys, readGuards } from './guards.ts';
import type { HistoryEntry } from './history.ts';
import { type Lead, monotonicTime } from './lead.ts';
import { restoreLeadWrites } from './lead-writes.ts';
import { type LeadItem, leadKind, listedLead, toStoredLead } from './stored-lead.ts';
import { leadNotFound, readLastEntry } from './survivor.ts';

/** A lead, and what last happened to it. */
export interface LeadState {
  item: LeadItem | undefined;
  last: HistoryEntry | undefined;
}

type RestoreCall = Call<{ path: { lead_id: string } }>;
type RestoreTable = Reader<'GetItem' | 'Query'>;

export const readLeadState = async (
  { organizationId, path }: Pick<RestoreCall, 'organizationId' | 'path'>,
  table: ReadOnly<'GetItem' | 'Query'>,
): Promise<LeadState> => {
  const [item, last] = await Promise.all([
    table.get(leadKind.key({ organizationId, leadId: path.lead_id })),
    readLastEntry(table, organizationId, path.lead_id),
  ]);
  return { item, last };
};

/**
 * Brings a deleted lead back as it was, from the entry of its deletion. A lead that is there is answered as it is. Throws
 * `not_found` for a lead that never existed, was merged or erased, `duplicate_lead` where another lead has a contact or
 * external id of it by now, and `write_conflict` when others delete and restore it until the deadline.
 */
export const restore = (
  call: RestoreCall,
  found: LeadState,
  table: RestoreTable,
  commit: Commit<'PutItem' | 'UpdateItem'>,
): Promise<Reply<Lead>> =>
  retryOnConflict(
    table,
    found,
    () => readLeadState(call, table),
    async ({ item, last }) => {
      if (item) {
        const { lead, version } = toStoredLead(item);
        return { headers: etag(version), body: lead, leadIds: [lead.id] };
      }
      if (!last || last.type === 'lead.erased' || last.merged_into) {
        throw await leadNotFound(table, call.organizationId, call.path.lead_id);
      }
      // The lead came back between the two reads.
      if (last.type !== 'lead.deleted') throw new ConflictError();
      const before = leadFromDeletion(call.path.lead_id, last);
      const { organizationId } = call;
      const [[pipelineItem, fields, organization], guards] = await Promise.all([
        table.getAll([
          pipelineKind.key({ organizationId, pipelineId: before.pipeline_id }),
          Object.keys(before.fields).length > 0 ? fieldsKind.key({ organizationId }) : undefined,
          before.value_cents ? organizationKind.key({ organizationId }) : undefined,
        ]),
        readGuards(table, guardKeys(organizationId, before.pipeline_id, before)),
      ]);
      const pipeline = toPipeline(pipelineItem!);
      const stage = resolveStage(pipeline, before.stage);
      const updated_at = monotonicTime(last.at, call.now);
      const stage_entered_at = stage === before.stage ? before.stage_entered_at : updated_at;
      // In another currency, the same figure would be another value.
      const isForeign = (organization?.currency_since ?? '') > last.at;
      const value_cents = isForeign ? null : before.value_cents;
      const lead = { ...before, stage, stage_entered_at, updated_at, value_cents };
      const version = last.version + 1;
      const after = {
        lead,
        version,
        unique: uniqueContacts(pipeline, lead),
        filterable: filterableOf(lead.fields, fields),
      };
      const writes = restoreLeadWrites(call, after);
      await assertUnique(table, organizationId, writes, guards, [{ lead }]);
      return commit(writes, { headers: etag(version), body: lead });
    },
  );

/** The default stage takes the place of a stage that the pipeline has no more. */
const resolveStage = ({ stages, default_stage }: Pipeline, stage: string): string =>
  stages.some(({ name }) => name === stage) ? stage : default_stage;

/** The lead as it was when it was deleted: the entry has each field that was not empty. */
const leadFromDeletion = (id: string, { changes, stage_entered_at }: HistoryEntry): Lead => {
  const values: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  for (const { field, from } of changes) {
    const key = /^fields\.(.*)$/.exec(field)?.[1];
    if (key === undefined) values[field] = from;
    else fields[key] = from;
  }
  return listedLead.parse({ sk: id, ...values, fields, stage_entered_at });
};
