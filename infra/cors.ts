import { Duration } from 'aws-cdk-lib';
import type { CorsOptions } from 'aws-cdk-lib/aws-apigateway';
import { OptionError, type Options } from './options.ts';
import { isOrigin } from './origin.ts';

/** The origins whose pages may call the API. */
export const corsOrigins = ({ cors_origins: origins = [] }: Options): string[] => {
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    throw new OptionError(
      `${origin} is not an origin. cors_origins takes origins such as https://app.example`,
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
