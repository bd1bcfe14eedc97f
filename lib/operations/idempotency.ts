import { ApiError } from '../errors/errors.ts';
import type { Origin } from '../facts/origin.ts';
import { toWrites, type WriteOrFact } from '../facts/transaction.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import { present } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table, TransactOptions, Transactor, Write, WriteAction } from '../table/table.ts';
import { expectedUnits } from '../table/units.ts';
import { put } from '../table/write.ts';
import type { Commit, PartReplies } from './commit.ts';
import {
  assertSameRequest,
  type IdempotentRequest,
  idempotencyRecordKind,
  markReplay,
  putRecord,
  type RecordContent,
  RecordExistsError,
  recordTraceKind,
  replayRecord,
  toStoredName,
  traceExtraSeconds,
} from './idempotency-record.ts';
import type { Reply } from './request.ts';

// docs/decisions/idempotency.md
/**
 * Does the work, and records its reply under the key: so a key has one reply. The transaction that writes also writes
 * the record. A refusal, or a reply for which nothing was written, is recorded before the client gets it: a try that was
 * held up on its way can't take effect after it. What passes by itself is not recorded.
 *
 * A repeat does the same work up to the writing, where the record refuses it, and replies what the record holds. Throws
 * `idempotency_key_reused`, and `write_conflict` if a lead of the reply is gone by now.
 */
export const replyOnce = async <B>(
  table: Transactor<WriteAction>,
  origin: Origin,
  request: IdempotentRequest | undefined,
  work: (commit: Commit<WriteAction>) => Promise<Reply<B>>,
): Promise<Reply<B>> => {
  let isCommitted = false;
  const write = async (
    content: RecordContent,
    given: readonly WriteOrFact<WriteAction>[] = [],
    options?: TransactOptions,
  ) => {
    const writes = toWrites(given, origin);
    // The record comes first, so that a repeat gets its first reply and not that it conflicts with itself.
    const all = request
      ? [putRecord(request, content), ...writes.map((one) => withRecordName(request, origin, one))]
      : writes;
    if (all.length > 0) await table.transact(all, options);
    isCommitted = true;
  };
  const commit: Commit<WriteAction> = async (writes, reply, options) => {
    await write({ reply }, writes, options);
    return reply;
  };
  if (!request) return work(commit);
  try {
    try {
      const { leadIds, ...reply } = await work(commit);
      if (!isCommitted) await write({ reply }, writeTraces(request, leadIds));
      return reply;
    } catch (error) {
      if (error instanceof ApiError && error.kind.recorded) {
        // No detail of an error has a value of a lead: so no trace leads to it.
        await write({ error: { code: error.code, ...detailsOf(error) } });
      }
      throw error;
    }
  } catch (error) {
    if (error instanceof RecordExistsError) return replayRecord<B>(request, error.record);
    throw error;
  }
};

/** Whoever finds the item then also finds the record, which has the same content. */
const withRecordName = (
  { recordName, userId }: IdempotentRequest,
  { by }: Origin,
  write: Write<WriteAction>,
): Write<WriteAction> => {
  if (!write.namesRecord || !('Put' in write)) return write;
  const record = toStoredName(recordName, userId, by);
  return { ...write, Put: { ...write.Put, Item: { ...write.Put.Item, record } } };
};

/** Traces from leads to a record with their fields, if no item of theirs was written with it. Refused if a lead is gone. */
const writeTraces = (
  { organizationId, userId, recordName, expiresAtSeconds }: IdempotentRequest,
  leadIds: readonly string[] = [],
): Write<'PutItem' | 'ConditionCheckItem'>[] =>
  leadIds.flatMap((leadId): Write<'PutItem' | 'ConditionCheckItem'>[] => [
    {
      ConditionCheck: {
        Key: places.lead.key({ organizationId, leadId }),
        ConditionExpression: present.text,
      },
      refused: () => new ConflictError(),
    },
    put(recordTraceKind.key({ organizationId, leadId, userId, record: recordName }), {
      expires_at: expiresAtSeconds + traceExtraSeconds,
    }),
  ]);

const detailsOf = ({ details }: ApiError) => (details ? { details: [...details] } : {});

/**
 * Replies once to each part of a batch, as `replyOnce` does: each of its parts has a reply of its own, under a key made
 * of the batch's. So a repeat of a batch that was cut off goes on where it was. `work` replies for all of them.
 */
export const replyToParts = async <B>(
  table: Table<'GetItem' | WriteAction>,
  origin: Origin,
  request: IdempotentRequest | undefined,
  parts: readonly unknown[],
  work: (replies: PartReplies<WriteAction>) => Promise<Reply<B>>,
): Promise<Reply<B>> => {
  if (!request) {
    return work({
      replyToPart: (_i, partWork) => replyOnce(table, origin, undefined, partWork),
      expectedUnits: (_i, writes) => expectedUnits(toWrites(writes, origin)),
    });
  }
  const { isRepeat, expiresAtSeconds } = await claimKey(table, request);
  const requests = parts.map((part, i) => {
    const record = `${request.recordName}#${i}`;
    return {
      ...request,
      recordName: record,
      recordKey: idempotencyRecordKind.key({ ...request, record }),
      fingerprint: fingerprintOf(part),
      expiresAtSeconds,
    };
  });
  // A first try has no records: so only repeats read them.
  const records = isRepeat ? await table.getAll(requests.map(({ recordKey }) => recordKey)) : [];
  const recordOf = (i: number) => {
    const record = records[i];
    return record && record.expires_at > request.nowSeconds ? record : undefined;
  };
  let [hasWorked, hasReplayed] = [false, false];
  const reply = await work({
    async replyToPart(i, partWork) {
      const record = recordOf(i);
      if (record) {
        hasReplayed = true;
        return replayRecord(requests[i]!, record);
      }
      hasWorked = true;
      return replyOnce(table, origin, requests[i], partWork);
    },
    expectedUnits: (i, writes, partReply) =>
      recordOf(i)
        ? 0
        : expectedUnits([
            putRecord(requests[i]!, { reply: partReply }),
            ...toWrites(writes, origin),
          ]),
  });
  // A dry run does neither: it looks anew.
  return hasWorked || !hasReplayed ? reply : markReplay(reply);
};

/**
 * Ties the key to this request before anything of it is written. All records of a batch end with the first: a repeat
 * takes over its time.
 */
const claimKey = async (
  table: Transactor<'PutItem'>,
  request: IdempotentRequest,
): Promise<{ isRepeat: boolean; expiresAtSeconds: number }> => {
  try {
    await table.transact([putRecord(request, undefined)]);
    return { isRepeat: false, expiresAtSeconds: request.expiresAtSeconds };
  } catch (error) {
    if (!(error instanceof RecordExistsError)) throw error;
    const record = assertSameRequest(request, error.record);
    return { isRepeat: true, expiresAtSeconds: record.expires_at };
  }
};
