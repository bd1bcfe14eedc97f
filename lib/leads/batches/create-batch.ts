import type * as z from 'zod/mini';
import { noFields, updateCustomFields } from '../../fields/check.ts';
import type { Commit, PartReplies } from '../../operations/commit.ts';
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
import { type Lead, type LeadInput, type LeadPatch, newLead } from '../lead.ts';
import { createLeadWrites, type LeadAction } from '../lead-writes.ts';
import { assertReferences } from '../update.ts';
import { foreseeUpsert, type Holders, readHolders, type Upsert, upsertLead } from '../upsert.ts';
import {
  firstPlaces,
  type LeadReferences,
  pickReferences,
  type References,
  readReferences,
  runParts,
  validInputs,
} from './batch.ts';
import type { BatchResult, batchInput } from './batch-schema.ts';
import { dryRun } from './dry-run.ts';

type Body = z.output<typeof batchInput>;
type BatchCall = Call<{ body: Body }>;
type BatchTable = Reader<'GetItem' | 'Query'>;
type Replies = PartReplies<LeadAction>;

/** The items that a batch's leads refer to, the holders of what new leads need to themselves, and of what upserts name. */
interface BatchItems {
  items: References;
  guards: Map<string, ContactGuard | undefined>;
  /** The holders for upserts, by their places. An upsert that competes with others reads its holders in its turn. */
  holders: Map<number, Holders>;
}

/** Reads the items that a batch needs. */
export const readBatch = async (
  { organizationId, body }: BatchCall,
  table: ReadOnly<'GetItem' | 'Query'>,
): Promise<BatchItems> => {
  const newLeads = body.match === undefined ? validInputs(body.leads) : [];
  const [items, guards, holders] = await Promise.all([
    readReferences(organizationId, validInputs<LeadReferences>(body.leads), table),
    readGuards(
      table,
      newLeads.flatMap((lead) => guardKeys(organizationId, lead.pipeline_id, lead)),
    ),
    body.match === undefined ? [] : readAllHolders(table, organizationId, body),
  ]);
  return { items, guards: new Map(guards), holders: new Map(holders) };
};

const readAllHolders = (
  table: ReadOnly<'GetItem' | 'Query'>,
  organizationId: string,
  { match, leads }: Extract<Body, { match: LookupField }>,
): Promise<[number, Holders][]> =>
  Promise.all(
    firstPlaces(leads, lookupValues).map(async (i): Promise<[number, Holders]> => {
      const { input: lead } = leads[i] as { input: LeadPatch };
      return [i, await readHolders(table, organizationId, { match, lead })];
    }),
  );

/** Makes the leads, or changes those that are matched, each in a transaction of its own. */
export const createBatch = (
  call: MemberCall<{ body: Body }>,
  found: BatchItems,
  table: BatchTable,
  given: Replies,
): Promise<Reply<BatchResult>> => {
  const { organizationId, body } = call;
  const replies = body.dry_run ? dryRun : given;
  if (body.match === undefined) {
    const plans = new Map<number, BatchPlan>();
    return runParts(call, body.leads, {
      competesFor: (lead) => guardPartitions(organizationId, lead, found.items),
      expectedUnits(i, lead) {
        const plan = planLead(call, lead, found.items);
        plans.set(i, plan);
        return replies.expectedUnits(i, plan.writes, { body: plan.lead });
      },
      runPart: (i, lead) =>
        createPart(
          call,
          () => plans.get(i) ?? planLead(call, lead, found.items),
          found,
          table,
          (work) => replies.replyToPart(i, work),
        ),
    });
  }
  const { match, move, leads } = body;
  return runParts(call, leads, {
    competesFor: lookupValues,
    expectedUnits(i, lead) {
      const references = { ...pickReferences(lead, found.items), holders: found.holders.get(i) };
      const { writes, reply } = foreseeUpsert(call, { match, move, lead }, references);
      return replies.expectedUnits(i, writes, reply);
    },
    runPart: (i, lead) =>
      upsertPart(call, { match, move, lead }, { ...found, place: i }, table, (work) =>
        replies.replyToPart(i, work),
      ),
  });
};

type CommitPart = <B>(work: (commit: Commit<LeadAction>) => Promise<Reply<B>>) => Promise<Reply<B>>;

/** A lead that is to be made, and what is written for it. */
interface BatchPlan {
  lead: Lead;
  writes: ReturnType<typeof createLeadWrites>;
}

/** Throws where the lead refers to what is not there. */
const planLead = (call: BatchCall, input: LeadInput, items: References): BatchPlan => {
  const references = pickReferences(input, items);
  assertReferences(input, references);
  const pipeline = toPipeline(references.pipeline!);
  const { fields, filterable } = updateCustomFields(noFields, input.fields, references.fields);
  const lead = newLead({ ...input, fields }, pipeline);
  return { lead, writes: createLeadWrites(call, lead, pipeline, filterable) };
};

const createPart = async (
  call: BatchCall,
  plan: () => BatchPlan,
  { guards }: BatchItems,
  table: BatchTable,
  commitPart: CommitPart,
) => {
  const { body } = await commitPart(async (commit) => {
    const { lead, writes } = plan();
    await assertUnique(table, call.organizationId, writes, guards);
    const reply = await commit(writes, { body: lead });
    // A lead of the same batch that wants the same is then refused without a transaction, too.
    if (!call.body.dry_run) for (const guard of guardsIn(writes)) guards.set(guard.pk, guard);
    return reply;
  });
  return { status: 201 as const, lead: body };
};

const upsertPart = async (
  call: BatchCall,
  upsert: Upsert,
  { items, holders: found, place }: Pick<BatchItems, 'items' | 'holders'> & { place: number },
  table: BatchTable,
  commitPart: CommitPart,
) => {
  const { body } = await commitPart(async (commit) => {
    const holders = found.get(place) ?? (await readHolders(table, call.organizationId, upsert));
    const references = pickReferences(upsert.lead, items);
    return upsertLead(call, upsert, { ...references, holders }, table, commit);
  });
  return { status: body.outcome === 'created' ? (201 as const) : (200 as const), ...body };
};

/** The partitions of what a new lead needs to itself: only one of two leads with the same partition can be made. */
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

/** The values that an upsert may match or take: its lead, and so the lead's pipeline, is not known yet. */
export const lookupValues = (lead: Pick<LeadPatch, LookupField>): string[] =>
  lookupFields.flatMap((field) => {
    const value = lead[field];
    return value ? [`${field} ${normalize(field, value)}`] : [];
  });
