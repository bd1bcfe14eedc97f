import { describe, expect, test } from 'vitest';
import { errorKinds } from '../../lib/errors/errors.ts';
import { synthesized } from './synthesized.ts';
import { type Body, refusalsName, refusalTypes } from './template/api-body.ts';

const [api] = Object.values(synthesized().findResources('AWS::ApiGateway::RestApi'));

describe('what the gateway refuses by itself', () => {
  const refusals: Record<string, Body> = api!.Properties.Body[refusalsName];
  const answerOf = (type: string) => {
    const { statusCode, responseTemplates, responseParameters } = refusals[type];
    const { error } = JSON.parse(responseTemplates['application/json']);
    const retryAfter = responseParameters['gatewayresponse.header.Retry-After'];
    return { status: Number(statusCode), retryAfter, error };
  };

  test('is in the envelope, with a code of the one table', () => {
    for (const [type, { responseParameters }] of Object.entries(refusals)) {
      const { status, retryAfter, error } = answerOf(type);
      const kind = {
        retryAfterSeconds: undefined,
        ...errorKinds[error.code as keyof typeof errorKinds],
      };
      expect(status).toBe(kind.status);
      expect(retryAfter).toBe(kind.retryAfterSeconds && `'${kind.retryAfterSeconds}'`);
      expect(error).toEqual({
        code: error.code,
        message: kind.message,
        request_id: '$context.requestId',
      });
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
      });
    }
  });

  const codes: [type: string, code: string][] = [
    ['ACCESS_DENIED', 'forbidden'],
    ['API_CONFIGURATION_ERROR', 'internal'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 'internal'],
    ['AUTHORIZER_FAILURE', 'internal'],
    ['BAD_REQUEST_BODY', 'invalid_request'],
    ['BAD_REQUEST_PARAMETERS', 'invalid_request'],
    ['DEFAULT_4XX', 'invalid_request'],
    ['DEFAULT_5XX', 'internal'],
    ['EXPIRED_TOKEN', 'not_found'],
    ['INTEGRATION_FAILURE', 'internal'],
    ['INTEGRATION_TIMEOUT', 'timeout'],
    ['INVALID_API_KEY', 'invalid_request'],
    ['INVALID_SIGNATURE', 'not_found'],
    ['MISSING_AUTHENTICATION_TOKEN', 'not_found'],
    ['QUOTA_EXCEEDED', 'rate_limited'],
    ['REQUEST_TOO_LARGE', 'payload_too_large'],
    ['RESOURCE_NOT_FOUND', 'not_found'],
    ['THROTTLED', 'rate_limited'],
    ['UNAUTHORIZED', 'invalid_request'],
    ['UNSUPPORTED_MEDIA_TYPE', 'unsupported_media_type'],
    ['WAF_FILTERED', 'forbidden'],
  ];

  test.each(codes)('%s is %s', (type, code) => {
    const fallback = (refusalTypes[type] ?? 0) >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
    const { error } = answerOf(type in refusals ? type : fallback);
    expect(error.code).toBe(code);
    // The gateway can't know whether the function wrote something before it failed.
    expect(error.message).not.toMatch(/safe/);
  });

  test('is of every type that there is', () => {
    expect(codes.map(([type]) => type)).toEqual(Object.keys(refusalTypes));
  });

  test('does not depend on who asks: an unknown route looks the same with a token and without', () => {
    const withToken = ['INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'].map(answerOf);
    const without = answerOf('MISSING_AUTHENTICATION_TOKEN');
    expect(withToken).toEqual([without, without, without]);
  });
});
