import { ApiError, invalid } from '../errors/errors.ts';
import { compare, lacks } from '../table/condition.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { update } from '../table/write.ts';
import { type Counter, counterKind, shardCount, sumByStage } from './counters.ts';

/** A transaction has room for the counters of this many stages. */
const mostStagesAtOnce = 8;

/** Closed counters refuse leads from requests that still know the stage. Those requests end in seconds. */
const closedTtlSeconds = 24 * 60 * 60;

/** The stages that a pipeline loses and gains in one update. */
export interface StageUpdate {
  organizationId: string;
  pipelineId: string;
  removed: readonly string[];
  added: readonly string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Closes the counters of stages that go, and opens those of stages that come back, in the transaction
 * that changes the pipeline. The counters are all of the pipeline's; if any has changed since it was
 * read, the transaction is refused with `ConflictError`. Throws `stage_in_use` for a stage with leads.
 */
export const updateStages = (
  change: StageUpdate,
  counters: readonly Counter[],
): Write<'UpdateItem'>[] => {
  const sums = sumByStage(counters);
  const inUse = change.removed.filter((stage) => sums.get(stage)?.leads);
  if (inUse.length > 0) {
    throw new ApiError('stage_in_use', {
      details: inUse.map((stage) => ({
        path: 'stages',
        message: `must keep the stage ${JSON.stringify(stage)}, which has leads`,
      })),
    });
  }
  const items = new Map(counters.map((item) => [item.sk, item]));
  const closed = change.added.filter((stage) =>
    counterKeys(change, stage).some(({ sk }) => items.get(sk)?.closed),
  );
  if (change.removed.length + closed.length > mostStagesAtOnce) {
    throw invalid(
      'stages',
      `must remove and bring back at most ${mostStagesAtOnce} stages in one change`,
    );
  }
  const of = (stages: readonly string[]) => stages.flatMap((stage) => counterKeys(change, stage));
  return [
    ...of(change.removed).map((key) => close(key, items.get(key.sk)?.leads, change.now)),
    ...of(closed).map((key) => update(key, { remove: ['closed', 'expires_at'] })),
  ];
};

const counterKeys = ({ organizationId, pipelineId }: StageUpdate, stage: string) =>
  Array.from({ length: shardCount }, (_, shard) =>
    counterKind.key({ organizationId, pipelineId, stage, shard: String(shard) }),
  );

/**
 * Together the shards have no leads. So each starts from nothing when the stage comes back, and DynamoDB may remove
 * them in the meantime, in any order.
 */
const close = (
  key: ReturnType<typeof counterKind.key>,
  leads: number | undefined,
  now: number,
): Write<'UpdateItem'> =>
  update(
    key,
    {
      set: { closed: true, expires_at: Math.floor(now / 1000) + closedTtlSeconds },
      remove: ['leads', 'value_cents'],
    },
    {
      condition: leads === undefined ? lacks('leads') : compare('leads', '=', leads),
      refused: () => new ConflictError(),
    },
  );
