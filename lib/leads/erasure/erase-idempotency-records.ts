import {
  erasedContent,
  idempotencyRecordKind,
  recordKeyOf,
  recordTraceKind,
  recordTtlSeconds,
  traceExtraSeconds,
} from '../../operations/idempotency-record.ts';
import { compare } from '../../table/condition.ts';
import type { ItemOf } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import { update } from '../../table/write.ts';
import type { LeadWrite } from '../lead-writes.ts';

/**
 * An idempotency record that tells of a lead, and when it ends at the latest, in seconds since the epoch. A record that
 * ends later belongs to another request, which took the same key after the first record had ended.
 */
export interface RecordRef {
  key: ReturnType<typeof idempotencyRecordKind.key>;
  endsBy: number;
}

/** Seconds by which a clock may have been set back between a request and its entry. Otherwise the entry is never earlier. */
const clockMarginSeconds = 60;

/** The record of the reply to what made an entry of the outbox. */
export const recordOfEntry = (
  organizationId: string,
  {
    user_id,
    record,
    at,
  }: { user_id?: string | null | undefined; record?: string | undefined; at: string },
): RecordRef | undefined =>
  record === undefined
    ? undefined
    : {
        key: recordKeyOf(organizationId, user_id ?? undefined, record),
        endsBy: Date.parse(at) / 1000 + recordTtlSeconds + clockMarginSeconds,
      };

/** The record of a reply for which nothing was written but the trace of it. */
export const recordOfTrace = (trace: ItemOf<typeof recordTraceKind>): RecordRef => ({
  key: idempotencyRecordKind.key(recordTraceKind.idsOf(trace)),
  endsBy: trace.expires_at - traceExtraSeconds,
});

/** Records without doubles: a key that was used again for the same lead counts as it was used last. */
export const distinctRecords = (all: readonly RecordRef[]): RecordRef[] => {
  const distinct = new Map<string, RecordRef>();
  for (const ref of all) {
    const other = distinct.get(ref.key.pk);
    if (!other || other.endsBy < ref.endsBy) distinct.set(ref.key.pk, ref);
  }
  return [...distinct.values()];
};

/** The record stays, so that a try that was held up can't take effect. */
export const emptyRecord = (
  { key, endsBy }: RecordRef,
  record: ItemOf<typeof idempotencyRecordKind> | undefined,
): LeadWrite[] =>
  record && record.expires_at <= endsBy
    ? [
        update(
          key,
          { set: { reply: erasedContent } },
          {
            condition: compare('expires_at', '=', record.expires_at),
            was: record,
            // The record's time has passed: DynamoDB removed it, or another request took the key.
            refused: () => new ConflictError(),
          },
        ),
      ]
    : [];
