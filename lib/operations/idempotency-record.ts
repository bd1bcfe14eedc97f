import * as z from 'zod/mini';
import { errorFields } from '../errors/error-body.ts';
import { ApiError } from '../errors/errors.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import { absent, compare, either } from '../table/condition.ts';
import type { Grant } from '../table/grants.ts';
import { places } from '../table/keys.ts';
import { type AttributesOf, type ItemKey, Kind } from '../table/kind.ts';
import type { Write } from '../table/table.ts';
import { put } from '../table/write.ts';
import type { Call, Reply } from './request.ts';

/** How long a repeat gets the reply of the first request. */
export const recordTtlSeconds = 24 * 60 * 60;
/**
 * How much longer a trace (`recordTraceKind`) is kept than its record. DynamoDB may remove the record days late, and
 * until then the erasure of a lead has to find it.
 */
export const traceExtraSeconds = 7 * 24 * 60 * 60;

export const idempotencyRecordKind = new Kind(places.idempotencyRecord, {
  holds: 'what was answered under an idempotency key',
  attributes: z.object({
    fingerprint: z.string(),
    /** The fingerprint of the request as it was sent. */
    raw: z.string(),
    /** `RecordContent` as JSON; absent of a whole batch. */
    reply: z.optional(z.string()),
    /** Seconds since the epoch. */
    expires_at: z.int(),
  }),
});
export type IdempotencyRecord = AttributesOf<typeof idempotencyRecordKind>;

export const recordTraceKind = new Kind(places.recordTrace, {
  holds: 'answers that tell of a lead, under keys for which nothing was written',
  attributes: z.object({ expires_at: z.int() }),
});

/** Grants of an operation that gives `leadIds` with a reply. */
export const traceGrants = ['ConditionCheckItem', 'PutItem TRACES#'] as const satisfies Grant[];

/** A request under an `Idempotency-Key`, which belongs to its organization, user and operation. */
export interface IdempotentRequest {
  organizationId: string;
  userId: string;
  /** The operation and the key: they name the record. */
  recordName: string;
  recordKey: ItemKey<IdempotencyRecord>;
  /** The fingerprint of the request after the schemas. A repeat has the same `fingerprint`, or the same `rawFingerprint`. */
  fingerprint: string;
  /** The fingerprint of the request as it was sent: a new version of the service, with other schemas, does not change it. */
  rawFingerprint: string;
  /** Seconds since the epoch. */
  nowSeconds: number;
  /** When the record ends, in seconds since the epoch. */
  expiresAtSeconds: number;
}

/** The request with its key; undefined if the client sent none. `json` is the body before the schemas. */
export const toIdempotentRequest = (
  operationId: string,
  { organizationId, userId, path, query, body, ifMatch, now }: Call,
  key: string | undefined,
  json: unknown = body,
): IdempotentRequest | undefined => {
  if (key === undefined) return undefined;
  const nowSeconds = Math.floor(now / 1000);
  const record = `${operationId}#${key}`;
  return {
    organizationId,
    userId,
    recordName: record,
    recordKey: idempotencyRecordKind.key({ organizationId, userId, record }),
    fingerprint: fingerprintOf({ path, query, body, ifMatch }),
    rawFingerprint: fingerprintOf({ path, query, body: json, ifMatch }),
    nowSeconds,
    expiresAtSeconds: nowSeconds + recordTtlSeconds,
  };
};

/** The name of a record as a fact has it: with the caller's id where the fact does not tell it. */
export const toStoredName = (recordName: string, userId: string, by: string | null): string =>
  by === userId ? recordName : `${userId}#${recordName}`;

/** The key of the record that a fact names. */
export const recordKeyOf = (organizationId: string, by: string | undefined, name: string) => {
  const [, userId = by ?? '', record = name] = /^([0-9a-f-]{36})#(.*)$/s.exec(name) ?? [];
  return idempotencyRecordKind.key({ organizationId, userId, record });
};

/** The content of a record: the reply, or the refusal. */
const recordContent = z.union([
  z.object({
    reply: z.object({
      status: z.optional(z.int()),
      headers: z.optional(z.record(z.string(), z.string())),
      body: z.optional(z.unknown()),
    }),
  }),
  z.object({ error: z.object({ code: errorFields.code, details: errorFields.details }) }),
]);
export type RecordContent = z.output<typeof recordContent>;

/** Replaces the content of a record when a lead is erased whose fields it holds. */
export const erasedContent = JSON.stringify({
  error: { code: 'not_found' },
} satisfies RecordContent);

/** The transaction failed because the idempotency key has a record: the request is a repeat, or the key is used twice. */
export class RecordExistsError extends Error {
  readonly record: IdempotencyRecord | undefined;
  constructor(record: IdempotencyRecord | undefined) {
    super('the idempotency key has a record');
    this.record = record;
  }
}

/** Writes the record. That of a whole batch has no content: its parts have. Fails with `RecordExistsError`. */
export const putRecord = (
  request: IdempotentRequest,
  content: RecordContent | undefined,
): Write<'PutItem'> =>
  put(
    request.recordKey,
    {
      fingerprint: request.fingerprint,
      raw: request.rawFingerprint,
      reply: content && JSON.stringify(content),
      expires_at: request.expiresAtSeconds,
    },
    {
      // An expired record counts as absent even before DynamoDB removes it.
      condition: either(absent, compare('expires_at', '<=', request.nowSeconds)),
      refused: (record) => new RecordExistsError(record),
    },
  );

/** The record, if it is of this request. Throws `idempotency_key_reused`. */
export const assertSameRequest = (
  { fingerprint, rawFingerprint }: IdempotentRequest,
  record: IdempotencyRecord | undefined,
): IdempotencyRecord => {
  const isSame = record?.fingerprint === fingerprint || record?.raw === rawFingerprint;
  if (record && isSame) return record;
  throw new ApiError('idempotency_key_reused');
};

const replayHeader = 'Idempotency-Replayed';

/** The reply, with the header that says that an earlier request got it. */
export const markReplay = <B>(reply: Reply<B>): Reply<B> => ({
  ...reply,
  headers: { ...reply.headers, [replayHeader]: 'true' },
});

/** Whether an earlier request got this reply. */
export const isReplay = ({ headers }: Reply): boolean => headers?.[replayHeader] !== undefined;

/** The reply in the record. Throws the refusal in it, and `idempotency_key_reused` if the request differs. */
export const replayRecord = <B>(
  request: IdempotentRequest,
  record: IdempotencyRecord | undefined,
): Reply<B> => {
  const { reply: text = '' } = assertSameRequest(request, record);
  const content = recordContent.parse(JSON.parse(text));
  if ('error' in content) {
    throw new ApiError(content.error.code, { details: content.error.details, replayed: true });
  }
  const { body, ...rest } = content.reply;
  // The record is named by the operation, whose replies have such a body.
  return markReplay({ ...rest, body: body as B });
};
