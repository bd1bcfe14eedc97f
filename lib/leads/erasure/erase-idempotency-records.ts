import {
  erasedContent,
  recordTtlSeconds,
  traceExtraSeconds,
} from '../../operations/idempotency-record.ts';
import { idempotencyKey, type Key } from '../../table/keys.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Item } from '../../table/table.ts';
import type { LeadWrite } from '../lead-writes.ts';

/**
 * An idempotency record that tells of a lead, and when it ends at the latest, in seconds since the epoch. One that
 * ends later is of another request, which took the same key once its time had passed.
 */
export interface RecordRef {
  record: Key;
  endsBy: number;
}

/** Seconds by which a clock may have been set back between a request and its entry, which else is never the earlier one. */
const clockMarginSeconds = 60;

/** The record of the reply to what made an entry of the outbox. */
export const recordOfEntry = (
  organizationId: string,
  { user_id, record, at }: Item,
): RecordRef | undefined =>
  record === undefined
    ? undefined
    : {
        record: idempotencyKey(organizationId, String(user_id), String(record)),
        endsBy: Date.parse(String(at)) / 1000 + recordTtlSeconds + clockMarginSeconds,
      };

/** The record of a reply for which nothing was written but the trace of it. */
export const recordOfTrace = (record: Key, { expires_at }: Item): RecordRef => ({
  record,
  endsBy: Number(expires_at) - traceExtraSeconds,
});

/** Records without doubles: a key that was used again for the same lead counts as it was used last. */
export const distinctRecords = (all: readonly RecordRef[]): RecordRef[] => {
  const distinct = new Map<string, RecordRef>();
  for (const ref of all) {
    const other = distinct.get(ref.record.pk);
    if (!other || other.endsBy < ref.endsBy) distinct.set(ref.record.pk, ref);
  }
  return [...distinct.values()];
};

/** The record stays, so that a try that was held up can't take effect. */
export const emptyRecord = ({ endsBy }: RecordRef, record: Item | undefined): LeadWrite[] =>
  record && Number(record.expires_at) <= endsBy
    ? [
        {
          Update: {
            Key: { pk: String(record.pk), sk: String(record.sk) },
            UpdateExpression: 'SET reply = :erased',
            ConditionExpression: 'expires_at = :end',
            ExpressionAttributeValues: { ':erased': erasedContent, ':end': record.expires_at },
          },
          // The record's time has passed: DynamoDB removed it, or another request took the key.
          refused: () => new ConflictError(),
        },
      ]
    : [];
