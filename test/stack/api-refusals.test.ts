import { expect, test } from 'vitest';
import { errorKinds } from '../../lib/errors/errors.ts';
import { apiBody, type Json, refusalsName } from './synthesized.ts';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html */
const knownTypes =
  `ACCESS_DENIED API_CONFIGURATION_ERROR AUTHORIZER_CONFIGURATION_ERROR AUTHORIZER_FAILURE
  BAD_REQUEST_BODY BAD_REQUEST_PARAMETERS DEFAULT_4XX DEFAULT_5XX EXPIRED_TOKEN INTEGRATION_FAILURE INTEGRATION_TIMEOUT
  INVALID_API_KEY INVALID_SIGNATURE MISSING_AUTHENTICATION_TOKEN QUOTA_EXCEEDED REQUEST_TOO_LARGE RESOURCE_NOT_FOUND
  THROTTLED UNAUTHORIZED UNSUPPORTED_MEDIA_TYPE WAF_FILTERED`.split(/\s+/);

const refusals: Record<string, Json> = apiBody()[refusalsName];
const errorOf = (type: string) =>
  JSON.parse(refusals[type].responseTemplates['application/json']).error;

test.each(Object.keys(refusals))(
  'what the gateway refuses by itself is in the envelope, with a code of the one table: %s',
  (type) => {
    const { code } = errorOf(type);
    const { status, message, retryAfterSeconds } = {
      retryAfterSeconds: undefined,
      ...errorKinds[code as keyof typeof errorKinds],
    };
    const headers = {
      'X-Request-Id': 'context.requestId',
      'Cache-Control': "'no-store'",
      'X-Content-Type-Options': "'nosniff'",
      'Strict-Transport-Security': "'max-age=31536000'",
      ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
    };
    const error = { code, message, request_id: '$context.requestId' };
    expect(refusals[type]).toEqual({
      statusCode: String(status),
      responseParameters: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
      ),
      responseTemplates: { 'application/json': JSON.stringify({ error }) },
    });
    expect(knownTypes).toContain(type);
    // The gateway can’t know what the function wrote.
    expect(message).not.toMatch(/safe/);
  },
);

test.each([
  ['THROTTLED', 'rate_limited'],
  ['DEFAULT_4XX', 'invalid_request'],
  ['DEFAULT_5XX', 'internal'],
])('what the gateway refuses by itself is told apart by its type: %s is %s', (type, code) => {
  expect(errorOf(type).code).toBe(code);
});

test('what the gateway refuses by itself does not depend on who asks: an unknown route looks the same with a token and without', () => {
  const withToken = ['INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'];
  const without = refusals.MISSING_AUTHENTICATION_TOKEN;
  expect(withToken.map((type) => refusals[type])).toEqual([without, without, without]);
});
