import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { EventsOut } from '../events-out.ts';
import type { FunctionLogs } from '../function-logs.ts';
import type { StreamConsumers } from '../stream-consumers.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** The log lines of records that a consumer of the stream gave up. */
const setAsideLines = '{ $.message.outcome = "set_aside" }';

const most = { statistic: Stats.MAXIMUM };

interface WatchedStream {
  streamConsumers: StreamConsumers;
  eventsOut: EventsOut;
  table: ITable;
  logs: FunctionLogs;
}

/**
 * The table's stream: whether its readers are given anything, and whether those that take what is added keep up and take
 * all of it.
 */
export const watchStream = (
  alarms: Alarms,
  { streamConsumers, eventsOut, table, logs }: WatchedStream,
): IWidget[] => {
  const { consumers, handedOver, deadLetters } = streamConsumers;
  watchReaders(alarms, table, [...consumers.map(({ lambda }) => lambda), ...eventsOut.publishers]);
  const waiting = handedOver.metricApproximateAgeOfOldestMessage(most);
  const dead = deadLetters.metricApproximateNumberOfMessagesVisible(most);
  alarms.add('changes-late', {
    urgency: 'wakes',
    of: 'handed-over',
    metric: waiting,
    atLeast: Duration.minutes(10).toSeconds(),
    feels: 'Changes of an organization come ten minutes late, and later.',
    act: 'See whether the function fails for it, or there is more than it can do.',
  });
  alarms.add('changes-missing', {
    urgency: 'tells',
    of: 'dead-letters',
    metric: dead,
    atLeast: 1,
    feels: 'Some changes of an organization are not in the feed.',
    act: 'See that what stopped the function is over, and number them by the admin command.',
  });
  const handedOverGraph = new GraphWidget({
    title: 'Handed over: waiting, dead letters; age of the oldest (s)',
    left: [handedOver.metricApproximateNumberOfMessagesVisible(most), dead],
    right: [waiting],
    width: 12,
  });
  const graphs = consumers.map(({ id, lambda, dropped }) => {
    const age = lambda.metric('IteratorAge', most);
    const lost = dropped.metricApproximateNumberOfMessagesVisible(most);
    const setAside = logCount(alarms, 'SetAside', [logs.of('stream')], setAsideLines);
    alarms.add('changes-late', {
      urgency: 'wakes',
      metric: age,
      atLeast: Duration.minutes(10).toMilliseconds(),
      feels: 'Changes come ten minutes late, and later: in the feed, in webhooks and on the bus.',
      act: 'See whether the function fails, or there is more than it can do.',
    });
    alarms.add('changes-missing', {
      urgency: 'tells',
      of: 'dropped',
      metric: lost,
      atLeast: 1,
      feels:
        'Some changes are not in the feed, nor are those after them of the same lead or wallet.',
      act: 'See that what stopped the function is over, and number them by the admin command.',
    });
    alarms.add('changes-missing', {
      urgency: 'tells',
      of: 'set-aside',
      metric: setAside,
      atLeast: 1,
      feels: 'Some changes of an organization are not in the feed.',
      act: 'Read why in the log, fix it, and number them by the admin command.',
    });
    return new GraphWidget({
      title: `${id}: age of the oldest record (ms); given up`,
      left: [age],
      right: [lost, setAside],
      width: 12,
    });
  });
  return [...graphs, handedOverGraph];
};

/** A function that is not invoked has no age of records. The issuer's keys are written every five minutes. */
const watchReaders = (alarms: Alarms, table: ITable, readers: readonly IFunction[]): void => {
  const written = table.metric('SuccessfulRequestLatency', {
    dimensionsMap: { TableName: table.tableName, Operation: Operation.TRANSACT_WRITE_ITEMS },
    statistic: Stats.SAMPLE_COUNT,
  });
  const idle = readers.map((_, i) => `FILL(invoked${i}, 0) < 1`).join(' OR ');
  alarms.add('changes-stopped', {
    urgency: 'wakes',
    metric: new MathExpression({
      expression: `IF(FILL(written, 0) >= 1 AND (${idle}), 1, 0)`,
      usingMetrics: {
        written,
        ...Object.fromEntries(readers.map((fn, i) => [`invoked${i}`, fn.metricInvocations()])),
      },
      label: 'Written, and one read nothing',
      period: Duration.minutes(15),
    }),
    atLeast: 1,
    periods: 2,
    feels: 'Changes come no more: in the feed, in webhooks and on the bus, or on the bus alone.',
    act: 'Enable the mapping of the stream, or give the function room to run.',
  });
};
