import { validate } from 'uuid';
import * as z from 'zod/mini';
import { ApiError, type ErrorDetail, invalid } from '../../errors/errors.ts';
import { type CallerOrigin, platform } from '../../facts/origin.ts';
import type { RoutedOperation } from '../../operations/definition.ts';
import type { AnyCallerOperation } from '../../operations/kinds/caller-operation.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import type { Call, CallerCall } from '../../operations/request.ts';
import type { Caller } from '../../organizations/caller.ts';
import { type IfMatch, parseIfMatch } from '../../schema/etag.ts';
import { issueDetails } from '../../schema/issues.ts';
import { readJson } from './body.ts';
import type { HttpRequest } from './chain.ts';
import type { RequestContext } from './envelope.ts';
import { type Headers, singleHeader } from './headers.ts';
import { readQuery } from './query.ts';

/** A request that its operation's schemas take. */
export interface ValidRequest {
  call: Call;
  /** The key, if the client sent one and the operation takes one. */
  idempotencyKey: string | undefined;
  /** The body before the schemas. */
  json: unknown;
}

/** Checks path, query, headers and body against the operation's schemas. Throws what is wrong with the request. */
export const readRequest = (
  operation: AnyOperation,
  state: RequestContext & Caller & { organizationId: string },
  event: HttpRequest['event'],
): ValidRequest => {
  const { headers, startedAt: now, userId, apiKey, organizationId } = state;
  const json = operation.request.body ? readJson(headers, event) : undefined;
  const idempotencyKey = operation.idempotent ? idempotencyKeyOf(headers) : undefined;
  const ifMatch = operation.takesIfMatch ? ifMatchOf(headers) : undefined;
  const input = check(operation, event, json);
  const caller = { organizationId, userId, apiKey, origin: originOf(state) };
  const call = { ...caller, ifMatch, ...input, now };
  return { call, idempotencyKey, json };
};

/** Checks a request of an operation in no organization. Throws what is wrong with it. */
export const readCallerCall = (
  operation: AnyCallerOperation,
  state: RequestContext & Caller,
  event: HttpRequest['event'],
): CallerCall => {
  const { headers, startedAt: now, userId } = state;
  const json = operation.request.body ? readJson(headers, event) : undefined;
  return { userId, origin: originOf(state), ...check(operation, event, json), now };
};

/** A platform key acts for the company: organizations are not told which of its keys that was. */
const originOf = ({ userId, apiKey, requestId }: RequestContext & Caller): CallerOrigin => ({
  by: apiKey?.kind === 'platform' ? platform : userId,
  requestId,
});

const emptySchema = z.strictObject({});

/** What the schemas make of a request. Throws `invalid_request` with all that is wrong. */
const check = (
  { request: { path = emptySchema, query = emptySchema, body } }: RoutedOperation,
  event: HttpRequest['event'],
  json: unknown,
) => {
  const problems: ErrorDetail[] = [];
  const input = {
    path: parse(path, event.pathParameters ?? {}, problems),
    query: readQuery(query, event.multiValueQueryStringParameters ?? {}, problems),
    body: body && parse(body, json, problems),
  };
  if (problems.length > 0) throw new ApiError('invalid_request', { details: problems });
  return input;
};

/** A key with quotation marks around it, as draft-ietf-httpapi-idempotency-key-header writes it, is the one without. */
const idempotencyKeyOf = (headers: Headers): string | undefined => {
  const sent = singleHeader(headers, 'Idempotency-Key');
  if (sent === undefined) return undefined;
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent;
  if (!validate(key)) throw invalid('Idempotency-Key', 'must be a UUID');
  return key.toLowerCase();
};

const ifMatchOf = (headers: Headers): IfMatch => {
  const value = singleHeader(headers, 'If-Match');
  return value === undefined ? undefined : parseIfMatch(value);
};

const parse = (schema: z.core.$ZodType, input: unknown, problems: ErrorDetail[]): unknown => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  problems.push(...issueDetails(result.error));
  return undefined;
};
