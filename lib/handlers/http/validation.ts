import { validate } from 'uuid';
import * as z from 'zod/mini';
import { ApiError, type ErrorDetail, invalid } from '../../operations/errors.ts';
import type {
  AnyOperation,
  AnyUserOperation,
  Call,
  RoutedOperation,
  UserCall,
} from '../../operations/operation.ts';
import { type Match, matchOf } from '../../schema/etag.ts';
import { issueDetails } from '../../schema/issues.ts';
import type { Caller } from './authentication.ts';
import type { Parsed } from './body.ts';
import type { HttpRequest, Step } from './chain.ts';
import type { Received } from './envelope.ts';
import { type Headers, singleHeader } from './headers.ts';
import type { InOrganization } from './organization.ts';

export interface Valid {
  call: Call<unknown, unknown, unknown>;
  /** Present when the client sent one and the operation takes one. */
  idempotencyKey: string | undefined;
}

export interface UserValid {
  call: UserCall<undefined, unknown, undefined>;
}

/** Checks path, query, headers and body against the operation's schemas and makes its call. */
export const validation = (
  operation: AnyOperation,
): Step<Received & Caller & InOrganization & Partial<Parsed>, Valid> => ({
  before: ({ headers, startedAt, userId, organizationId, json }, { event }) => {
    const idempotencyKey = operation.idempotent ? idempotencyKeyOf(headers) : undefined;
    const ifMatch = operation.conditional ? ifMatchOf(headers) : undefined;
    const input = checked(operation, event, json);
    return { call: { organizationId, userId, ifMatch, ...input, now: startedAt }, idempotencyKey };
  },
});

/** The same for an operation without an organization. */
export const userValidation = (
  operation: AnyUserOperation,
): Step<Received & Caller, UserValid> => ({
  before: ({ startedAt, userId }, { event }) => {
    const { query } = checked(operation, event, undefined);
    const unused = { ifMatch: undefined, path: undefined, body: undefined };
    return { call: { userId, ...unused, query, now: startedAt } };
  },
});

const nothing = z.strictObject({});

/** What the schemas make of a request. Throws `invalid_request` with all that is wrong. */
const checked = (
  { request: { path = nothing, query = nothing, body } }: RoutedOperation,
  event: HttpRequest['event'],
  json: unknown,
) => {
  const found: ErrorDetail[] = [];
  const input = {
    path: check(path, event.pathParameters ?? {}, found),
    query: check(
      query,
      gathered(event.multiValueQueryStringParameters ?? {}),
      found,
      `is not a query parameter here: there are ${Object.keys(query.shape).join(', ') || 'none'}`,
    ),
    body: body && check(body, json, found),
  };
  if (found.length > 0) throw new ApiError('invalid_request', { details: found });
  return input;
};

/** Parameters such as `fields[source]=google` as OpenAPI's `deepObject`: an object by what is in the brackets. */
const gathered = (parameters: Record<string, unknown>): Record<string, unknown> => {
  const all = new Map<string, unknown>();
  const objects = new Map<string, [string, unknown][]>();
  for (const [name, values] of Object.entries(parameters)) {
    const [, object, key] = /^(\w+)\[([^[\]]*)\]$/.exec(name) ?? [];
    // zod leaves out a key `__proto__`: it is refused under its whole name.
    const isPlain = object === undefined || key === undefined || key === '__proto__';
    if (isPlain || object in parameters) all.set(name, values);
    else objects.set(object, [...(objects.get(object) ?? []), [key, values]]);
  }
  for (const [name, entries] of objects) all.set(name, Object.fromEntries(entries));
  return Object.fromEntries(all);
};

/** The same key with quotation marks around it, as draft-ietf-httpapi-idempotency-key-header writes it, and without. */
const idempotencyKeyOf = (headers: Headers): string | undefined => {
  const sent = singleHeader(headers, 'Idempotency-Key');
  if (sent === undefined) return undefined;
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent;
  if (!validate(key)) throw invalid('Idempotency-Key', 'must be a UUID');
  return key.toLowerCase();
};

const ifMatchOf = (headers: Headers): Match => {
  const value = singleHeader(headers, 'If-Match');
  return value === undefined ? undefined : matchOf(value);
};

const check = (
  schema: z.core.$ZodType,
  input: unknown,
  found: ErrorDetail[],
  unknown?: string,
): unknown => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  found.push(...issueDetails(result.error, unknown));
  return undefined;
};
