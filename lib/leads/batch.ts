import type * as z from 'zod/mini';
import { ApiError, type ErrorDetail, invalid } from '../operations/errors.ts';
import type { Call, MemberCall, Reply } from '../operations/operation.ts';
import { type Pipeline, toPipeline } from '../pipelines/pipeline.ts';
import { type Key, memberKey, pipelineKey } from '../table/keys.ts';
import type { Item, Part, Table } from '../table/table.ts';
import type { BatchResult, batchInput, Entry, Outcome, Refusal } from './batch-schema.ts';
import { createWrites } from './change.ts';
import { guardsOf } from './contacts.ts';
import { type LeadInput, newLead } from './lead.ts';

/** So many leads are made at once, and at most so many after their maker was removed. */
const atOnce = 10;

type Body = z.output<typeof batchInput>;
type BatchCall = Call<undefined, undefined, Body>;

/** What the leads refer to, by partition and sort key. */
type Found = ReadonlyMap<string, Item>;

const id = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

/** By which a repeat of each lead is recognized. */
export const partsOf = ({ body }: BatchCall): readonly unknown[] => body.leads;

export const readBatch = async (call: BatchCall, table: Table<'BatchGetItem'>): Promise<Found> => {
  const keys = call.body.leads.flatMap((entry) => references(call, entry));
  const distinct = new Map(keys.map((key) => [id(key), key]));
  const items = await table.getAll([...distinct.values()]);
  return new Map(items.flatMap((item) => (item ? [[id(item as never), item]] : [])));
};

const references = ({ organizationId }: BatchCall, entry: Entry): Key[] => {
  if ('invalid' in entry) return [];
  const { pipeline_id, owner_id } = entry.lead;
  const pipeline = pipelineKey(organizationId, pipeline_id);
  return owner_id ? [pipeline, memberKey(organizationId, owner_id)] : [pipeline];
};

type PartOfCreate = Part<'PutItem' | 'UpdateItem'>;

/**
 * Creates the leads, each in a transaction of its own. Some at once; but of leads that can't both be made
 * the first in the request comes first. Whether the caller still may is asked again before each ten. It is
 * no condition of the transactions: those of one user would then refuse one another.
 */
export const createBatch = async (
  call: MemberCall<undefined, undefined, Body>,
  found: Found,
  part: PartOfCreate,
): Promise<Reply<BatchResult>> => {
  const entries = call.body.leads;
  const items: Outcome[] = [];
  const create = async (i: number) => {
    items[i] = await outcomeOf(() => createOne(call, found, entries[i]!, (work) => part(i, work)));
  };
  let sinceAsked = 0;
  for (const round of rounds(entries.map((entry) => takenBy(call, found, entry)))) {
    for (let i = 0; i < round.length; i += atOnce) {
      const some = round.slice(i, i + atOnce);
      if (sinceAsked + some.length > atOnce) {
        await call.assertMember();
        sinceAsked = 0;
      }
      sinceAsked += some.length;
      await Promise.all(some.map(create));
    }
  }
  return { body: { items } };
};

/** The places of the leads in the request: of those that compete, each is in a later round. */
const rounds = (taken: readonly string[][]): number[][] => {
  const all: number[][] = [];
  const next = new Map<string, number>();
  taken.forEach((guards, i) => {
    const round = Math.max(0, ...guards.map((guard) => next.get(guard) ?? 0));
    all[round] = [...(all[round] ?? []), i];
    for (const guard of guards) next.set(guard, round + 1);
  });
  return all;
};

/** The guards that a lead takes, if it is made; one that is refused anyway takes none. */
const takenBy = (call: BatchCall, found: Found, entry: Entry): string[] => {
  if ('invalid' in entry) return [];
  const pipeline = pipelineOf(call, found, entry.lead);
  return pipeline ? guardsOf(call.organizationId, pipeline, entry.lead) : [];
};

const pipelineOf = (
  { organizationId }: BatchCall,
  found: Found,
  { pipeline_id }: LeadInput,
): Pipeline | undefined => {
  const item = found.get(id(pipelineKey(organizationId, pipeline_id)));
  return item && toPipeline(item);
};

const createOne = async (
  call: BatchCall,
  found: Found,
  entry: Entry,
  once: (work: Parameters<PartOfCreate>[1]) => ReturnType<PartOfCreate>,
): Promise<Outcome> => {
  if ('invalid' in entry) throw entry.invalid;
  const input = entry.lead;
  const { body } = await once(async (commit) => {
    const pipeline = pipelineOf(call, found, input);
    if (!pipeline) throw invalid('pipeline_id', 'is not a pipeline of this organization');
    if (input.owner_id && !found.has(id(memberKey(call.organizationId, input.owner_id)))) {
      throw invalid('owner_id', 'is not a member of this organization');
    }
    const created = newLead(input, pipeline);
    return commit(createWrites(call, created, pipeline), { body: created });
  });
  return { status: 201, lead: body as never };
};

const outcomeOf = async (work: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await work();
  } catch (error) {
    return refusedWith(error);
  }
};

const refusedWith = (error: unknown): Refusal => {
  if (!(error instanceof ApiError)) throw error;
  const { code, message, details, kind } = error;
  return {
    status: kind.status,
    error: { code, message, ...(details && { details: details as ErrorDetail[] }) },
  };
};
