import { Duration } from 'aws-cdk-lib';
import type { CorsOptions } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import { OptionError, option } from './options.ts';
import { isOrigin } from './origin.ts';

/** The origins whose pages may call the API, by `-c cors_origins=https://a.example,https://b.example`. */
export const corsOrigins = (scope: Construct): string[] => {
  const given = option(scope, 'cors_origins') ?? '';
  const origins = given.split(',').filter((origin) => origin !== '');
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw new OptionError(
      `${origin} is not an origin. -c cors_origins takes origins such as https://app.example, separated by commas`,
    );
  }
  return origins;
};

/** How API Gateway answers a browser that asks whether it may send a request. */
export const preflight = (allowOrigins: string[]): CorsOptions => ({
  allowOrigins,
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: [
    'Authorization',
    'Content-Type',
    'X-Organization-Id',
    'Idempotency-Key',
    'If-Match',
  ],
  // No browser keeps it for longer than this.
  maxAge: Duration.hours(2),
});
