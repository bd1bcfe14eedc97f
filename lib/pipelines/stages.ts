import { ApiError, invalid } from '../errors/errors.ts';
import { counterKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Write } from '../table/table.ts';
import { shardCount, sumByStage } from './counters.ts';

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
 * that changes the pipeline. The counters are all of the pipeline's; if one has changed since it was
 * read, the transaction is refused with `ConflictError`. Throws `stage_in_use` for a stage with leads.
 */
export const updateStages = (
  update: StageUpdate,
  counters: readonly Item[],
): Write<'UpdateItem'>[] => {
  const sums = sumByStage(counters);
  const inUse = update.removed.filter((stage) => sums.get(stage)?.leads);
  if (inUse.length > 0) {
    throw new ApiError('stage_in_use', {
      details: inUse.map((stage) => ({
        path: 'stages',
        message: `must keep the stage ${JSON.stringify(stage)}, which has leads`,
      })),
    });
  }
  const items = new Map(counters.map((item) => [item.sk as string, item]));
  const closed = update.added.filter((stage) =>
    counterKeys(update, stage).some(({ sk }) => items.get(sk)?.closed),
  );
  if (update.removed.length + closed.length > mostStagesAtOnce) {
    throw invalid(
      'stages',
      `must remove and bring back at most ${mostStagesAtOnce} stages in one change`,
    );
  }
  const of = (stages: readonly string[]) => stages.flatMap((stage) => counterKeys(update, stage));
  return [
    ...of(update.removed).map((key) => close(key, items.get(key.sk)?.leads, update.now)),
    ...of(closed).map((Key) => ({
      Update: { Key, UpdateExpression: 'REMOVE closed, expires_at' },
    })),
  ];
};

const counterKeys = ({ organizationId, pipelineId }: StageUpdate, stage: string) =>
  Array.from({ length: shardCount }, (_, shard) =>
    counterKey(organizationId, pipelineId, stage, shard),
  );

/**
 * Together the shards have no leads. So each starts from nothing when the stage comes back, and DynamoDB may remove
 * them in the meantime, in any order.
 */
const close = (Key: ReturnType<typeof counterKey>, leads: unknown, now: number) => ({
  Update: {
    Key,
    UpdateExpression: 'SET closed = :closed, expires_at = :at REMOVE leads, value_cents',
    ConditionExpression: leads === undefined ? 'attribute_not_exists(leads)' : 'leads = :leads',
    ExpressionAttributeValues: {
      ':closed': true,
      ':at': Math.floor(now / 1000) + closedTtlSeconds,
      ...(leads !== undefined && { ':leads': leads }),
    },
  },
  refused: () => new ConflictError(),
});
