import { GraphWidget, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { Alarms } from './alarms.ts';

/** Every kind of request that `lib/table/client.ts` makes. */
const operations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_WRITE_ITEMS,
  Operation.UPDATE_ITEM,
];

/** The table: whether it keeps up. */
export const watchTable = (alarms: Alarms, table: ITable): IWidget[] => {
  const throttled = new MathExpression({
    // DynamoDB sends no zeros. Without FILL, the sum is missing where one part is missing, and an alarm on
    // DynamoDB's metrics keeps its state for as long as they are missing.
    expression: operations.map((operation) => `FILL(${operation.toLowerCase()}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(
      operations.map((operation) => [
        operation.toLowerCase(),
        table.metric('ThrottledRequests', {
          dimensionsMap: { TableName: table.tableName, Operation: operation },
          statistic: Stats.SUM,
        }),
      ]),
    ),
    label: 'Throttled requests',
  });
  alarms.add('table-throttled', {
    urgency: 'wakes',
    metric: throttled,
    atLeast: 10,
    periods: 2,
    feels: 'Requests are slow, and some fail with 503: the table refuses what is too much at once.',
    act: 'See whether one partition is hot, and who makes it so.',
  });
  return [
    new GraphWidget({
      title: 'Table: latency by operation (ms, p99 of what DynamoDB measures)',
      left: operations.map((operation) =>
        table.metricSuccessfulRequestLatency({
          dimensionsMap: { TableName: table.tableName, Operation: operation },
          statistic: Stats.p(99),
          label: operation,
        }),
      ),
      width: 12,
    }),
    new GraphWidget({ title: 'Table: requests throttled', left: [throttled], width: 12 }),
  ];
};
