import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { isQueueConsumer, isScheduled, isWorker, loadOperations } from '../../infra/operations.ts';
import { routed } from '../support/api.ts';
import { everyOption, everyResource, issuer } from './some-options.ts';
import { emptyApp, type Given, serviceApp, synthesized } from './synthesized.ts';

const sources = await loadOperations();
const consumers = sources.filter(isQueueConsumer).map((one) => one.operation);
const workers = sources.filter(isWorker).map((one) => one.operation);
const scheduled = sources.filter(isScheduled).map((one) => one.operation);

const template = synthesized();
const functions = template.findResources('AWS::Lambda::Function');
const queues = template.findResources('AWS::SQS::Queue');
const mappings = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));

test('it has at most 270 resources, with every option', () => {
  const counts = [{}, everyOption, everyResource].map(
    (options) => Object.keys(synthesized(options).toJSON().Resources).length,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(270);
});

const checked = (app: App) => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app.synth();
};

test('cdk-nag’s AwsSolutions pack passes with every resource', () => {
  expect(checked(serviceApp(everyResource)).stacks.length).toBe(1);
});

test('cdk-nag’s AwsSolutions pack fails a stack that is not well made', () => {
  const app = emptyApp();
  new Queue(new Stack(app, 'Insecure'), 'Queue');
  expect(() => checked(app)).toThrow(/SQS/);
});

test('the stack is protected from deletion', () => {
  const [stack] = serviceApp().synth().stacks;
  expect(stack!.terminationProtection).toBe(true);
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
  expect(Object.keys(functions).length).toBeGreaterThanOrEqual(routed.length + 1);
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: `nodejs${process.versions.node.split('.')[0]}.x`,
    Architectures: ['arm64'],
    TracingConfig: { Mode: 'Active' },
    LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
  });
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test('the stage logs each access, and traces no addresses', () => {
  template.hasResourceProperties('AWS::ApiGateway::Stage', {
    TracingEnabled: false,
    AccessLogSetting: { DestinationArn: Match.anyValue() },
    // Metrics of each method cost, and nothing reads them.
    MethodSettings: [Match.objectLike({ MetricsEnabled: Match.absent() })],
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

test('events wait encrypted in a queue, and none is lost or blocks the others', () => {
  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
  /** What Lambda is told of a queue's messages, and what the queue does with them; times in days. */
  const ofQueues = mappings.flatMap(({ Properties }) => {
    const queue = queues[Properties.EventSourceArn['Fn::GetAtt']?.[0]]?.Properties;
    if (!queue) return [];
    const { Timeout } = functions[Properties.FunctionName.Ref]!.Properties;
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    const deadLetters =
      queues[queue.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0]]!.Properties;
    // SQS goes on counting from when a message was first sent.
    const [waits, kept] = [queue, deadLetters].map((one) => one.MessageRetentionPeriod / 86_400);
    const atOnce = Properties.ScalingConfig?.MaximumConcurrency;
    return [[Properties.BatchSize, atOnce, queue.RedrivePolicy.maxReceiveCount, waits, kept]];
  });
  expect(ofQueues).toEqual([
    ...consumers.map(() => [10, 20, 60, 10, 14]),
    ...workers.map(({ concurrency }) => [1, concurrency, 10, 4, 14]),
    // What numbering hands over: 20 organizations at once, three groups each.
    [10, 60, 60, 4, 14],
  ]);
  expect(workers.length).toBe(1);
});

test('what sends to the queue that invokes it may go on for more than 16 times, and nothing else', () => {
  const roles = template.findResources('AWS::IAM::Role');
  const inLoops = mappings.flatMap(({ Properties }) => {
    const queue = Properties.EventSourceArn['Fn::GetAtt']?.[0];
    const { Role, FunctionName } = functions[Properties.FunctionName.Ref]!.Properties;
    const { Policies } = roles[Role['Fn::GetAtt'][0]]!.Properties;
    const sendsTo = `"Action":"sqs:SendMessage","Effect":"Allow","Resource":{"Fn::GetAtt":["${queue}"`;
    return JSON.stringify(Policies).includes(sendsTo) ? [FunctionName] : [];
  });
  // What the one hands over comes from the stream; it sends nothing on that came from the queue.
  const sendsOnce = 'LeadsAndStars-numberChanges';
  expect(inLoops.sort()).toEqual(['LeadsAndStars-followChanges', sendsOnce]);
  const allowed = Object.values(functions).flatMap(({ Properties }) =>
    Properties.RecursiveLoop === 'Allow' ? [Properties.FunctionName] : [],
  );
  expect(allowed).toEqual(inLoops.filter((name) => name !== sendsOnce));
});

test('what is handed over waits for its own organization alone, and any number of organizations may', () => {
  const all = Object.values(queues).map(({ Properties }) => Properties);
  expect(all.filter(({ FifoQueue, RedrivePolicy }) => FifoQueue && RedrivePolicy)).toEqual([
    expect.objectContaining({
      ContentBasedDeduplication: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    }),
  ]);
});

test('whatever billing puts on the bus goes to its consumer, which says what is wrong with it: nothing is lost in silence', () => {
  const rules = Object.values(template.findResources('AWS::Events::Rule'));
  const patterns = rules.flatMap(({ Properties }) => Properties.EventPattern ?? []);
  expect(patterns).toEqual(consumers.map(() => ({ source: [{ prefix: '' }] })));
});

test('the user pool signs users in by password alone: no page, no implicit grant, no callback', () => {
  const [client] = Object.values(template.findResources('AWS::Cognito::UserPoolClient'));
  const { ExplicitAuthFlows, ...properties } = client!.Properties;
  expect(ExplicitAuthFlows).toEqual([
    'ALLOW_USER_PASSWORD_AUTH',
    'ALLOW_USER_SRP_AUTH',
    'ALLOW_REFRESH_TOKEN_AUTH',
  ]);
  expect(properties.AllowedOAuthFlowsUserPoolClient).toBe(false);
  expect(Object.keys(properties).filter((name) => /OAuth(Flows|Scopes)$|URL/.test(name))).toEqual(
    [],
  );
  expect(JSON.stringify(template.toJSON())).not.toContain('example.com');
});

const variablesOf = (options: Given, id = 'createLead') => {
  const stack = synthesized({ ...options, deployment: 'own' });
  stack.resourceCountIs('AWS::Cognito::UserPool', 0);
  const functions = Object.values(stack.findResources('AWS::Lambda::Function'));
  const names = functions.map(({ Properties }) => Properties.FunctionName);
  return functions[names.indexOf(`LeadsAndStars-own-${id}`)]!.Properties.Environment.Variables;
};

const jwks_uri = 'https://login.example/keys';
test.each([
  ['takes the place of the user pool', {}, 'https://login.example/.well-known/jwks.json'],
  ['may publish its keys elsewhere', { jwks_uri }, jwks_uri],
])('an issuer of one’s own %s', (_what, more, JWKS_URI) => {
  const [ISSUER, AUDIENCE] = [issuer.issuer, issuer.audience];
  expect(variablesOf({ ...issuer, ...more })).toMatchObject({ ISSUER, AUDIENCE, JWKS_URI });
});

test('an issuer of one’s own is asked by the function that keeps its keys, and by no other that the clock starts', () => {
  const told = scheduled.map(({ id }) => [id, variablesOf(issuer, id).JWKS_URI]);
  expect(told).toEqual([
    ['renewIssuerKeys', 'https://login.example/.well-known/jwks.json'],
    ['wakeDueWebhooks', undefined],
  ]);
});
