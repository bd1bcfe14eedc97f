import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  type Metric,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { FunctionLogs } from '../function-logs.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** Lines of requests that failed: by the function, or by Lambda, which ended the function. */
export const failedLines =
  '{ ($.message.code = "internal") || ($.message.code = "unavailable") || ' +
  '($.message.code = "timeout") || ($.record.status = "timeout") || ($.record.status = "failure") || ' +
  '($.record.status = "error") }';

interface Clock {
  /** What the clock starts. */
  started: readonly IFunction[];
  /** The API's: a service that nobody uses wakes nobody. */
  requests: Metric;
}

/** A function that is not started has no failures. */
const watchClock = (alarms: Alarms, { started, requests }: Clock): void => {
  const stopped = started.map((_, i) => `FILL(started${i}, 0) < 1`).join(' OR ');
  alarms.add('scheduled-functions-failing', {
    urgency: 'wakes',
    of: 'stopped',
    metric: new MathExpression({
      expression: `IF(FILL(requests, 0) >= 1 AND (${stopped}), 1, 0)`,
      usingMetrics: {
        requests,
        ...Object.fromEntries(started.map((fn, i) => [`started${i}`, fn.metricInvocations()])),
      },
      label: 'In use, and the clock starts nothing',
      period: Duration.minutes(15),
    }),
    atLeast: 1,
    periods: 2,
    feels: 'Logins end when the issuer changes its keys, and failed webhooks are not tried again.',
    act: 'Enable the rule of EventBridge that starts the function.',
  });
};

/**
 * The functions: whether they have room to run, and the failures of those that the clock starts, which no gateway
 * counts. For each operation, by its log lines: how often, how slow, how expensive.
 */
export const watchFunctions = (
  alarms: Alarms,
  { logs, started, requests }: { logs: FunctionLogs } & Clock,
): IWidget[] => {
  // Without a dimension, these metrics are the account's. No function reserves concurrency, so all share its limit.
  const throttles = LambdaFunction.metricAllThrottles({ statistic: Stats.SUM });
  const concurrent = LambdaFunction.metricAllConcurrentExecutions({ statistic: Stats.MAXIMUM });
  alarms.add('functions-throttled', {
    urgency: 'wakes',
    metric: throttles,
    atLeast: 1,
    periods: 2,
    feels: 'Some requests fail at once: the account runs as many functions as it may.',
    act: 'See what uses the concurrency of the account, and have the quota raised.',
  });
  // The clock starts each of these functions every five minutes: the alarm is heard if two of three starts fail.
  const scheduled = logCount(
    alarms,
    'ScheduledFunctionFailures',
    [logs.of('scheduled')],
    failedLines,
  ).with({ period: Duration.minutes(15) });
  alarms.add('scheduled-functions-failing', {
    urgency: 'tells',
    metric: scheduled,
    atLeast: 2,
    feels:
      'What failed at an endpoint is tried again late, or a first request waits for the issuer.',
    act: 'See in the log which function that the clock starts fails, and why.',
  });
  watchClock(alarms, { started, requests });
  return [
    new LogQueryWidget({
      title: 'Operations',
      logGroupNames: logs.all.map(({ logGroupName }) => logGroupName),
      view: LogQueryVisualizationType.TABLE,
      queryLines: [
        'filter ispresent(message.operation)',
        'stats count(*) as requests, sum(message.status >= 500) as failed, ' +
          'pct(message.duration_ms, 50) as p50_ms, pct(message.duration_ms, 99) as p99_ms, ' +
          'avg(message.capacity_units) as units by message.operation',
        'sort requests desc',
      ],
      width: 16,
      height: 8,
    }),
    new GraphWidget({
      title: 'Functions: at once, throttled (whole account); scheduled ones that failed',
      left: [concurrent],
      right: [throttles, scheduled],
      width: 8,
      height: 8,
    }),
  ];
};
