import { type ErrorCode, errorKinds } from '../lib/errors/errors.ts';
import { exposedHeaders, securityHeaders } from '../lib/handlers/http/response-headers.ts';

/**
 * The errors that the gateway gives without calling a function, in the service's own envelope. Types that are missing
 * here get the default of their kind. These are the types of authorizers and API keys, which no route has, and every failure
 * of a function. A function that failed may have written something, so the message must not call a repeat safe.
 */
const codes: Record<string, ErrorCode> = {
  DEFAULT_4XX: 'invalid_request',
  DEFAULT_5XX: 'internal',
  // A REST API takes a request to an unknown route for one that AWS credentials should have signed.
  MISSING_AUTHENTICATION_TOKEN: 'not_found',
  INVALID_SIGNATURE: 'not_found',
  EXPIRED_TOKEN: 'not_found',
  RESOURCE_NOT_FOUND: 'not_found',
  ACCESS_DENIED: 'forbidden',
  WAF_FILTERED: 'forbidden',
  REQUEST_TOO_LARGE: 'payload_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
  THROTTLED: 'rate_limited',
  QUOTA_EXCEEDED: 'rate_limited',
  INTEGRATION_TIMEOUT: 'timeout',
};

/** The responses that the gateway gives instead of a function, by API Gateway's type of the reason. */
export const gatewayResponses = (corsOrigins: readonly string[]): Record<string, object> =>
  Object.fromEntries(
    Object.entries(codes).map(([type, code]) => [type, refusal(code, corsOrigins.length > 0)]),
  );

const refusal = (code: ErrorCode, cors: boolean): object => {
  const { status, message, retryAfterSeconds } = {
    retryAfterSeconds: undefined,
    ...errorKinds[code],
  };
  const headers = {
    'X-Request-Id': 'context.requestId',
    'Cache-Control': "'no-store'",
    ...Object.fromEntries(Object.entries(securityHeaders).map(([k, v]) => [k, `'${v}'`])),
    ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
    // Headers of a gateway response can't depend on the origin. Everyone may read these responses.
    ...(cors && {
      'Access-Control-Allow-Origin': "'*'",
      'Access-Control-Expose-Headers': `'${exposedHeaders.join(',')}'`,
    }),
  };
  // API Gateway puts the id in after JSON.stringify. An id has nothing to escape.
  const error = { code, message, request_id: '$context.requestId' };
  return {
    statusCode: String(status),
    responseParameters: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
    ),
    responseTemplates: { 'application/json': JSON.stringify({ error }) },
  };
};
