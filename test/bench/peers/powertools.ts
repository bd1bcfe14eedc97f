import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { parser } from '@aws-lambda-powertools/parser/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { leadInput } from '../../../lib/leads/lead.ts';
import { createLead, errorOf, userOf } from './work.ts';

const logger = new Logger({ serviceName: 'leads' });

// It has its records in the one table as well, in a partition of their own.
const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: process.env.TABLE_NAME ?? '',
  keyAttr: 'pk',
  sortKeyAttr: 'sk',
  staticPkValue: 'POWERTOOLS',
});
const config = new IdempotencyConfig({
  eventKeyJmesPath: '[headers."X-Organization-Id", headers."Idempotency-Key"]',
  expiresAfterSeconds: 24 * 60 * 60,
});

const request = z.looseObject({
  headers: z.looseObject({ Authorization: z.string(), 'X-Organization-Id': z.uuid() }),
  body: z.pipe(z.pipe(z.string(), z.transform(JSON.parse as (text: string) => unknown)), leadInput),
});

export const handler = middy()
  .use(injectLambdaContext(logger))
  .use(makeHandlerIdempotent({ persistenceStore, config }))
  .use(parser({ schema: request }))
  .handler(async ({ headers, body: input }: z.output<typeof request>) => {
    const userId = await userOf(headers.Authorization);
    const organizationId = headers['X-Organization-Id'];
    const caller = { organizationId, userId, idempotencyKey: undefined };
    const { headers: sent, body } = await createLead(caller, input);
    logger.info('created');
    return { statusCode: 201, headers: sent, body: JSON.stringify(body) };
  })
  .onError((failed) => {
    const event = failed.event as unknown as APIGatewayProxyEvent;
    const { status, body } = errorOf(failed.error, event.requestContext.requestId);
    failed.response = { statusCode: status, headers: {}, body: JSON.stringify(body) };
  });
