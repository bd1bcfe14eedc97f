import type * as z from 'zod/mini';
import { noFields, updateCustomFields } from '../../fields/check.ts';
import type { Commit, ReplyToPart } from '../../operations/commit.ts';
import type { Call, MemberCall, Reply } from '../../operations/request.ts';
import { toPipeline } from '../../pipelines/pipeline.ts';
import type { Reader, ReadOnly } from '../../table/table.ts';
import {
  type ContactGuard,
  guardKey,
  type LookupField,
  lookupFields,
  normalize,
  uniqueContacts,
} from '../contacts.ts';
import { assertUnique, guardKeys, guardsIn, readGuards } from '../guards.ts';
import { type LeadInput, type LeadPatch, newLead } from '../lead.ts';
import { createLeadWrites, type leadGrants } from '../lead-writes.ts';
import { assertReferences } from '../update.ts';
import { readHolders, type Upsert, upsertLead } from '../upsert.ts';
import {
  type LeadReferences,
  pickReferences,
  type References,
  readReferences,
  runParts,
  validInputs,
} from './batch.ts';
import type { BatchResult, batchInput } from './batch-schema.ts';
import { dryRunPart } from './dry-run.ts';

type Body = z.output<typeof batchInput>;
type BatchCall = Call<{ body: Body }>;
type BatchTable = Reader<'GetItem' | 'Query'>;
type WritePart = ReplyToPart<(typeof leadGrants)[number]>;

/** What the leads of a batch refer to, and who has what new ones want to themselves. */
interface BatchItems {
  items: References;
  guards: Map<string, ContactGuard | undefined>;
}

/** What a batch reads first. Upserts read their guards in their turn: those before them may change whose they are. */
export const readBatch = async (
  { organizationId, body }: BatchCall,
  table: ReadOnly<'GetItem'>,
): Promise<BatchItems> => {
  const newLeads = body.match === undefined ? validInputs(body.leads) : [];
  const [items, guards] = await Promise.all([
    readReferences(organizationId, validInputs<LeadReferences>(body.leads), table),
    readGuards(
      table,
      newLeads.flatMap((lead) => guardKeys(organizationId, lead.pipeline_id, lead)),
    ),
  ]);
  return { items, guards: new Map(guards) };
};

/** Makes the leads, or changes those that are matched, each in a transaction of its own. */
export const createBatch = (
  call: MemberCall<{ body: Body }>,
  found: BatchItems,
  table: BatchTable,
  write: WritePart,
): Promise<Reply<BatchResult>> => {
  const { organizationId, body } = call;
  const replyToPart = body.dry_run ? dryRunPart : write;
  if (body.match === undefined) {
    return runParts(
      call,
      body.leads,
      (lead) => guardPartitions(organizationId, lead, found.items),
      (i, lead) => createPart(call, lead, found, table, (work) => replyToPart(i, work)),
    );
  }
  const { match, move, leads } = body;
  return runParts(call, leads, lookupValues, (i, lead) =>
    upsertPart(call, { match, move, lead }, found.items, table, (work) => replyToPart(i, work)),
  );
};

type CommitPart = <B>(
  work: (commit: Commit<(typeof leadGrants)[number]>) => Promise<Reply<B>>,
) => Promise<Reply<B>>;

const createPart = async (
  call: BatchCall,
  input: LeadInput,
  { items, guards }: BatchItems,
  table: BatchTable,
  commitPart: CommitPart,
) => {
  const { body } = await commitPart(async (commit) => {
    const references = pickReferences(input, items);
    assertReferences(input, references);
    const pipeline = toPipeline(references.pipeline!);
    const { fields, filterable } = updateCustomFields(noFields, input.fields, references.fields);
    const created = newLead({ ...input, fields }, pipeline);
    const writes = createLeadWrites(call, created, pipeline, filterable);
    await assertUnique(table, call.organizationId, writes, guards);
    const reply = await commit(writes, { body: created });
    // A lead of the same batch that wants the same is then refused without a transaction, too.
    if (!call.body.dry_run) for (const guard of guardsIn(writes)) guards.set(guard.pk, guard);
    return reply;
  });
  return { status: 201 as const, lead: body };
};

const upsertPart = async (
  call: BatchCall,
  upsert: Upsert,
  items: References,
  table: BatchTable,
  commitPart: CommitPart,
) => {
  const { body } = await commitPart(async (commit) => {
    const holders = await readHolders(table, call.organizationId, upsert);
    const references = pickReferences(upsert.lead, items);
    return upsertLead(call, upsert, { ...references, holders }, table, commit);
  });
  return { status: body.outcome === 'created' ? (201 as const) : (200 as const), ...body };
};

/** What a new lead has to itself: of two with one of these in common, only one can be made. */
const guardPartitions = (organizationId: string, lead: LeadInput, items: References): string[] => {
  const { pipeline: item } = pickReferences(lead, items);
  if (!item) return [];
  const pipeline = toPipeline(item);
  const { external_id } = lead;
  return [
    ...(external_id === null ? [] : [guardKey(organizationId, '', 'external_id', external_id).pk]),
    ...uniqueContacts(pipeline, lead).map(
      (field) => guardKey(organizationId, pipeline.id, field, lead[field]!).pk,
    ),
  ];
};

/** What an upsert may match or take: the pipeline of the lead that is meant is not known yet. */
export const lookupValues = (lead: Pick<LeadPatch, LookupField>): string[] =>
  lookupFields.flatMap((field) => {
    const value = lead[field];
    return value ? [`${field} ${normalize(field, value)}`] : [];
  });
