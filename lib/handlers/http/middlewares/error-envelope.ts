import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { OpenRequest, RequestStart } from '../../../admission/open-request.ts';
import { type ApiError, toApiError } from '../../../errors/errors.ts';
import type { Routed } from '../../../operations/definition.ts';
import type { Reply } from '../../../operations/request.ts';
import { rateLimitHeaders } from '../../../organizations/request-limit.ts';
import { headerValues } from '../headers.ts';
import type { Middleware } from '../middleware.ts';
import { corsHeaders, securityHeaders } from '../response-headers.ts';

/** Makes a response of the reply, and of every error: in one shape, with the request's id. */
export const errorEnvelope = (
  operation: Routed,
): Middleware<Pick<RequestStart, 'startedAt'>, Pick<RequestStart, 'requestId'>> => ({
  before: ({ event, context }) => {
    const { requestId } = event.requestContext;
    Object.assign(context, { requestId } satisfies Partial<RequestStart>);
  },
  after: (request) => {
    const { status = operation.response.status, headers, body }: Reply = request.response;
    request.response = responseTo(request, status, headers, body);
  },
  onError: (request) => {
    const error = toApiError(request.error);
    const { code, message, details } = error;
    const { requestId: request_id } = request.event.requestContext;
    const body = { error: { code, message, request_id, ...(details && { details }) } };
    request.response = responseTo(request, error.kind.status, errorHeaders(error), body);
  },
});

interface Answered {
  event: APIGatewayProxyEvent;
  context: Partial<OpenRequest>;
}

const responseTo = (
  { event, context: { verdict } }: Answered,
  status: number,
  headers: Reply['headers'],
  body: unknown,
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'Cache-Control': 'no-store',
    'X-Request-Id': event.requestContext.requestId,
    ...securityHeaders,
    ...corsHeaders(headerValues(event, 'Origin')[0]),
    ...(verdict && rateLimitHeaders(verdict)),
    ...headers,
  },
  body: body === undefined ? '' : JSON.stringify(body),
});

const errorHeaders = ({ code, retryAfterSeconds, replayed }: ApiError): Record<string, string> => ({
  ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
  // RFC 6750, 3. API Gateway gives it another name: docs/decisions/function-per-operation.md
  ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
  ...(replayed && { 'Idempotency-Replayed': 'true' }),
});
