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

  test('never says that a repeat is safe: the gateway can’t know what the function wrote', () => {
    for (const type of Object.keys(refusals))
      expect(answerOf(type).error.message).not.toMatch(/safe/);
  });

  test('is told apart by its type; what has no answer of its own is a 4XX or a 5XX', () => {
    expect(answerOf('THROTTLED').error.code).toBe('rate_limited');
    expect(answerOf('DEFAULT_4XX').error.code).toBe('invalid_request');
    expect(answerOf('DEFAULT_5XX').error.code).toBe('internal');
    for (const type of Object.keys(refusals)) expect(refusalTypes).toHaveProperty(type);
  });

  test('does not depend on who asks: an unknown route looks the same with a token and without', () => {
    const withToken = ['INVALID_SIGNATURE', 'EXPIRED_TOKEN', 'RESOURCE_NOT_FOUND'].map(answerOf);
    const without = answerOf('MISSING_AUTHENTICATION_TOKEN');
    expect(withToken).toEqual([without, without, without]);
  });
});
