import type { APIGatewayProxyResult } from 'aws-lambda';
import { ApiError } from '../../errors/errors.ts';
import type { TableClient } from '../../table/client.ts';
import { timeBoundsOf } from '../../table/retry.ts';
import { writeLine } from '../log.ts';
import type { Frame, Step } from './chain.ts';
import { type Headers, toHeaders } from './headers.ts';
import { corsHeaders, securityHeaders } from './response-headers.ts';

/** The state of every request. */
export interface RequestContext {
  requestId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  headers: Headers;
  /** What the response has besides its own headers, whatever it is. */
  responseHeaders: Record<string, string>;
  /** What is done once the work is over or its time is up, and before the response. Each has a bound of its own. */
  endings: (() => Promise<void>)[];
  /** Requests that the organization's limit should know of, but which could not be counted. */
  uncountedRequests: number;
}

/** The state of a request when the envelope responds: with what the steps may have added. */
interface ReplyContext extends RequestContext {
  userId?: string;
  organizationId?: string;
  table?: TableClient;
}

export interface TableContext {
  /** The table for this request: its calls end when the request has to be answered. */
  table: TableClient;
}

/** Opens the table. The envelope ends it. */
export const withTable =
  (open: () => TableClient): Step<object, TableContext> =>
  (_state, { context }) => ({ table: open().during(timeBoundsOf(context)) });

/**
 * Turns replies and errors into responses with the request id, and logs one line for each request. Whatever the
 * request still does with the table ends with its answer.
 */
export const envelope = (operation: {
  id: string;
  response: { status: number };
}): Frame<RequestContext> => {
  const toResponse = async (
    state: ReplyContext,
    status: number,
    headers: Record<string, string>,
    body: unknown,
    error?: ApiError,
  ): Promise<APIGatewayProxyResult> => {
    state.table?.end();
    await Promise.all(state.endings.map((end) => end()));
    log(operation.id, state, status, error);
    return {
      statusCode: status,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        'Cache-Control': 'no-store',
        'X-Request-Id': state.requestId,
        ...securityHeaders,
        ...corsHeaders(state.headers.get('origin')?.[0]),
        ...state.responseHeaders,
        ...headers,
      },
      body: body === undefined ? '' : JSON.stringify(body),
    };
  };

  return {
    open: ({ event }) => ({
      requestId: event.requestContext.requestId,
      startedAt: Date.now(),
      headers: toHeaders(event.multiValueHeaders),
      responseHeaders: {},
      endings: [],
      uncountedRequests: 0,
    }),
    respond: (state, { status = operation.response.status, headers = {}, body }) =>
      toResponse(state, status, headers, body),
    respondError: (state, thrown) => {
      const error = toApiError(thrown);
      const { code, message, details } = error;
      const { requestId: request_id } = state;
      const body = { error: { code, message, request_id, ...(details && { details }) } };
      return toResponse(state, error.kind.status, errorHeaders(error), body, error);
    },
  };
};

const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return new ApiError(isTimeout ? 'timeout' : 'internal', { cause: error });
};

const errorHeaders = ({ code, retryAfterSeconds, replayed }: ApiError): Record<string, string> => ({
  ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
  // RFC 6750, 3. API Gateway gives it another name: docs/decisions/rest-api.md
  ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
  ...(replayed && { 'Idempotency-Replayed': 'true' }),
});

const log = (operation: string, state: ReplyContext, status: number, error: ApiError | undefined) =>
  writeLine(
    {
      operation,
      status,
      request_id: state.requestId,
      organization_id: state.organizationId,
      user_id: state.userId,
      duration_ms: Date.now() - state.startedAt,
      capacity_units: state.table?.units ?? 0,
      uncounted_requests: state.uncountedRequests || undefined,
      code: error?.code,
    },
    status >= 500 ? error : undefined,
  );
