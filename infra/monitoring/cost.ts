import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { leadIndexKeys } from '../../lib/table/indexes/lead-indexes.ts';
import { changeIndex, userIndex } from '../../lib/table/keys.ts';
import type { RestApi } from '../api.ts';
import type { Alarms } from './alarms.ts';

/** Dollars for a million, in us-east-1. The sum is right in its order of magnitude. */
const prices = { read: 0.125, write: 0.625, request: 3.5 };

/** A day that costs this much is a loop, an attack, or a success to prepare for; or so much for each organization. */
const expensiveDay = 20;
const expensiveForEach = 0.02;

/** What drives the bill: capacity units, time of functions, bytes of logs. */
export const watchCost = (
  alarms: Alarms,
  {
    table,
    api,
    logs,
    organizations = 0,
  }: { table: ITable; api: RestApi; logs: readonly LogGroup[]; organizations: number | undefined },
): IWidget[] => {
  const sum = { statistic: Stats.SUM, period: Duration.days(1) };
  const { read, write, request } = prices;
  alarms.add('spending', {
    urgency: 'tells',
    metric: new MathExpression({
      // A day without writes has no sum of writes, and then there is no total either.
      expression: `(FILL(reads, 0) * ${read} + FILL(writes, 0) * ${write} + FILL(requests, 0) * ${request}) / 1000000`,
      usingMetrics: {
        reads: table.metricConsumedReadCapacityUnits(sum),
        writes: table.metricConsumedWriteCapacityUnits(sum),
        requests: api.rest.deploymentStage.metricCount(sum),
      },
      label: 'USD a day, without indexes, functions and logs',
      period: Duration.days(1),
    }),
    atLeast: Math.max(expensiveDay, organizations * expensiveForEach),
    feels: 'Nothing; whoever pays for the account will.',
    act: 'Find the operation or organization that has grown.',
  });
  const hourly = { statistic: Stats.SUM, period: Duration.hours(1) };
  const ofIndex = (GlobalSecondaryIndexName: string) => ({
    ...hourly,
    dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName },
    label: `writes, index ${GlobalSecondaryIndexName}`,
  });
  return [
    new GraphWidget({
      title: 'Capacity units an hour',
      left: [
        table.metricConsumedReadCapacityUnits({ ...hourly, label: 'reads' }),
        table.metricConsumedWriteCapacityUnits({ ...hourly, label: 'writes' }),
        ...[...leadIndexKeys.map(({ name }) => name), userIndex.name, changeIndex.name].map(
          (index) => table.metricConsumedWriteCapacityUnits(ofIndex(index)),
        ),
      ],
      stacked: true,
      width: 12,
    }),
    new LogQueryWidget({
      title: 'Functions an hour: invocations, GB-seconds, megabytes logged',
      logGroupNames: logs.map(({ logGroupName }) => logGroupName),
      view: LogQueryVisualizationType.TABLE,
      queryLines: [
        'fields record.metrics.billedDurationMs * record.metrics.memorySizeMB as mb_ms',
        'stats sum(type = "platform.report") as invocations, sum(mb_ms) / 1024000 as gb_seconds, ' +
          'sum(strlen(@message)) / 1048576 as log_mb by bin(1h) as hour',
        'sort hour desc',
      ],
      width: 12,
    }),
  ];
};
