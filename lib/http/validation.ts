import type { MiddlewareObj } from '@middy/core';
import { validate } from 'uuid';
import * as z from 'zod/mini';
import { ApiError, type ErrorDetail, invalid } from '../errors.ts';
import type { AnyOperation } from '../operation.ts';
import { issueDetails } from '../validation.ts';
import { type ChainRequest, type Exchange, singleHeader } from './exchange.ts';

const nothing = z.strictObject({});

/** Checks path, query, headers and body against the operation's schemas and makes its call. */
export const validation = (operation: AnyOperation): MiddlewareObj => {
  const { path = nothing, query = nothing, body } = operation.request;
  return {
    before: (request) => {
      const { event, context } = request as ChainRequest;
      const { exchange } = context;
      const found: ErrorDetail[] = [];
      exchange.call = {
        organizationId: exchange.organizationId ?? '',
        userId: exchange.userId ?? '',
        idempotencyKey: operation.idempotent ? idempotencyKey(exchange) : undefined,
        ifMatch: operation.conditional ? ifMatch(exchange) : undefined,
        path: check(path, event.pathParameters ?? {}, found),
        query: check(query, event.multiValueQueryStringParameters ?? {}, found),
        body: body && check(body, event.body, found),
        now: exchange.startedAt,
      };
      if (found.length > 0) throw new ApiError('invalid_request', { details: found });
    },
  };
};

const idempotencyKey = (exchange: Exchange): string | undefined => {
  const value = singleHeader(exchange, 'Idempotency-Key');
  if (value !== undefined && !validate(value)) throw invalid('Idempotency-Key', 'must be a UUID');
  return value?.toLowerCase();
};

const ifMatch = (exchange: Exchange): number | undefined => {
  const value = singleHeader(exchange, 'If-Match');
  if (value === undefined || value === '*') return undefined;
  // An ETag that this service never gave matches no version (RFC 9110, 13.1.1).
  return Number(/^"(\d{1,15})"$/.exec(value)?.[1] ?? Number.NaN);
};

const check = (schema: z.core.$ZodType, input: unknown, found: ErrorDetail[]): unknown => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  found.push(...issueDetails(result.error));
  return undefined;
};

/** A query parameter that may be sent once. API Gateway gives each as the list of its values. */
export const once = <T>(schema: z.ZodMiniType<T, string>) =>
  z.pipe(
    z.array(z.string()).check(z.length(1, 'must be sent once')),
    z.pipe(
      z.transform(([value = '']: string[]) => value),
      schema,
    ),
  );
