import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { lacks } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { readPartition } from '../table/pages.ts';
import type { Table, Write } from '../table/table.ts';
import { update } from '../table/write.ts';

/**
 * How many shards each stage's counters have. They hold the number and value of its leads. The transactions that
 * change leads also change them, so they are exact at once. Two transactions on one item conflict: hence the shards.
 */
export const shardCount = 10;

export const counterKind = new Kind(places.counter, {
  holds: 'what each stage has',
  attributes: z.object({
    leads: z.optional(z.int()),
    /** A sum can have more digits than a JavaScript number. */
    value_cents: z.optional(z.union([z.number(), z.bigint()])),
    /** The stage was removed: no lead may come. */
    closed: z.optional(z.literal(true)),
    /** Seconds since the epoch. */
    expires_at: z.optional(z.int()),
  }),
});
export type Counter = ItemOf<typeof counterKind>;

/** The parts of a lead that count. */
interface CountedLead {
  id: string;
  pipeline_id: string;
  stage: string;
  value_cents: number | null;
}

/** The leads of a stage, and their value. */
export interface StageTotal {
  leads: number;
  value_cents: bigint;
}

/**
 * Takes a lead off the counter of its stage, and adds it to the counter of its new stage. A stage that was closed
 * meanwhile refuses it with `write_conflict`: a repeat sees the pipeline as it is now.
 */
export const updateCounters = (
  organizationId: string,
  before: CountedLead | undefined,
  after: CountedLead | undefined,
): Write<'UpdateItem'>[] => {
  const sameStage = before?.pipeline_id === after?.pipeline_id && before?.stage === after?.stage;
  if (sameStage && before?.value_cents === after?.value_cents) return [];
  if (sameStage && before && after) {
    return [
      addToCounter(organizationId, after, 0, (after.value_cents ?? 0) - (before.value_cents ?? 0)),
    ];
  }
  return [
    ...(before ? [addToCounter(organizationId, before, -1, -(before.value_cents ?? 0))] : []),
    ...(after ? [addToCounter(organizationId, after, 1, after.value_cents ?? 0)] : []),
  ];
};

/** Updates counters for a merge: `other` goes, `after` stays in its stage. No counter is written twice. */
export const updateCountersOfMerge = (
  organizationId: string,
  before: CountedLead,
  after: CountedLead,
  other: CountedLead,
): Write<'UpdateItem'>[] => {
  const isShared =
    other.pipeline_id === after.pipeline_id &&
    other.stage === after.stage &&
    shardOf(other.id) === shardOf(after.id);
  if (!isShared) {
    return [
      ...updateCounters(organizationId, before, after),
      ...updateCounters(organizationId, other, undefined),
    ];
  }
  const value = (after.value_cents ?? 0) - (before.value_cents ?? 0) - (other.value_cents ?? 0);
  return [addToCounter(organizationId, after, -1, value)];
};

const addToCounter = (
  organizationId: string,
  { id, pipeline_id: pipelineId, stage }: CountedLead,
  leads: number,
  value_cents: number,
): Write<'UpdateItem'> =>
  update(
    counterKind.key({ organizationId, pipelineId, stage, shard: String(shardOf(id)) }),
    { add: { leads, value_cents } },
    { condition: lacks('closed'), refused: () => new ApiError('write_conflict') },
  );

/**
 * A lead's shard, by the end of the UUIDv7, which is random. What a lead adds and takes is in one counter: so none
 * keeps the value of a lead that is gone.
 */
const shardOf = (leadId: string): number => Number.parseInt(leadId.slice(-6), 16) % shardCount;

/** All counters of a pipeline, as they are now. */
export const readCounters = (
  table: Table<'Query'>,
  organizationId: string,
  pipelineId: string,
): Promise<Counter[]> =>
  readPartition(table, counterKind, counterKind.partition({ organizationId, pipelineId }));

/** The totals of each stage, from all counters of a pipeline. */
export const sumByStage = (counters: readonly Counter[]): Map<string, StageTotal> => {
  const sums = new Map<string, StageTotal>();
  for (const counter of counters) {
    const { stage } = counterKind.idsOf(counter);
    const sum = sums.get(stage) ?? { leads: 0, value_cents: 0n };
    sum.leads += counter.leads ?? 0;
    sum.value_cents += BigInt(counter.value_cents ?? 0);
    sums.set(stage, sum);
  }
  return sums;
};
