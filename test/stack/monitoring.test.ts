import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { failedLines } from '../../infra/monitoring/functions.ts';
import { loadOperations } from '../../infra/operations.ts';
import { issuerKeysKey } from '../../lib/table/keys.ts';
import { renewalIntervalMs } from '../../lib/tokens/stored-keys.ts';
import { passes, readPatterns } from '../../packages/runner/src/template/patterns.ts';
import { matches } from '../support/filter-pattern.ts';
import { synthesized } from './synthesized.ts';

const runbooks = join(import.meta.dirname, '../../docs/runbooks');

const sources = await loadOperations();
const template = synthesized();

const propertiesOf = (type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);
const alarms = () => propertiesOf('AWS::CloudWatch::Alarm');
const runbookOf = (description: string): string | undefined =>
  /^\S.+\. Runbook: docs\/runbooks\/([a-z-]+)\.md$/.exec(description)?.[1];

test('every alarm says what users feel, what to do, and where its runbook is; none is left over', () => {
  const named = new Set(alarms().map(({ AlarmDescription }) => runbookOf(AlarmDescription)));
  const written = readdirSync(runbooks).filter((file) => file !== 'README.md');
  expect(written).toContain('server-errors.md');
  const wanted = [...named].map((name) => `${name}.md`);
  expect(written.sort(), 'what is in docs/runbooks, and what the alarms name').toEqual(
    wanted.sort(),
  );
  expect(runbookOf('It is broken.')).toBeUndefined();
});

test('every runbook answers the same questions, for an alarm of its name', () => {
  for (const file of readdirSync(runbooks).filter((name) => name !== 'README.md')) {
    const text = readFileSync(join(runbooks, file), 'utf8');
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    expect([file, ...headings]).toEqual([
      file,
      `# ${file.replace('.md', '')}`,
      '## Trigger',
      '## Users feel',
      '## Look',
      '## Do',
      '## Over when',
    ]);
  }
});

test('an alarm and its end are told to the topic, which CloudWatch may publish to', () => {
  const [topic] = Object.keys(template.findResources('AWS::SNS::Topic'));
  for (const { AlarmActions, OKActions, TreatMissingData } of alarms()) {
    expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    expect(TreatMissingData).toBe('notBreaching');
  }
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  });
  template.resourceCountIs('AWS::SNS::Subscription', 0);
});

test('a sum is never missing for a part that has nothing to count', () => {
  const sums = alarms()
    .map(({ Metrics = [] }) => Metrics)
    .filter((metrics) => metrics.some(({ Expression = '' }) => Expression.includes(' + ')));
  expect(sums.length).toBe(2);
  for (const metrics of sums) {
    const { Expression } = metrics.find((one: { Expression?: string }) => one.Expression);
    const parts = metrics.filter((one: { MetricStat?: object }) => one.MetricStat);
    expect(parts.length).toBeGreaterThan(2);
    for (const { Id } of parts) expect(Expression).toContain(`FILL(${Id}, 0)`);
  }
});

test('whatever the table is asked for, being throttled counts', () => {
  const client = readFileSync(join(import.meta.dirname, '../../lib/table/client.ts'), 'utf8');
  const sent = [...client.matchAll(/new (\w+)Command\(/g)].map(([, name]) => name!);
  const operationOf: Record<string, string> = {
    Get: 'GetItem',
    BatchGet: 'BatchGetItem',
    Query: 'Query',
    TransactWrite: 'TransactWriteItems',
    Update: 'UpdateItem',
  };
  const { Metrics } = alarms().find(({ AlarmName }) => AlarmName.endsWith('-table-throttled'))!;
  const counted = JSON.stringify(Metrics);
  expect(sent.length).toBeGreaterThan(3);
  for (const name of sent) {
    expect(operationOf[name], name).toBeDefined();
    expect(counted).toContain(`"Name":"Operation","Value":"${operationOf[name]}"`);
  }
});

test('every queue of dead letters has an alarm on its first message', () => {
  const text = JSON.stringify([
    ...propertiesOf('AWS::SQS::Queue').map(({ RedrivePolicy }) => RedrivePolicy ?? {}),
    ...propertiesOf('AWS::Lambda::EventSourceMapping').map((one) => one.DestinationConfig ?? {}),
  ]);
  const queues = Object.keys(template.findResources('AWS::SQS::Queue'));
  const dead = queues.filter((id) => text.includes(`"${id}"`));
  expect([dead.length, queues.length]).toEqual([5, 8]);
  for (const id of dead) {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [id, 'QueueName'] } }],
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 1,
    });
  }
});

test('an event that keeps failing sets off an alarm long before it is set aside', () => {
  const counting = alarms().filter(({ Metrics = [] }) =>
    JSON.stringify(Metrics).includes('NumberOfMessagesDeleted'),
  );
  expect(counting.length).toBe(
    sources.filter(({ operation }) => operation.kind === 'queue').length,
  );
  for (const { Metrics, Threshold, EvaluationPeriods } of counting) {
    const [{ Period, Metric }] = Metrics.flatMap(
      (one: { MetricStat?: object }) => one.MetricStat ?? [],
    );
    const {
      'Fn::GetAtt': [id],
    } = Metric.Dimensions[0].Value;
    const { VisibilityTimeout, RedrivePolicy } =
      template.findResources('AWS::SQS::Queue')[id]!.Properties;
    expect(Threshold).toBeLessThan(Period / VisibilityTimeout);
    const tried = RedrivePolicy.maxReceiveCount * VisibilityTimeout;
    expect(EvaluationPeriods * Period).toBeLessThan(tried / 2);
  }
});

test('a consumer of the stream that is given nothing sets off an alarm, also while nobody uses the service', () => {
  const mappings = propertiesOf('AWS::Lambda::EventSourceMapping').filter(
    (one) => one.FilterCriteria,
  );
  const stopped = alarms().filter(({ AlarmName }) => AlarmName.includes('-changes-stopped'));
  expect([stopped.length, mappings.length]).toEqual([1, 2]);
  const [{ Metrics, EvaluationPeriods }] = stopped;
  const stats = Metrics.flatMap((one: { MetricStat?: object }) => one.MetricStat ?? []);
  const of = (name: string) =>
    stats.filter(({ Metric }: { Metric: { MetricName: string } }) => Metric.MetricName === name);
  const watched = of('Invocations').map(
    ({ Metric }: { Metric: { Dimensions: { Name: string; Value: object }[] } }) =>
      Metric.Dimensions,
  );
  expect(watched).toEqual(
    mappings.map(({ FunctionName }) => [{ Name: 'FunctionName', Value: FunctionName }]),
  );
  // What the clock writes is given to each function, and more often than the alarm looks.
  const { pk } = issuerKeysKey('https://login.example/keys');
  const modified = (key: string) => ({
    eventName: 'MODIFY',
    dynamodb: { Keys: { pk: { S: key } } },
  });
  for (const { FilterCriteria } of mappings) {
    const patterns = readPatterns(FilterCriteria);
    expect(passes(patterns, modified(pk))).toBe(true);
    expect(passes(patterns, modified('ORG#1'))).toBe(false);
  }
  expect(2 * renewalIntervalMs).toBeLessThan(of('Invocations')[0].Period * 1000);
  expect(EvaluationPeriods).toBe(2);
});

test('impossible wallets are looked for in the log of every function', () => {
  const groups = propertiesOf('AWS::Lambda::Function').map(
    ({ LoggingConfig }) => LoggingConfig.LogGroup.Ref,
  );
  const filtered = propertiesOf('AWS::Logs::MetricFilter')
    .filter(({ MetricTransformations: [{ MetricName }] }) => MetricName === 'WalletInvariant')
    .map(({ LogGroupName }) => LogGroupName.Ref);
  expect(groups.length).toBeGreaterThan(20);
  expect(filtered.sort()).toEqual([...new Set(groups)].sort());
});

test('of functions, only those that the clock starts are watched for failing', () => {
  const groups = template.findResources('AWS::Logs::LogGroup');
  const counted = propertiesOf('AWS::Logs::MetricFilter')
    .filter(({ FilterPattern }) => FilterPattern === failedLines)
    .map(({ LogGroupName }) => groups[LogGroupName.Ref]!.Properties.LogGroupName);
  expect(counted).toEqual(['LeadsAndStars/scheduled']);
});

test('the runbooks name every log group of functions', () => {
  const kinds = [...new Set(sources.map(({ operation }) => operation.kind))];
  const text = readFileSync(join(runbooks, 'README.md'), 'utf8');
  const named = [...text.matchAll(/^\| `LeadsAndStars\/(\w+)` \|/gm)].map(([, kind]) => kind);
  expect(named.sort()).toEqual(kinds.sort());
});

test('an alarm counts what is logged, in the namespace that it looks into', () => {
  const filters = propertiesOf('AWS::Logs::MetricFilter').flatMap((p) => p.MetricTransformations);
  const counted = new Set(filters.map((t) => `${t.MetricNamespace} ${t.MetricName}`));
  expect(counted.size).toBeGreaterThan(3);
  for (const metric of counted) {
    const [Namespace, MetricName] = metric.split(' ');
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { Namespace, MetricName });
  }
  // The access log has the status as text, as the filter of 429 compares it.
  const [stage] = propertiesOf('AWS::ApiGateway::Stage');
  expect(stage!.AccessLogSetting.Format).toContain('"status":"$context.status"');
});

test('an alarm on what the clock starts asks for fewer failures than there are starts in its time', () => {
  const scheduled = sources.flatMap(({ operation }) =>
    operation.kind === 'scheduled' ? operation.everyMinutes : [],
  );
  const counting = alarms().filter(({ MetricName }) => MetricName === 'ScheduledFunctionFailures');
  expect([scheduled.length, counting.length]).toEqual([2, 1]);
  const [{ Threshold, Period, EvaluationPeriods }] = counting;
  // A failure is one line: Lambda would start the function twice more for it. And a start may come a little late.
  expect(propertiesOf('AWS::Lambda::EventInvokeConfig')).toEqual(
    scheduled.map((everyMinutes) =>
      expect.objectContaining({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: everyMinutes * 60,
      }),
    ),
  );
  expect(Threshold).toBeLessThan(Period / 60 / Math.max(...scheduled));
  expect([EvaluationPeriods, Threshold]).toEqual([1, 2]);
});

test.each([
  ['a bug', { message: { code: 'internal' } }, true],
  ['an end by Lambda', { type: 'platform.report', record: { status: 'timeout' } }, true],
  ['what the caller did wrong', { message: { code: 'invalid_request' } }, false],
  ['a good end', { type: 'platform.report', record: { status: 'success' } }, false],
])('of the functions that the clock starts, %s is counted as it is', (_what, line, counted) => {
  expect(matches(failedLines, line)).toBe(counted);
});

test('no alarm reads more metrics than CloudWatch takes, and the dashboard shows every alarm and log', () => {
  const metrics = alarms().map(({ Metrics = [] }) => Metrics.length);
  expect(Math.max(...metrics)).toBeLessThanOrEqual(10);
  const [dashboard] = propertiesOf('AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(dashboard!.DashboardBody);
  const ids = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
  expect(ids.filter((id) => !body.includes(`["${id}","Arn"]`))).toEqual([]);
  const groups = propertiesOf('AWS::Lambda::Function').map((p) => p.LoggingConfig.LogGroup.Ref);
  expect(groups.filter((id) => !body.includes(`{"Ref":"${id}"}`))).toEqual([]);
});

test('what it costs is written down as it is', () => {
  const read = alarms().flatMap(({ Metrics }) => Metrics ?? [{ MetricStat: {} }]);
  const metrics = read.filter(({ MetricStat }) => MetricStat).length;
  const text = readFileSync(join(runbooks, '../deploy.md'), 'utf8');
  const told = (what: RegExp) => what.exec(text)?.[0];
  const where = 'docs/deploy.md, “What it costs”';
  expect(told(/\d+ alarms, on \d+ metrics/), where).toBe(
    `${alarms().length} alarms, on ${metrics} metrics`,
  );
  const filters = propertiesOf('AWS::Logs::MetricFilter').flatMap((p) => p.MetricTransformations);
  const ofLines = new Set(filters.map(({ MetricName }) => MetricName)).size;
  expect(told(/\d+ metrics of log lines/), where).toBe(`${ofLines} metrics of log lines`);
  const [dashboard] = propertiesOf('AWS::CloudWatch::Dashboard');
  const body = JSON.parse(
    dashboard!.DashboardBody['Fn::Join'][1]
      .map((part: unknown) => (typeof part === 'string' ? part : ''))
      .join(''),
  );
  const shown = body.widgets
    .flatMap((widget: { properties: { metrics?: unknown[][] } }) => widget.properties.metrics ?? [])
    .filter(([namespace]: unknown[]) => typeof namespace === 'string').length;
  expect(told(/it has \d+ metrics of the 50/), where).toBe(`it has ${shown} metrics of the 50`);
});

test('what an idle stack costs is one number, the sum of its parts', () => {
  const read = alarms().flatMap(({ Metrics }) => Metrics ?? [{ MetricStat: {} }]);
  const metrics = read.filter(({ MetricStat }) => MetricStat).length;
  const secondsOfMonth = (365.25 / 12) * 24 * 3600;
  // What the clock starts, and the readers of the stream, to which one of these writes.
  const scheduled = sources.filter(({ operation }) => operation.kind === 'scheduled').length;
  const readers = sources.filter(({ operation }) => operation.kind === 'stream').length;
  const starts = ((scheduled + readers) * secondsOfMonth) / 300;
  const writes = (4 * secondsOfMonth) / 300;
  // Five pollers, each every 20 seconds.
  const queues = template.findResources('AWS::SQS::Queue');
  const polled = propertiesOf('AWS::Lambda::EventSourceMapping').flatMap(
    ({ EventSourceArn }) => queues[EventSourceArn['Fn::GetAtt']?.[0]]?.Properties ?? [],
  );
  const pollsOfQueue = (5 * secondsOfMonth) / 20;
  const dollars = { metric: 0.1, invocation: 0.2e-6, trace: 5e-6, write: 0.625e-6 };
  const pollDollars = polled
    .map(({ FifoQueue }) => pollsOfQueue * (FifoQueue ? 0.5e-6 : 0.4e-6))
    .reduce((sum, one) => sum + one);
  const sum =
    metrics * dollars.metric +
    starts * (dollars.invocation + dollars.trace) +
    writes * dollars.write +
    pollDollars;
  console.info(`idle: ${sum.toFixed(2)} USD a month`);
  const text = readFileSync(join(runbooks, '../deploy.md'), 'utf8');
  const [, told] = /\*\*Idle, about (\d+) USD a month\*\*/.exec(text)!;
  expect(Number(told)).toBe(Math.round(sum));
  // Whatever else is always there for money needs a part of its own here.
  const always = /::(Pipe|NatGateway|Instance|Cluster|Key|Secret|VpcEndpoint|Stream)$/;
  const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>);
  expect(types.filter(({ Type }) => always.test(Type))).toEqual([]);
});
