import * as z from 'zod/mini';
import { ApiError, type ErrorDetail, invalid } from '../errors.ts';
import { type Idempotency, idempotencyOf, replay, writeOnce } from '../idempotency.ts';
import type { Call, Reply } from '../operation.ts';
import { type Pipeline, toPipeline } from '../organizations/pipelines.ts';
import { memberKey, pipelineKey } from '../table/keys.ts';
import type { Item, Table } from '../table/table.ts';
import { issueDetails } from '../validation.ts';
import { finishBatch, liveBatch, startBatch } from './batch-record.ts';
import type { BatchResult, batchInput, Outcome, Refusal } from './batch-schema.ts';
import { createWrites } from './change.ts';
import { guardsOf } from './contacts.ts';
import { type Lead, type LeadInput, leadInput, newLead, normalized } from './lead.ts';

const atOnce = 10;

type BatchCall = Call<unknown, unknown, z.output<typeof batchInput>>;

/** One lead of the request: valid or not, and how a repeat of it is recognized. */
interface Entry {
  input: LeadInput | ApiError;
  idempotency: Idempotency | undefined;
}

interface Batch {
  entries: Entry[];
  /** Of the whole request. */
  idempotency: Idempotency | undefined;
  /** Everything that was read, by partition and sort key. */
  found: Map<string, Item>;
}

const id = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

/** Reads what the leads refer to, and what an earlier try of the same request has made. */
export const readBatch = async (call: BatchCall, table: Table<'BatchGetItem'>): Promise<Batch> => {
  const inputs = call.body.leads.map(parse);
  const payloads = inputs.map((input, i) =>
    input instanceof ApiError ? call.body.leads[i] : normalized(input),
  );
  const idempotency = idempotencyOf('createLeads', call, payloads);
  const entries = inputs.map((input, i) => ({
    input,
    idempotency: idempotencyOf(`createLeads#${i}`, call, payloads[i]),
  }));
  const keys = [idempotency?.key, ...entries.flatMap((entry) => references(call, entry))];
  const distinct = new Map(keys.filter((key) => key !== undefined).map((key) => [id(key), key]));
  const items = await table.getAll([...distinct.values()]);
  const found = new Map<string, Item>();
  for (const item of items) if (item) found.set(id(item as never), item);
  return { entries, idempotency, found };
};

const parse = (input: unknown): LeadInput | ApiError => {
  const result = z.safeParse(leadInput, input);
  if (result.success) return result.data;
  return new ApiError('invalid_request', { details: issueDetails(result.error) });
};

const references = ({ organizationId }: BatchCall, { input, idempotency }: Entry) =>
  input instanceof ApiError
    ? []
    : [
        pipelineKey(organizationId, input.pipeline_id),
        input.owner_id ? memberKey(organizationId, input.owner_id) : undefined,
        idempotency?.key,
      ];

type BatchTable = Table<'BatchGetItem' | 'PutItem' | 'UpdateItem'>;

/**
 * Creates the leads, each in a transaction of its own with its own idempotency record: a request that
 * was cut off goes on where it was when it is repeated. Once all outcomes are final, they are recorded.
 */
export const createBatch = async (
  call: BatchCall,
  batch: Batch,
  table: BatchTable,
): Promise<Reply<BatchResult>> => {
  const { idempotency, found } = batch;
  if (!idempotency) return { body: { items: await createAll(call, batch, table) } };
  const record =
    liveBatch(idempotency, found.get(id(idempotency.key))) ??
    (await startBatch(table, idempotency));
  if (record.refusals) return replayed(batch, record.refusals);
  const outcomes = await createAll(call, batch, table);
  if (!outcomes.every(isFinal)) return { body: { items: outcomes } };
  const refusals = await finishBatch(table, idempotency, record, outcomes.map(refusalOf));
  return { body: { items: outcomes.map((outcome, i) => refusals[i] ?? outcome) } };
};

const replayed = (
  { entries, found }: Batch,
  refusals: readonly (Refusal | null)[],
): Reply<BatchResult> => ({
  headers: { 'Idempotency-Replayed': 'true' },
  body: {
    items: entries.map(({ idempotency }, i): Outcome => {
      const refused = refusals[i];
      if (refused) return refused;
      const first = replay<Lead>(idempotency, idempotency && found.get(id(idempotency.key)));
      if (!first) throw new Error('a lead of a finished batch has no record');
      return { status: 201, lead: first.body };
    }),
  },
});

/** Some at once; but of leads that can't both be made the first in the request comes first. */
const createAll = async (call: BatchCall, batch: Batch, table: BatchTable): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  const create = async (i: number) => {
    outcomes[i] = await createOne(call, batch, batch.entries[i] as Entry, table);
  };
  for (const round of rounds(batch.entries.map((entry) => takenBy(call, batch, entry)))) {
    for (let i = 0; i < round.length; i += atOnce) {
      await Promise.all(round.slice(i, i + atOnce).map(create));
    }
  }
  return outcomes;
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
const takenBy = (call: BatchCall, batch: Batch, { input }: Entry): string[] => {
  if (input instanceof ApiError) return [];
  const pipeline = pipelineOf(call, batch, input);
  return pipeline ? guardsOf(call.organizationId, pipeline, normalized(input)) : [];
};

const pipelineOf = (
  { organizationId }: BatchCall,
  { found }: Batch,
  { pipeline_id }: LeadInput,
): Pipeline | undefined => {
  const item = found.get(id(pipelineKey(organizationId, pipeline_id)));
  return item && toPipeline(item);
};

const createOne = async (
  call: BatchCall,
  batch: Batch,
  { input, idempotency }: Entry,
  table: BatchTable,
): Promise<Outcome> => {
  const { found } = batch;
  try {
    if (input instanceof ApiError) throw input;
    const first = replay<Lead>(idempotency, idempotency && found.get(id(idempotency.key)));
    if (first) return { status: 201, lead: first.body };
    const { organizationId } = call;
    const pipeline = pipelineOf(call, batch, input);
    if (!pipeline) throw invalid('pipeline_id', 'is not a pipeline of this organization');
    if (input.owner_id && !found.has(id(memberKey(organizationId, input.owner_id)))) {
      throw invalid('owner_id', 'is not a member of this organization');
    }
    const created = newLead(input, pipeline);
    const writes = createWrites(call, created, pipeline);
    const reply = await writeOnce(table, idempotency, writes, { body: created });
    return { status: 201, lead: reply.body };
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

const refusalOf = (outcome: Outcome): Refusal | null => ('error' in outcome ? outcome : null);

/** A repeat would end the same. What passes by itself is left for a repeat to complete. */
const isFinal = (outcome: Outcome): boolean =>
  !('error' in outcome) || !['write_conflict', 'unavailable'].includes(outcome.error.code);
