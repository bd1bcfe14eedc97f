import { ApiError, type ErrorCode, type ErrorDetail } from '../errors/errors.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import type { WriteGrant } from '../table/grants.ts';
import { answerTraceKey, idempotencyKey, type Key, leadKey } from '../table/keys.ts';
import { Conflict } from '../table/retry.ts';
import type { Item, Table, TransactOptions, Transactor, Write } from '../table/table.ts';
import type { Commit, Part } from './commit.ts';
import type { Call, Reply } from './request.ts';

/** A repeat within so many seconds gets the first answer. */
export const recordTtlSeconds = 24 * 60 * 60;
/** DynamoDB may remove what is past its time some days late: what leads to a record outlasts it. */
export const traceExtraSeconds = 7 * 24 * 60 * 60;

/** One use of an idempotency key: scoped to organization, user and operation. */
export interface KeyUse {
  organizationId: string;
  userId: string;
  /** The record's name, … */
  record: string;
  /** … and its key. */
  key: Key;
  /** Of what was asked for: the same key with another fingerprint is a mistake. */
  fingerprint: string;
  /** The same of the request as it was sent: no version of the service reads that in another way. */
  sent: string;
  /** Seconds since the epoch, … */
  now: number;
  /** … as is the end of its record. */
  expiresAt: number;
}

/** Undefined where the client sent no key. `json` is the body before the schemas. */
export const keyUse = (
  operationId: string,
  { organizationId, userId, path, query, body, ifMatch, now }: Call,
  key: string | undefined,
  json: unknown = body,
): KeyUse | undefined => {
  if (key === undefined) return undefined;
  const seconds = Math.floor(now / 1000);
  const record = `${operationId}#${key}`;
  return {
    organizationId,
    userId,
    record,
    key: idempotencyKey(organizationId, userId, record),
    fingerprint: fingerprintOf({ path, query, body, ifMatch }),
    sent: fingerprintOf({ path, query, body: json, ifMatch }),
    now: seconds,
    expiresAt: seconds + recordTtlSeconds,
  };
};

/** What a record holds: the reply, or the refusal. */
type Answer = { reply: Reply } | { error: { code: ErrorCode; details?: readonly ErrorDetail[] } };

/** What a record holds once the lead is erased that its answer told of. */
export const erasedAnswer = JSON.stringify({ error: { code: 'not_found' } } satisfies Answer);

// docs/decisions/idempotency.md
/**
 * Does the work, and records its answer under the key: so a key has one answer. What is written is
 * recorded in the transaction that writes it. A refusal, or an answer for which nothing had to be written,
 * is recorded before it is told: a try that was held up on its way can't take effect after it. Not recorded
 * is what passes by itself. A repeat does the same work up to the writing, is refused there by the record,
 * and answers it. Throws `idempotency_key_reused`, and `write_conflict` where a lead that the answer tells is
 * gone by now.
 */
export const answerOnce = async <B>(
  table: Transactor<WriteGrant>,
  use: KeyUse | undefined,
  work: (commit: Commit<WriteGrant>) => Promise<Reply<B>>,
): Promise<Reply<B>> => {
  let committed = false;
  const write = async (
    answer: Answer,
    writes: readonly Write<WriteGrant>[] = [],
    options?: TransactOptions,
  ) => {
    // First, so that a repeat is told its first answer and not that it conflicts with itself.
    const all = use ? [putRecord(use, answer), ...writes.map((one) => named(use, one))] : writes;
    if (all.length > 0) await table.transact(all, options);
    committed = true;
  };
  const commit: Commit<WriteGrant> = async (writes, reply, options) => {
    await write({ reply }, writes, options);
    return reply;
  };
  if (!use) return work(commit);
  try {
    try {
      const { leadIds, ...reply } = await work(commit);
      if (!committed) await write({ reply }, tracesOf(use, leadIds));
      return reply;
    } catch (error) {
      if (isRecorded(error)) {
        // No detail of an error has a value of a lead: so no trace leads to it.
        await write({ error: { code: error.code, ...detailsOf(error) } });
      }
      throw error;
    }
  } catch (error) {
    if (error instanceof Repeated) return replay<B>(use, error.record);
    throw error;
  }
};

/** So that whoever finds the item finds the answer that has the same content. */
const named = ({ record }: KeyUse, write: Write<WriteGrant>): Write<WriteGrant> =>
  write.namesRecord && 'Put' in write
    ? { ...write, Put: { ...write.Put, Item: { ...write.Put.Item, record } } }
    : write;

/** Traces from leads to an answer that tells of them though no item of theirs was written. Refused if a lead is gone. */
const tracesOf = (
  { organizationId, userId, record, expiresAt }: KeyUse,
  leadIds: readonly string[] = [],
): Write<'PutItem' | 'ConditionCheckItem'>[] =>
  leadIds.flatMap((id): Write<'PutItem' | 'ConditionCheckItem'>[] => [
    {
      ConditionCheck: {
        Key: leadKey(organizationId, id),
        ConditionExpression: 'attribute_exists(pk)',
      },
      refused: () => new Conflict(),
    },
    {
      Put: {
        Item: {
          ...answerTraceKey(organizationId, id, userId, record),
          expires_at: expiresAt + traceExtraSeconds,
        },
      },
    },
  ]);

const isRecorded = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.kind.recorded === true;

const detailsOf = ({ details }: ApiError) => (details ? { details } : {});

const putRecord = (use: KeyUse, answer: Answer | undefined): Write<'PutItem'> => ({
  Put: {
    Item: {
      ...use.key,
      fingerprint: use.fingerprint,
      sent: use.sent,
      answer: JSON.stringify(answer),
      expires_at: use.expiresAt,
    },
    // One past its time counts as absent even while DynamoDB has not removed it.
    ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
    ExpressionAttributeValues: { ':now': use.now },
  },
  refused: (record) => new Repeated(record),
});

class Repeated extends Error {
  readonly record: Item | undefined;
  constructor(record: Item | undefined) {
    super('the idempotency key has a record');
    this.record = record;
  }
}

const replayHeader = 'Idempotency-Replayed';

/** Whether a reply is what an earlier request was answered. */
export const isReplay = ({ headers }: Reply): boolean => headers?.[replayHeader] !== undefined;

/** The record, if it is of this request. Throws `idempotency_key_reused`. */
const sameRequest = ({ fingerprint, sent }: KeyUse, record: Item | undefined): Item => {
  if (record && (record.fingerprint === fingerprint || record.sent === sent)) return record;
  throw new ApiError('idempotency_key_reused');
};

/** Throws what was refused, and `idempotency_key_reused` when the request was another one. */
const replay = <B>(use: KeyUse, record: Item | undefined): Reply<B> => {
  const answer = JSON.parse(sameRequest(use, record).answer as string) as Answer;
  if ('error' in answer) {
    throw new ApiError(answer.error.code, { details: answer.error.details, replayed: true });
  }
  const { headers, ...reply } = answer.reply as Reply<B>;
  return { ...reply, headers: { ...headers, [replayHeader]: 'true' } };
};

/**
 * As `answerOnce`, for a batch: each of its parts has an answer of its own under a key made of the batch's.
 * So a batch that was cut off goes on where it was when it is repeated. `work` answers for all of them.
 */
export const answerParts = async <B>(
  table: Table<'GetItem' | WriteGrant>,
  use: KeyUse | undefined,
  parts: readonly unknown[],
  work: (part: Part<WriteGrant>) => Promise<Reply<B>>,
): Promise<Reply<B>> => {
  if (!use) return work((_i, one) => answerOnce(table, undefined, one));
  const { repeated, expiresAt } = await start(table, use);
  const uses = parts.map((part, i) => ({
    ...use,
    record: `${use.record}#${i}`,
    key: { ...use.key, pk: `${use.key.pk}#${i}` },
    fingerprint: fingerprintOf(part),
    expiresAt,
  }));
  // A first try has none: so only repeats read them.
  const records = repeated ? await table.getAll(uses.map(({ key }) => key)) : [];
  let [worked, replayed] = [false, false];
  const reply = await work(async (i, one) => {
    const record = records[i];
    if (record && Number(record.expires_at) > use.now) {
      replayed = true;
      return replay(uses[i]!, record);
    }
    worked = true;
    return answerOnce(table, uses[i], one);
  });
  // A dry run does neither: it looks anew.
  if (worked || !replayed) return reply;
  return { ...reply, headers: { ...reply.headers, [replayHeader]: 'true' } };
};

/**
 * Ties the key to this request before anything of it is written. All records of a batch end with the
 * first: a repeat takes over its time.
 */
const start = async (
  table: Transactor<'PutItem'>,
  use: KeyUse,
): Promise<{ repeated: boolean; expiresAt: number }> => {
  try {
    await table.transact([putRecord(use, undefined)]);
    return { repeated: false, expiresAt: use.expiresAt };
  } catch (error) {
    if (!(error instanceof Repeated)) throw error;
    return { repeated: true, expiresAt: Number(sameRequest(use, error.record).expires_at) };
  }
};
