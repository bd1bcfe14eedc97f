import type * as z from 'zod/mini';
import { noFields, updateCustomFields } from '../../fields/check.ts';
import type { ReplyToPart } from '../../operations/commit.ts';
import type { Call, MemberCall, Reply } from '../../operations/request.ts';
import { toPipeline } from '../../pipelines/pipeline.ts';
import type { Reader } from '../../table/table.ts';
import {
  type LookupField,
  lookupFields,
  lookupKey,
  normalize,
  uniqueContacts,
} from '../contacts.ts';
import { type LeadInput, type LeadPatch, newLead } from '../lead.ts';
import { createWrites, type leadGrants } from '../lead-writes.ts';
import { needsWordItems } from '../search/state.ts';
import { assertReferences } from '../update.ts';
import { readMatchingIds, type Upsert, upsertLead } from '../upsert.ts';
import {
  type ItemsByKey,
  type LeadReferences,
  pickReferences,
  runParts,
  validInputs,
} from './batch.ts';
import type { BatchResult, batchInput } from './batch-schema.ts';
import { dryRunPart } from './dry-run.ts';

type Body = z.output<typeof batchInput>;
type BatchCall = Call<{ body: Body }>;
type BatchTable = Reader<'GetItem' | 'Query'>;
type WritePart = ReplyToPart<(typeof leadGrants)[number]>;

/** The leads that are valid. */
export const validLeads = ({ body }: BatchCall): LeadReferences[] =>
  validInputs<LeadReferences>(body.leads);

/** Makes the leads, or changes those that are matched, each in a transaction of its own. */
export const createBatch = (
  call: MemberCall<{ body: Body }>,
  items: ItemsByKey,
  table: BatchTable,
  write: WritePart,
): Promise<Reply<BatchResult>> => {
  const { organizationId, body } = call;
  const replyToPart = body.dry_run ? dryRunPart(table) : write;
  if (body.match === undefined) {
    return runParts(
      call,
      body.leads,
      (lead) => guardPartitions(organizationId, lead, items),
      (i, lead) => createPart(call, lead, items, (work) => replyToPart(i, work)),
    );
  }
  const { match, move, leads } = body;
  return runParts(call, leads, lookupValues, (i, lead) =>
    upsertPart(call, { match, move, lead }, items, table, (work) => replyToPart(i, work)),
  );
};

type CommitPart = (work: Parameters<WritePart>[1]) => ReturnType<WritePart>;

const createPart = async (
  call: BatchCall,
  input: LeadInput,
  items: ItemsByKey,
  commitPart: CommitPart,
) => {
  const { body } = await commitPart(async (commit) => {
    const references = pickReferences(call.organizationId, input, items);
    assertReferences(input, references);
    const pipeline = toPipeline(references.pipeline!);
    const { fields, filterable } = updateCustomFields(noFields, input.fields, references.fields);
    const created = newLead({ ...input, fields }, pipeline);
    const searchable = needsWordItems(references.organization);
    return commit(createWrites(call, created, pipeline, searchable, filterable), { body: created });
  });
  return { status: 201 as const, lead: body as never };
};

const upsertPart = async (
  call: BatchCall,
  upsert: Upsert,
  items: ItemsByKey,
  table: BatchTable,
  commitPart: CommitPart,
) => {
  const { status = 201, body } = await commitPart(async (commit) => {
    const holders = await readMatchingIds(table, call.organizationId, upsert);
    const references = pickReferences(call.organizationId, upsert.lead, items);
    return upsertLead(call, upsert, { ...references, holders }, table, commit);
  });
  return { status: status as 200 | 201, ...(body as { lead: never; outcome: never }) };
};

/** What a new lead has to itself: of two with one of these in common, only one can be made. */
const guardPartitions = (organizationId: string, lead: LeadInput, items: ItemsByKey): string[] => {
  const { pipeline: item } = pickReferences(organizationId, lead, items);
  if (!item) return [];
  const pipeline = toPipeline(item);
  const { external_id } = lead;
  return [
    ...(external_id === null ? [] : [lookupKey(organizationId, '', 'external_id', external_id).pk]),
    ...uniqueContacts(pipeline, lead).map(
      (field) => lookupKey(organizationId, pipeline.id, field, lead[field]!).pk,
    ),
  ];
};

/** What an upsert may match or take: the pipeline of the lead that is meant is not known yet. */
export const lookupValues = (lead: Pick<LeadPatch, LookupField>): string[] =>
  lookupFields.flatMap((field) => {
    const value = lead[field];
    return value ? [`${field} ${normalize(field, value)}`] : [];
  });
