import { expiryOf, type Idempotency, liveRecord } from '../idempotency.ts';
import type { Item, Table } from '../table/table.ts';
import type { Refusal } from './batch-schema.ts';

/** What is kept of a batch with an idempotency key: first that it was started, then its outcomes. */
export interface BatchRecord {
  fingerprint: string;
  expires_at: number;
  /** By the order of the request, null for what was created. Absent while it is under way. */
  refusals?: (Refusal | null)[] | undefined;
}

const toRecord = ({ refusals, ...item }: Item): BatchRecord => ({
  fingerprint: item.fingerprint as string,
  expires_at: item.expires_at as number,
  refusals: refusals === undefined ? undefined : JSON.parse(refusals as string),
});

/** The record, unless it is past its time. Throws `idempotency_key_reused`. */
export const liveBatch = (
  idempotency: Idempotency | undefined,
  item: Item | undefined,
): BatchRecord | undefined => {
  const record = liveRecord(idempotency, item);
  return record && toRecord(record);
};

class Recorded extends Error {
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super('the batch has a record');
    this.item = item;
  }
}

/** Ties the key to this request before anything of it is written. */
export const startBatch = async (
  table: Table<'PutItem'>,
  idempotency: Idempotency,
): Promise<BatchRecord> => {
  const { key, fingerprint, now } = idempotency;
  const record = { fingerprint, expires_at: expiryOf(idempotency) };
  try {
    await table.transact([
      {
        Put: {
          Item: { ...key, ...record },
          ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
          ExpressionAttributeValues: { ':now': now },
        },
        refused: (item) => new Recorded(item),
      },
    ]);
    return record;
  } catch (error) {
    const started = error instanceof Recorded && liveBatch(idempotency, error.item);
    if (started) return started;
    throw error;
  }
};

/**
 * Records the outcomes, or answers those that another try of the same request recorded first. The
 * record's time is the start's, so that the records of its leads outlive it.
 */
export const finishBatch = async (
  table: Table<'PutItem'>,
  { key }: Idempotency,
  { fingerprint, expires_at }: BatchRecord,
  refusals: (Refusal | null)[],
): Promise<(Refusal | null)[]> => {
  try {
    await table.transact([
      {
        Put: {
          Item: { ...key, fingerprint, expires_at, refusals: JSON.stringify(refusals) },
          ConditionExpression: 'attribute_not_exists(refusals)',
        },
        refused: (item) => new Recorded(item),
      },
    ]);
    return refusals;
  } catch (error) {
    if (!(error instanceof Recorded) || !error.item) throw error;
    return toRecord(error.item).refusals ?? refusals;
  }
};
