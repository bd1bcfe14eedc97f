import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { FunctionLogs } from '../function-logs.ts';
import type { StreamConsumers } from '../stream-consumers.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** The log lines of records that a consumer of the stream gave up. */
const setAsideLines = '{ $.message.becomes = "set_aside" }';

const most = { statistic: Stats.MAXIMUM };

interface Watched {
  streamConsumers: StreamConsumers;
  table: ITable;
  logs: FunctionLogs;
}

/** What is added to the table: whether its consumers keep up, and take all of it. */
export const watchStream = (
  alarms: Alarms,
  { streamConsumers: { consumers }, table, logs }: Watched,
): IWidget[] =>
  consumers.flatMap(({ id, lambda, dropped }) => {
    const age = lambda.metric('IteratorAge', most);
    const lost = dropped.metricApproximateNumberOfMessagesVisible(most);
    const setAside = logCount(alarms, 'SetAside', [logs.of('stream')], setAsideLines);
    alarms.add('changes-late', {
      metric: age,
      atLeast: Duration.minutes(10).toMilliseconds(),
      feels: 'Changes come ten minutes late, and later: in the feed, in webhooks and on the bus.',
      act: 'See whether the function fails, or there is more than it can do.',
    });
    // A function that is not invoked has no age of records. The issuer's keys are written every five minutes.
    const written = table.metric('SuccessfulRequestLatency', {
      dimensionsMap: { TableName: table.tableName, Operation: Operation.TRANSACT_WRITE_ITEMS },
      statistic: Stats.SAMPLE_COUNT,
    });
    alarms.add('changes-stopped', {
      metric: new MathExpression({
        expression: 'IF(FILL(written, 0) >= 1 AND FILL(invoked, 0) < 1, 1, 0)',
        usingMetrics: { written, invoked: lambda.metricInvocations() },
        label: 'Written, and nothing read',
        period: Duration.minutes(15),
      }),
      atLeast: 1,
      periods: 2,
      feels: 'Changes come no more: in the feed, in webhooks and on the bus.',
      act: 'Enable the mapping of the stream, or give the function room to run.',
    });
    alarms.add('changes-missing', {
      of: 'dropped',
      metric: lost,
      atLeast: 1,
      feels:
        'Some changes are not in the feed, nor are those after them of the same lead or wallet.',
      act: 'See that what stopped the function is over, and number them by the admin command.',
    });
    alarms.add('changes-missing', {
      of: 'set-aside',
      metric: setAside,
      atLeast: 1,
      feels: 'Some changes of an organization are not in the feed.',
      act: 'Read why in the log, fix it, and number them by the admin command.',
    });
    return [
      new GraphWidget({
        title: `${id}: age of the oldest record (ms); given up`,
        left: [age],
        right: [lost, setAside],
        width: 12,
      }),
    ];
  });
