import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../errors.ts';
import type { Reply } from '../operation.ts';
import { corsHeaders } from './cors.ts';
import type { ChainRequest, Exchange } from './exchange.ts';

/**
 * The outermost middleware: opens the exchange, turns replies and errors into responses with the
 * request id, and logs one line for each request.
 */
export const envelope = (
  operation: { id: string; response: { status: number } },
  takeCapacity: () => number,
): MiddlewareObj => {
  const respond = (
    request: ChainRequest,
    status: number,
    headers: Record<string, string>,
    body: unknown,
    error?: ApiError,
  ) => {
    const { exchange } = request.context;
    log(operation.id, exchange, status, takeCapacity(), error);
    request.response = {
      statusCode: status,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        'Cache-Control': 'no-store',
        'X-Request-Id': exchange.requestId,
        ...corsHeaders(exchange.headers.get('origin')?.[0]),
        ...headers,
      },
      body: body === undefined ? '' : JSON.stringify(body),
    };
  };

  return {
    before: (request) => {
      const { event, context } = request as ChainRequest;
      context.exchange = {
        requestId: event.requestContext.requestId,
        startedAt: Date.now(),
        headers: lowerCaseNames(event),
      };
    },
    after: (request) => {
      const { status, headers, body } = request.response as Reply;
      respond(request as ChainRequest, status ?? operation.response.status, headers ?? {}, body);
    },
    onError: (request) => {
      const error = toApiError(request.error);
      const { requestId } = (request as ChainRequest).context.exchange;
      respond(
        request as ChainRequest,
        error.kind.status,
        errorHeaders(error),
        {
          error: {
            code: error.code,
            message: error.message,
            request_id: requestId,
            ...(error.details && { details: error.details }),
          },
        },
        error,
      );
    },
  } as MiddlewareObj;
};

/** A header that was sent twice in two spellings was sent twice. */
const lowerCaseNames = (event: APIGatewayProxyEvent): Exchange['headers'] => {
  const headers = new Map<string, string[]>();
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...(values ?? [])]);
  }
  return headers;
};

/** Statuses that the JSON body parser gives its errors; their causes hold the raw body. */
const parserErrors: Record<number, () => ApiError> = {
  415: () => new ApiError('unsupported_media_type'),
  422: () =>
    new ApiError('invalid_request', { details: [{ path: '', message: 'must be valid JSON' }] }),
};

const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  const { name, statusCode } = error as { name?: string; statusCode?: number };
  if (name === 'TimeoutError') return new ApiError('timeout');
  return parserErrors[statusCode ?? 0]?.() ?? new ApiError('internal', { cause: error });
};

const errorHeaders = ({ code, kind }: ApiError): Record<string, string> => ({
  ...(kind.retryAfter && { 'Retry-After': String(kind.retryAfter) }),
  // RFC 6750, 3
  ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
});

/** Ids and numbers only: nothing that a client wrote, and nothing of a lead. */
const log = (
  operation: string,
  exchange: Exchange,
  status: number,
  capacityUnits: number,
  error?: ApiError,
) => {
  const line = {
    operation,
    status,
    request_id: exchange.requestId,
    organization_id: exchange.organizationId,
    user_id: exchange.userId,
    duration_ms: Date.now() - exchange.startedAt,
    capacity_units: capacityUnits,
    code: error?.code,
  };
  if (status < 500) console.info(line);
  else console.error({ ...line, cause: describe(error?.cause) });
};

const describe = (cause: unknown) =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, stack: cause.stack }
    : undefined;
