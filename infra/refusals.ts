import { type ErrorCode, type ErrorDetail, errorKinds } from '../lib/errors/errors.ts';
import { exposedHeaders, securityHeaders } from '../lib/handlers/http/response-headers.ts';

/**
 * The errors that the gateway gives without calling a function, in the service's own envelope. Types that are missing
 * here get the default of their kind. These are the types of authorizers and API keys, which no route has, and every failure
 * of a function. A function that failed may have written something, so the message must not call a repeat safe.
 */
const codes: Record<string, ErrorCode> = {
  DEFAULT_4XX: 'invalid_request',
  DEFAULT_5XX: 'internal',
  // A REST API takes a request to an unknown route for a request that AWS credentials should have signed.
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

/** The headers of what the gateway answers by itself: fixed texts in quotes, and names of what it puts in. */
const headersOf = (cors: boolean): Record<string, string> => ({
  'X-Request-Id': 'context.requestId',
  'Cache-Control': "'no-store'",
  ...Object.fromEntries(Object.entries(securityHeaders).map(([k, v]) => [k, `'${v}'`])),
  // Headers of a gateway response can't depend on the origin. Everyone may read these responses.
  ...(cors && {
    'Access-Control-Allow-Origin': "'*'",
    'Access-Control-Expose-Headers': `'${exposedHeaders.join(',')}'`,
  }),
});

/** The body of what the gateway answers. It puts the id in after JSON.stringify: an id has nothing to escape. */
const templatesOf = (code: ErrorCode, details?: readonly ErrorDetail[]) => {
  const { message } = errorKinds[code];
  const error = { code, message, request_id: '$context.requestId', details };
  return { 'application/json': JSON.stringify({ error }) };
};

/** Names of headers, as a mapping of API Gateway has them. */
const mapped = (prefix: string, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${prefix}.${name}`, value]));

const refusal = (code: ErrorCode, cors: boolean): object => {
  const { status, retryAfterSeconds } = { retryAfterSeconds: undefined, ...errorKinds[code] };
  const headers = {
    ...headersOf(cors),
    ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
  };
  return {
    statusCode: String(status),
    responseParameters: mapped('gatewayresponse.header', headers),
    responseTemplates: templatesOf(code),
  };
};

/** Types of bodies that a mock reads nothing of. Any other is 415 by API Gateway. */
const bodyTypes = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** How the gateway itself answers a method that a path does not have: with those that it has (RFC 9110, 15.5.6). */
export const otherMethod = (methods: readonly string[], corsOrigins: readonly string[]): object => {
  const code = 'method_not_allowed';
  const status = String(errorKinds[code].status);
  const all = methods.join(', ');
  const headers = { ...headersOf(corsOrigins.length > 0), Allow: `'${all}'` };
  const schema = { type: 'string' };
  return {
    responses: {
      [status]: {
        description: errorKinds[code].message,
        headers: Object.fromEntries(Object.keys(headers).map((name) => [name, { schema }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(
        bodyTypes.map((type) => [type, `{ statusCode: ${status} }`]),
      ),
      responses: {
        default: {
          statusCode: status,
          responseParameters: mapped('method.response.header', headers),
          responseTemplates: templatesOf(code, [{ path: 'method', message: `can be ${all}` }]),
        },
      },
    },
  };
};
