import { createHash } from 'node:crypto';
import { ApiError } from './errors.ts';
import type { Call, Reply } from './operation.ts';
import type { WriteGrant } from './table/grants.ts';
import { idempotencyKey, type Key } from './table/keys.ts';
import type { Item, Table, Transactor, Write } from './table/table.ts';

/** A repeat within so many seconds gets the first response. */
const keepFor = 24 * 60 * 60;

/** One use of an idempotency key: scoped to organization, user and operation. */
export interface Idempotency {
  key: Key;
  /** Of what was asked for: the same key with another fingerprint is a mistake. */
  fingerprint: string;
  /** Seconds since the epoch. */
  now: number;
}

/** When its record's time is over, in seconds since the epoch. */
export const expiryOf = ({ now }: Pick<Idempotency, 'now'>): number => now + keepFor;

/** Undefined when the client sent no key. `payload` must be the same for the same request. */
export const idempotencyOf = (
  operationId: string,
  call: Call<unknown, unknown, unknown>,
  payload: unknown,
): Idempotency | undefined =>
  call.idempotencyKey === undefined
    ? undefined
    : {
        key: idempotencyKey(call.organizationId, call.userId, operationId, call.idempotencyKey),
        fingerprint: createHash('sha256').update(JSON.stringify(payload)).digest('base64url'),
        now: Math.floor(call.now / 1000),
      };

/**
 * The record of an earlier request with this key. One past its time counts as absent even while DynamoDB
 * has not removed it. Throws `idempotency_key_reused` when the request was another one.
 */
export const liveRecord = (
  idempotency: Idempotency | undefined,
  record: Item | undefined,
): Item | undefined => {
  if (!idempotency || !record || Number(record.expires_at) <= idempotency.now) return undefined;
  if (record.fingerprint !== idempotency.fingerprint) throw new ApiError('idempotency_key_reused');
  return record;
};

/** The first response, if there is a live record of it. Throws `idempotency_key_reused`. */
export const replay = <B>(
  idempotency: Idempotency | undefined,
  item: Item | undefined,
): Reply<B> | undefined => {
  const record = liveRecord(idempotency, item);
  if (!record) return undefined;
  const reply = JSON.parse(record.reply as string) as Reply<B>;
  return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } };
};

/**
 * Answers a repeat with the first response, and does the work otherwise. What the work decided may be
 * of after the first request, though `record` was read before it: so the record is looked at once more
 * before an error is told.
 */
export const answerOnce = async <B>(
  table: Table<'BatchGetItem'>,
  idempotency: Idempotency | undefined,
  record: Item | undefined,
  work: () => Promise<Reply<B>>,
): Promise<Reply<B>> => {
  const first = replay<B>(idempotency, record);
  if (first) return first;
  try {
    return await work();
  } catch (error) {
    if (!idempotency || !(error instanceof ApiError)) throw error;
    const [now] = await table.getAll([idempotency.key]);
    const earlier = replay<B>(idempotency, now);
    if (earlier) return earlier;
    throw error;
  }
};

/**
 * Writes and records the response in one transaction, so that there is no state in between: either
 * all was done and a repeat is answered, or nothing was. Answers the first response if another
 * request with the same key was faster.
 */
export const writeOnce = async <B, G extends WriteGrant = 'PutItem'>(
  table: Transactor<G | 'PutItem'>,
  idempotency: Idempotency | undefined,
  writes: readonly Write<G | 'PutItem'>[],
  reply: Reply<B>,
): Promise<Reply<B>> => {
  if (!idempotency) {
    await table.transact(writes);
    return reply;
  }
  try {
    // First, so that a repeat is told its first response and not that it conflicts with itself.
    await table.transact([putRecord(idempotency, reply) as Write<G | 'PutItem'>, ...writes]);
    return reply;
  } catch (error) {
    const first = error instanceof Repeated && replay<B>(idempotency, error.record);
    if (first) return first;
    throw error;
  }
};

class Repeated extends Error {
  readonly record: Item | undefined;
  constructor(record: Item | undefined) {
    super('the idempotency key has a record');
    this.record = record;
  }
}

const putRecord = ({ key, fingerprint, now }: Idempotency, reply: Reply): Write<'PutItem'> => ({
  Put: {
    Item: {
      ...key,
      fingerprint,
      reply: JSON.stringify(reply),
      expires_at: expiryOf({ now }),
    },
    ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
    ExpressionAttributeValues: { ':now': now },
  },
  refused: (record) => new Repeated(record),
});
