import * as z from 'zod/mini';
import { ApiError, type ErrorDetail } from '../errors/errors.ts';
import { type CallerOrigin, platform } from '../facts/origin.ts';
import type { RoutedOperation } from '../operations/definition.ts';
import type { Call, CallerCall } from '../operations/request.ts';
import type { Caller } from '../organizations/caller.ts';
import type { IfMatch } from '../schema/etag.ts';
import { issueDetails } from '../schema/issues.ts';
import type { RequestStart } from './open-request.ts';
import { type Parameters, readQuery } from './query.ts';

/** What was sent to an operation, before its schemas. */
export interface Sent {
  path?: unknown;
  /** Each parameter as the list of its values. */
  query?: Parameters | undefined;
  body?: unknown;
  /** A UUID, for an operation that takes one. */
  idempotencyKey?: string | undefined;
  ifMatch?: IfMatch;
}

/** What a caller asks of an operation. */
export interface Input {
  /** Throws what is wrong with how it was sent. */
  read(): Sent;
  /** Whether `read` takes long: then it waits until the sender is known to be within the limit of requests. */
  isLarge: boolean;
}

/** A request that its operation's schemas take. */
export interface ValidRequest {
  call: Call;
  /** The key, if the caller sent one and the operation takes one. */
  idempotencyKey: string | undefined;
  /** The body before the schemas. */
  json: unknown;
}

/** Checks what was sent against the operation's schemas. Throws what is wrong with it. */
export const readRequest = (
  operation: RoutedOperation,
  caller: Caller,
  organizationId: string,
  input: Input,
  request: RequestStart,
): ValidRequest => {
  const { idempotencyKey, ifMatch, ...sent } = input.read();
  const { userId, apiKey } = caller;
  const who = { organizationId, userId, apiKey, origin: originOf(caller, request) };
  const call = { ...who, ifMatch, ...check(operation, sent), now: request.startedAt };
  return { call, idempotencyKey, json: sent.body };
};

/** Checks what was sent to an operation in no organization. Throws what is wrong with it. */
export const readCallerCall = (
  operation: RoutedOperation,
  caller: Caller,
  input: Input,
  request: RequestStart,
): CallerCall => ({
  userId: caller.userId,
  origin: originOf(caller, request),
  ...check(operation, input.read()),
  now: request.startedAt,
});

/** A platform key acts for the company: organizations are not told which of its keys that was. */
const originOf = ({ userId, apiKey }: Caller, { requestId }: RequestStart): CallerOrigin => ({
  by: apiKey?.kind === 'platform' ? platform : userId,
  requestId,
});

const emptySchema = z.strictObject({});

/** What the schemas make of what was sent. Throws `invalid_request` with all that is wrong. */
const check = (
  { request: { path = emptySchema, query = emptySchema, body } }: RoutedOperation,
  sent: Pick<Sent, 'path' | 'query' | 'body'>,
) => {
  const problems: ErrorDetail[] = [];
  const checked = {
    path: parse(path, sent.path ?? {}, problems),
    query: readQuery(query, sent.query ?? {}, problems),
    body: body && parse(body, sent.body, problems),
  };
  if (problems.length > 0) throw new ApiError('invalid_request', { details: problems });
  return checked;
};

const parse = (schema: z.core.$ZodType, input: unknown, problems: ErrorDetail[]): unknown => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  problems.push(...issueDetails(result.error));
  return undefined;
};
