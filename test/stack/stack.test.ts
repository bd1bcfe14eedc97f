import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { synthesize } from '../../infra/local/template/synthesize.ts';
import { isQueueConsumer, loadOperations } from '../../infra/operations.ts';
import { errorKinds } from '../../lib/errors.ts';
import { routed } from '../support/api.ts';

const consumers = (await loadOperations()).filter(isQueueConsumer).map((one) => one.operation);
const app = join(import.meta.dirname, '../../infra/app.ts');

let directory: string;
let template: Template;

const read = async (name: string): Promise<Template> =>
  Template.fromJSON(JSON.parse(await readFile(join(directory, `${name}.template.json`), 'utf8')));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-stack-'));
  await synthesize(app, directory, {});
  template = await read('LeadsAndStars');
});

afterAll(() => rm(directory, { recursive: true }));

describe('cdk-nag’s AwsSolutions pack', () => {
  test('passes, or the app would not have synthesized', () => {
    expect(Object.keys(template.toJSON().Resources).length).toBeGreaterThan(20);
  });

  test('fails an app that is not well made', async () => {
    const insecure = synthesize(join(import.meta.dirname, 'insecure-app.ts'), directory, {});
    await expect(insecure).rejects.toThrow(/SQS/);
  });
});

test('the table keeps its data: backups, protection, and it outlives the stack', () => {
  template.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    },
  });
});

test('every function runs on the tested runtime, traced, with JSON logs that end', () => {
  const functions = template.findResources('AWS::Lambda::Function');
  expect(Object.keys(functions).length).toBeGreaterThanOrEqual(routed.length + 1);
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: `nodejs${process.versions.node.split('.')[0]}.x`,
    Architectures: ['arm64'],
    TracingConfig: { Mode: 'Active' },
    LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
  });
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test('the stage is throttled, traced and logs each access', () => {
  template.hasResourceProperties('AWS::ApiGateway::Stage', {
    StageName: 'v1',
    TracingEnabled: true,
    AccessLogSetting: { DestinationArn: Match.anyValue() },
    MethodSettings: [
      Match.objectLike({
        ThrottlingRateLimit: 1000,
        ThrottlingBurstLimit: 2000,
        LoggingLevel: 'ERROR',
        // Metrics of each method cost, and nothing reads them.
        MetricsEnabled: Match.absent(),
      }),
    ],
  });
});

test('the stage waits for the group of its execution log, or API Gateway makes one that never ends', () => {
  const groups = Object.entries(template.findResources('AWS::Logs::LogGroup'));
  const [group, { Properties }] = groups.find(([, one]) =>
    JSON.stringify(one).includes('API-Gateway-Execution-Logs_'),
  )!;
  const [api] = Object.keys(template.findResources('AWS::ApiGateway::RestApi'));
  expect(Properties.LogGroupName).toEqual({
    'Fn::Join': ['', ['API-Gateway-Execution-Logs_', { Ref: api }, '/v1']],
  });
  template.hasResource('AWS::ApiGateway::Stage', { DependsOn: Match.arrayWith([group]) });
});

test('every operation has its route, and there is no other', () => {
  const methods = Object.values(template.findResources('AWS::ApiGateway::Method'));
  expect(methods.map(({ Properties }) => Properties.OperationName).sort()).toEqual(
    routed.map(({ id }) => id).sort(),
  );
});

test('what the gateway refuses by itself is in the envelope, with a code of the one table', () => {
  const responses = Object.values(template.findResources('AWS::ApiGateway::GatewayResponse'));
  const types = responses.map(({ Properties }) => Properties.ResponseType);
  expect(types).toEqual(expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX']));
  for (const { Properties } of responses) {
    const { error } = JSON.parse(Properties.ResponseTemplates['application/json']);
    const kind = errorKinds[error.code as keyof typeof errorKinds];
    expect(Properties.StatusCode).toBe(String(kind.status));
    expect(error).toEqual({
      code: error.code,
      message: kind.message,
      request_id: '$context.requestId',
    });
    expect(Properties.ResponseParameters['gatewayresponse.header.X-Request-Id']).toBe(
      'context.requestId',
    );
  }
});

test('events wait encrypted in a queue, and none is lost or blocks the others', () => {
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
  const functions = template.findResources('AWS::Lambda::Function');
  const queues = template.findResources('AWS::SQS::Queue');
  const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  const ofQueues = sources.filter(({ Properties }) => {
    const { 'Fn::GetAtt': [id] = [] } = Properties.EventSourceArn;
    return id in queues;
  });
  expect(ofQueues.length).toBe(consumers.length);
  for (const { Properties } of ofQueues) {
    const { Timeout } = functions[Properties.FunctionName.Ref]!.Properties;
    const queue = queues[Properties.EventSourceArn['Fn::GetAtt'][0]]!.Properties;
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    expect(queue.RedrivePolicy.maxReceiveCount).toBe(5);
    expect(queues).toHaveProperty(queue.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0]);
    expect(Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  }
});

test('the bus lets through what the consumers take, and nothing else', () => {
  const rules = Object.values(template.findResources('AWS::Events::Rule'));
  expect(rules.map(({ Properties }) => Properties.EventPattern)).toEqual(
    consumers.map(({ events }) => ({ source: [events.source], 'detail-type': events.types })),
  );
});

test('the outputs name the base URL and the bus', () => {
  template.hasOutput('EventsInBus', {});
  template.hasOutput('BaseUrl', {});
  template.hasOutput('TableName', {});
  template.hasOutput('UserPoolId', {});
});

describe('an issuer of one’s own', () => {
  const own = { issuer: 'https://login.example/', audience: 'crm', stack: 'Own' };

  test('takes the place of the user pool', async () => {
    await synthesize(app, directory, own);
    const stack = await read('Own');
    stack.resourceCountIs('AWS::Cognito::UserPool', 0);
    stack.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'Own-createLead',
      Environment: {
        Variables: Match.objectLike({
          ISSUER: own.issuer,
          AUDIENCE: own.audience,
          JWKS_URI: 'https://login.example/.well-known/jwks.json',
        }),
      },
    });
  });

  test('may publish its keys elsewhere', async () => {
    const jwks_uri = 'https://login.example/keys';
    await synthesize(app, directory, { ...own, jwks_uri });
    (await read('Own')).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ JWKS_URI: jwks_uri }) },
    });
  });

  test.each([
    ['without an audience', { issuer: 'https://login.example/' }],
    ['over plain HTTP', { issuer: 'http://login.example/', audience: 'crm' }],
  ])('%s is refused', async (_name, context) => {
    await expect(synthesize(app, directory, context)).rejects.toThrow(/issuer of your own/);
  });
});
