import { join, resolve } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { ApiDefinition, SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Code,
  Function as LambdaFunction,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { buildSync } from 'esbuild';
import { type ErrorCode, errors } from './errors.ts';

// A small app with one of each thing that the runner plays, and functions that no app should have.
const app = new App();
const stack = new Stack(app, 'MyApp');

const table = new Table(stack, 'Table', {
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  sortKey: { name: 'sk', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  stream: StreamViewType.NEW_IMAGE,
});
table.addGlobalSecondaryIndex({
  indexName: 'by_topic',
  partitionKey: { name: 'topic', type: AttributeType.STRING },
  sortKey: { name: 'sk', type: AttributeType.STRING },
});

const bundles = join(resolve(process.env.CDK_OUTDIR ?? 'cdk.out'), 'bundles');
const codeOf = (name: 'functions' | 'failing-functions'): Code => {
  const outdir = join(bundles, name);
  buildSync({
    entryPoints: { index: join(import.meta.dirname, `${name}.ts`) },
    outdir,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
  });
  return Code.fromAsset(outdir);
};

interface Settings {
  handler: string;
  code?: Code;
  route?: string;
  environment?: Record<string, string>;
  /** Of the function, in seconds. */
  timeout?: number;
  /** How long the gateway waits, in seconds. */
  integrationTimeout?: number;
  /** What the function may do with the table, or with its index. */
  table?: string;
  index?: string;
}

const functions = codeOf('functions');
const paths: Record<string, Record<string, object>> = {};
const add = (id: string, { handler, code = functions, route, ...settings }: Settings) => {
  const lambda = new LambdaFunction(stack, id, {
    functionName: `MyApp-${id}`,
    code,
    handler: `index.${handler}`,
    runtime: Runtime.NODEJS_24_X,
    memorySize: 512,
    timeout: Duration.seconds(settings.timeout ?? 9),
    environment: settings.environment ?? {},
  });
  const allow = (action: string, resource: string) =>
    lambda.addToRolePolicy(
      new PolicyStatement({ actions: [`dynamodb:${action}`], resources: [resource] }),
    );
  if (settings.table) allow(settings.table, table.tableArn);
  if (settings.index) allow(settings.index, `${table.tableArn}/index/by_topic`);
  const [method = '', path = ''] = route?.split(' ') ?? [];
  if (route) {
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId: id,
      responses: { '200': { description: 'What the function answers.' } },
      'x-amazon-apigateway-integration': {
        type: 'aws_proxy',
        httpMethod: 'POST',
        uri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${lambda.functionArn}/invocations`,
        ...(settings.integrationTimeout && { timeoutInMillis: settings.integrationTimeout * 1000 }),
      },
    };
  }
  return lambda;
};

// The notes.
const environment = { TABLE_NAME: table.tableName };
add('PostNote', { handler: 'postNote', route: 'POST /notes', environment, table: 'PutItem' });
add('GetNote', { handler: 'getNote', route: 'GET /notes/{id}', environment, table: 'GetItem' });
const forbidden = 'DELETE /notes/{id}';
add('Forbidden', { handler: 'forbiddenWrite', route: forbidden, environment, table: 'GetItem' });
add('CountNotes', { handler: 'countNotes', environment, index: 'Query' });

// From a bus, by a queue, into the table.
const queue = new Queue(stack, 'Queue', {
  visibilityTimeout: Duration.seconds(54),
  deadLetterQueue: { queue: new Queue(stack, 'DeadLetters'), maxReceiveCount: 2 },
});
new Rule(stack, 'Rule', {
  eventBus: new EventBus(stack, 'BusIn', { eventBusName: 'MyApp-in' }),
  eventPattern: { source: ['writer'], detailType: ['note.sent'] },
  targets: [new SqsQueue(queue)],
});
add('TakeNotes', { handler: 'takeNotes', environment, table: 'PutItem' }).addEventSource(
  new SqsEventSource(queue, { batchSize: 3, reportBatchItemFailures: true }),
);

// From the table's stream, by a function, to a bus.
const bus = new EventBus(stack, 'BusOut', { eventBusName: 'MyApp-out' });
const unsent = new Queue(stack, 'Unsent');
const added = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: 'NOTE#' }] } } },
};
const ways = { BUS: bus.eventBusName, UNSENT: unsent.queueUrl };
const send = add('SendNotes', { handler: 'sendNotes', environment: ways });
for (const [action, resource] of [
  ['events:PutEvents', bus.eventBusArn],
  ['sqs:SendMessage', unsent.queueArn],
] as const) {
  send.addToRolePolicy(new PolicyStatement({ actions: [action], resources: [resource] }));
}
send.addEventSourceMapping('Stream', {
  eventSourceArn: table.tableStreamArn!,
  startingPosition: StartingPosition.TRIM_HORIZON,
  batchSize: 10,
  filters: [{ pattern: JSON.stringify(added) }],
});

// Functions that misbehave, each in a way of its own.
const failing = codeOf('failing-functions');
const misbehave = (id: string, handler: string, path: string, settings: Partial<Settings> = {}) =>
  add(id, { code: failing, handler, route: `POST ${path}`, ...settings });
const ofEcho = { ...environment, OF_ECHO: 'only' };
misbehave('Echo', 'echo', '/echo/{first}/to/{second}', { environment: ofEcho });
misbehave('Behave', 'behave', '/behave', { timeout: 1 });
misbehave('Patient', 'behave', '/patient');
misbehave('Slow', 'behave', '/slow', { timeout: 6, integrationTimeout: 3 });
misbehave('Meet', 'meet', '/meet', { environment: { OF_MEET: 'only' } });
misbehave('Logs', 'logs', '/logs');
misbehave('Unexported', 'missing', '/unexported', { timeout: 1 });
misbehave('Broken', 'behave', '/broken', { timeout: 1, environment: { FAILS_AT: 'load' } });

const refusals: Record<string, ErrorCode> = {
  DEFAULT_4XX: 'invalid_request',
  DEFAULT_5XX: 'internal',
  MISSING_AUTHENTICATION_TOKEN: 'not_found',
  ACCESS_DENIED: 'forbidden',
  REQUEST_TOO_LARGE: 'payload_too_large',
  THROTTLED: 'rate_limited',
  INTEGRATION_TIMEOUT: 'timeout',
};
const refusal = (code: ErrorCode) => {
  const { status, message } = errors[code];
  const error = { code, message, request_id: '$context.requestId' };
  return {
    statusCode: String(status),
    responseParameters: {
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      'gatewayresponse.header.Cache-Control': "'no-store'",
      ...(code === 'rate_limited' && { 'gatewayresponse.header.Retry-After': "'1'" }),
    },
    responseTemplates: { 'application/json': JSON.stringify({ error }) },
  };
};
new SpecRestApi(stack, 'Api', {
  apiDefinition: ApiDefinition.fromInline({
    openapi: '3.0.1',
    info: { title: 'MyApp', version: 'v1' },
    paths,
    'x-amazon-apigateway-gateway-responses': Object.fromEntries(
      Object.entries(refusals).map(([type, code]) => [type, refusal(code)]),
    ),
  }),
  cloudWatchRole: false,
  deployOptions: { stageName: 'v1', throttlingRateLimit: 1000, throttlingBurstLimit: 2000 },
});
app.synth();
