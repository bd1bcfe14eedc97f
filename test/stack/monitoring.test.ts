import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { internalLines, unauthenticatedLines } from '../../infra/monitoring/api.ts';
import { refusedLines } from '../../infra/monitoring/events.ts';
import { failedLines } from '../../infra/monitoring/functions.ts';
import { walletInvariantLines } from '../../infra/monitoring/wallets.ts';
import { loadOperations } from '../../infra/operations.ts';
import { patienceMs } from '../../lib/handlers/queue.ts';
import { places } from '../../lib/table/keys.ts';
import { renewalIntervalMs } from '../../lib/tokens/stored-keys.ts';
import { passes, readPatterns } from '../../packages/runner/src/template/patterns.ts';
import { matches } from '../support/filter-pattern.ts';
import { stripe } from './some-options.ts';
import { synthesized } from './synthesized.ts';

const docs = join(import.meta.dirname, '../../docs');
const runbooks = readdirSync(join(docs, 'runbooks')).filter((file) => file !== 'README.md');
const read = (file: string) => readFileSync(join(docs, file), 'utf8');

const sources = await loadOperations();
const template = synthesized();

const propertiesOf = (type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);
const alarms = propertiesOf('AWS::CloudWatch::Alarm');
const filters = propertiesOf('AWS::Logs::MetricFilter');
const mappings = propertiesOf('AWS::Lambda::EventSourceMapping');
const queues = template.findResources('AWS::SQS::Queue');
const [dashboard] = propertiesOf('AWS::CloudWatch::Dashboard');

type Stat = { Period: number; Metric: { MetricName: string; Dimensions: Part[] } };
type Part = { Name: string; Value: Record<string, [string, string]> };
/** What an alarm on several metrics reads. */
const statsOf = ({ Metrics = [] }: { Metrics?: { MetricStat?: Stat }[] }): Stat[] =>
  Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);

const runbookOf = (description: string): string | undefined =>
  /^\S.+\. Runbook: docs\/runbooks\/([a-z-]+)\.md$/.exec(description)?.[1];

test('every alarm says what users feel, what to do, and where its runbook is; none is left over', () => {
  const named = new Set(alarms.map(({ AlarmDescription }) => runbookOf(AlarmDescription)));
  const wanted = [...named].map((name) => `${name}.md`);
  expect(runbooks, 'what is in docs/runbooks, and what the alarms name').toEqual(wanted.sort());
  expect(runbooks).toContain('server-errors.md');
  expect(runbookOf('It is broken.')).toBeUndefined();
});

test.each(runbooks)('the runbook %s answers the same questions as all others', (file) => {
  const headings = read(`runbooks/${file}`)
    .split('\n')
    .filter((line) => line.startsWith('#'));
  const questions = ['Trigger', 'Users feel', 'Look', 'Do', 'Over when'].map((one) => `## ${one}`);
  expect(headings).toEqual([`# ${file.replace('.md', '')}`, ...questions]);
});

/** What can wait until the morning. A service of 3,000 customers has some of it each day. */
const told = [
  ...['changes-missing', 'dead-letters', 'events-out-late', 'events-out-undelivered'],
  ...['rate-limited', 'scheduled-functions-failing', 'slow-responses', 'spending'],
  ...['stars-unserved', 'usage-late', 'waiting-requests-untaken', 'webhooks-late'],
  'webhooks-set-aside',
];

test('an alarm and its end are told to one of two topics, to be woken or to be told, which CloudWatch may publish to', () => {
  const topics = Object.keys(template.findResources('AWS::SNS::Topic'));
  const [wakes, tells] = ['AlarmTopic', 'NoticeTopic'].map(
    (name) => template.findOutputs(name)[name]!.Value,
  );
  expect(topics.map((Ref) => ({ Ref })).toSorted()).toEqual([wakes, tells].toSorted());
  for (const { AlarmName, AlarmDescription, AlarmActions, OKActions, TreatMissingData } of alarms) {
    // The clock that stopped is told by the runbook of what it starts.
    const isTold = told.includes(runbookOf(AlarmDescription)!) && !AlarmName.endsWith('-stopped');
    expect([AlarmName, AlarmActions]).toEqual([AlarmName, [isTold ? tells : wakes]]);
    expect(OKActions).toEqual(AlarmActions);
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
  const sums = alarms
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
  const { Metrics } = alarms.find(({ AlarmName }) => AlarmName.endsWith('-table-throttled'))!;
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
    ...mappings.map((one) => one.DestinationConfig ?? {}),
  ]);
  const dead = Object.keys(queues).filter((id) => text.includes(`"${id}"`));
  expect([dead.length, Object.keys(queues).length]).toEqual([5, 8]);
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
  const counting = alarms.filter((alarm) =>
    statsOf(alarm).some(({ Metric }) => Metric.MetricName === 'NumberOfMessagesDeleted'),
  );
  const consumers = sources.filter(({ operation }) => operation.kind === 'queue');
  expect(counting.length).toBe(consumers.length);
  for (const alarm of counting) {
    const [{ Period, Metric }] = statsOf(alarm) as [Stat];
    const [id] = Metric.Dimensions[0]!.Value['Fn::GetAtt']!;
    const { VisibilityTimeout, RedrivePolicy } = queues[id]!.Properties;
    expect(alarm.Threshold).toBeLessThan(Period / VisibilityTimeout);
    const tried = RedrivePolicy.maxReceiveCount * VisibilityTimeout;
    expect(alarm.EvaluationPeriods * Period).toBeLessThan(tried / 2);
  }
});

test('Stripe’s events that wait are counted, and set off no alarm; they are let go before they are dead letters', () => {
  const withStripe = synthesized(stripe);
  const isFailing = ({ AlarmName }: { AlarmName: string }) => AlarmName.endsWith('-failing');
  const expressionIn = (made: typeof template): string =>
    Object.values(made.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => Properties as { AlarmName: string; Metrics: Part[] })
      .filter((alarm) => alarm.AlarmName.includes('applyWalletEvents') && isFailing(alarm))
      .flatMap(({ Metrics }) =>
        (Metrics as { Expression?: string }[]).flatMap((one) => one.Expression ?? []),
      )
      .join();
  const usual = 'FILL(received, 0) - FILL(deleted, 0) - FILL(refused, 0)';
  expect(expressionIn(template)).toBe(usual);
  expect(expressionIn(withStripe)).toBe(`${usual} - FILL(waiting, 0)`);

  const logs = withStripe.findResources('AWS::Logs::LogGroup');
  const countedOf = (line: object) =>
    Object.values(withStripe.findResources('AWS::Logs::MetricFilter'))
      .filter(({ Properties }) => matches(Properties.FilterPattern, line))
      .map(({ Properties: { LogGroupName, MetricTransformations } }) => [
        logs[LogGroupName.Ref]!.Properties.LogGroupName,
        MetricTransformations[0].MetricName,
      ]);
  const outcomes = ['waiting', 'let_go', 'ignored'];
  expect(outcomes.map((outcome) => countedOf({ message: { outcome } }))).toEqual([
    [['LeadsAndStars/queue', 'PartnerEventsWaiting']],
    [['LeadsAndStars/queue', 'PartnerEventsLetGo']],
    [],
  ]);

  const consumed = Object.values(queues).filter(
    ({ Properties }) => Properties.RedrivePolicy?.maxReceiveCount === 60,
  );
  expect(consumed.length).toBeGreaterThan(0);
  for (const { Properties } of consumed) {
    const { VisibilityTimeout, RedrivePolicy } = Properties;
    const triedMs = (RedrivePolicy.maxReceiveCount - 1) * VisibilityTimeout * 1000;
    expect(triedMs - patienceMs).toBeGreaterThan(2 * VisibilityTimeout * 1000);
  }
});

test('a consumer of the stream that is given nothing sets off an alarm, also while nobody uses the service', () => {
  const ofStream = mappings.filter((one) => one.FilterCriteria);
  const [stopped, ...others] = alarms.filter((one) => one.AlarmName.includes('-changes-stopped'));
  expect([others.length, ofStream.length]).toEqual([0, 2]);
  const invocations = statsOf(stopped!).filter(({ Metric }) => Metric.MetricName === 'Invocations');
  expect(invocations.map(({ Metric }) => Metric.Dimensions)).toEqual(
    ofStream.map(({ FunctionName }) => [{ Name: 'FunctionName', Value: FunctionName }]),
  );
  // What the clock writes is given to each function, and more often than the alarm looks.
  const pk = places.issuerKeys.partition({ uri: 'https://login.example/keys' });
  for (const { FilterCriteria } of ofStream) {
    const given = (key: string) => {
      const modified = { eventName: 'MODIFY', dynamodb: { Keys: { pk: { S: key } } } };
      return passes(readPatterns(FilterCriteria), modified);
    };
    expect([given(pk), given('ORG#1')]).toEqual([true, false]);
  }
  expect(2 * renewalIntervalMs).toBeLessThan(invocations[0]!.Period * 1000);
  expect(stopped!.EvaluationPeriods).toBe(2);
});

const functionLogs: string[] = propertiesOf('AWS::Lambda::Function').map(
  ({ LoggingConfig }) => LoggingConfig.LogGroup.Ref,
);

test('what is counted of logs is what functions write, and API Gateway: the lines are tried in test/unit/handlers/heard.test.ts', () => {
  const [stage] = propertiesOf('AWS::ApiGateway::Stage');
  const { Format } = stage!.AccessLogSetting;
  const line = JSON.parse(Format.replaceAll(/\$context[\w.]+/g, '401'));
  expect([matches(unauthenticatedLines, line), line.status]).toEqual([true, '401']);
  expect(matches(unauthenticatedLines, { status: '200' })).toBe(false);
  const counted = filters.map(({ FilterPattern }) => FilterPattern);
  const wanted = [internalLines, unauthenticatedLines, refusedLines, walletInvariantLines];
  expect(wanted.filter((one) => !counted.includes(one))).toEqual([]);
});

test('a day may cost more where there are more customers', () => {
  const limitFor = (organizations: number) => {
    const made = synthesized({ organizations }).findResources('AWS::CloudWatch::Alarm');
    const all = Object.values(made).map(({ Properties }) => Properties);
    return all.find(({ AlarmName }) => AlarmName.endsWith('-spending'))!.Threshold;
  };
  expect([limitFor(1), limitFor(1000), limitFor(3000)]).toEqual([20, 20, 60]);
});

test('impossible wallets are looked for in the log of every function', () => {
  const filtered = filters
    .filter(({ MetricTransformations: [{ MetricName }] }) => MetricName === 'WalletInvariant')
    .map(({ LogGroupName }) => LogGroupName.Ref);
  expect(functionLogs.length).toBeGreaterThan(20);
  expect(filtered.sort()).toEqual([...new Set(functionLogs)].sort());
});

test('of functions, only those that the clock starts are watched for failing', () => {
  const groups = template.findResources('AWS::Logs::LogGroup');
  const counted = filters
    .filter(({ FilterPattern }) => FilterPattern === failedLines)
    .map(({ LogGroupName }) => groups[LogGroupName.Ref]!.Properties.LogGroupName);
  expect(counted).toEqual(['LeadsAndStars/scheduled']);
});

test('the runbooks name every log group of functions', () => {
  const kinds = new Set<string>(sources.map(({ operation }) => operation.kind));
  expect(kinds.delete('agent'), 'it logs as all requests do').toBe(true);
  const text = read('runbooks/README.md');
  const named = [...text.matchAll(/^\| `LeadsAndStars\/(\w+)` \|/gm)].map(([, kind]) => kind);
  expect(named.sort()).toEqual([...kinds].sort());
});

const ofLogs = filters.flatMap(({ MetricTransformations }) => MetricTransformations);

test('an alarm counts what is logged, in the namespace that it looks into', () => {
  const counted = new Set(ofLogs.map((t) => `${t.MetricNamespace} ${t.MetricName}`));
  expect(counted.size).toBeGreaterThan(3);
  for (const metric of counted) {
    const [Namespace, MetricName] = metric.split(' ');
    // By itself, or as a part of an expression.
    const wanted = { Namespace, MetricName };
    const read = alarms.flatMap((one) => [one, ...statsOf(one).map(({ Metric }) => Metric)]);
    expect(read).toContainEqual(expect.objectContaining(wanted));
  }
  // The access log has the status as text, as the filter of 429 compares it.
  const [stage] = propertiesOf('AWS::ApiGateway::Stage');
  expect(stage!.AccessLogSetting.Format).toContain('"status":"$context.status"');
});

test('an alarm on what the clock starts asks for fewer failures than there are starts in its time', () => {
  const scheduled = sources.flatMap(({ operation }) =>
    operation.kind === 'scheduled' ? operation.everyMinutes : [],
  );
  const counting = alarms.filter(({ MetricName }) => MetricName === 'ScheduledFunctionFailures');
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
  expect(Math.max(...alarms.map(({ Metrics = [] }) => Metrics.length))).toBeLessThanOrEqual(10);
  const body = JSON.stringify(dashboard!.DashboardBody);
  const ids = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
  expect(ids.filter((id) => !body.includes(`["${id}","Arn"]`))).toEqual([]);
  expect(functionLogs.filter((id) => !body.includes(`{"Ref":"${id}"}`))).toEqual([]);
});

/** On how many metrics there are alarms. */
const metrics = alarms.reduce((sum, one) => sum + (one.Metrics ? statsOf(one).length : 1), 0);

test('what it costs is written down as it is', () => {
  const text = read('deploy.md');
  const ofLines = new Set(ofLogs.map(({ MetricName }) => MetricName)).size;
  const parts: unknown[] = dashboard!.DashboardBody['Fn::Join'][1];
  const body = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '')).join(''));
  const shown = body.widgets
    .flatMap((widget: { properties: { metrics?: unknown[][] } }) => widget.properties.metrics ?? [])
    .filter(([namespace]: unknown[]) => typeof namespace === 'string').length;
  for (const told of [
    `${alarms.length} alarms, on ${metrics} metrics`,
    `${ofLines} metrics of log lines`,
    // The first three dashboards of an account cost nothing, up to 50 metrics.
    shown > 50 ? `3 USD: it has ${shown} metrics` : `it has ${shown} metrics of the 50`,
  ]) {
    expect(text, 'docs/deploy.md, “What it costs”').toMatch(new RegExp(`\\b${told}`));
  }
});

test('what an idle stack costs is one number, the sum of its parts', () => {
  const secondsOfMonth = (365.25 / 12) * 24 * 3600;
  // What the clock starts, and the readers of the stream, to which one of these writes.
  const scheduled = sources.filter(({ operation }) => operation.kind === 'scheduled').length;
  const readers = sources.filter(({ operation }) => operation.kind === 'stream').length;
  const starts = ((scheduled + readers) * secondsOfMonth) / 300;
  const writes = (4 * secondsOfMonth) / 300;
  // Five pollers, each every 20 seconds.
  const polled = mappings.flatMap(
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
  const [, told] = /\*\*Idle, about (\d+) USD a month\*\*/.exec(read('deploy.md'))!;
  expect(Number(told)).toBe(Math.round(sum));
  // Whatever else is always there for money needs a part of its own here.
  const always = /::(Pipe|NatGateway|Instance|Cluster|Key|Secret|VpcEndpoint|Stream)$/;
  const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>);
  expect(types.filter(({ Type }) => always.test(Type))).toEqual([]);
});
