import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { RestApi } from '../api.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

const slowFromMs = 3000;

/** Watches what callers see: failures, slow responses, and requests refused with 429. */
export const watchApi = (
  alarms: Alarms,
  { rest, accessLogs }: RestApi,
  logs: readonly LogGroup[],
): IWidget[] => {
  const stage = rest.deploymentStage;
  const sum = { statistic: Stats.SUM };
  const requests = stage.metricCount(sum);
  const serverErrors = stage.metricServerError(sum);
  const latency = (statistic: string) => stage.metricLatency({ statistic, label: statistic });
  // How many took this long or longer.
  const slow = stage.metricLatency({ statistic: `TC(${slowFromMs}:)` });

  alarms.add('server-errors', {
    // At least five: at night, one failure in three requests is not an outage.
    metric: new MathExpression({
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      usingMetrics: { errors: serverErrors, requests },
      label: '5xx, % of requests',
    }),
    atLeast: 1,
    feels: 'One request in a hundred or more fails with 500, 503 or 504.',
    act: 'Find the failing operation and its cause in the logs.',
  });
  alarms.add('slow-responses', {
    metric: new MathExpression({
      expression: 'IF(slow >= 5, 100 * slow / requests, 0)',
      usingMetrics: { slow, requests },
      label: 'three seconds and more, % of requests',
    }),
    atLeast: 1,
    periods: 3,
    feels: 'One request in a hundred waits three seconds or more.',
    act: 'See which operation is slow, and whether the table or cold starts make it so.',
  });
  const rateLimited = logCount(alarms, 'RateLimited', [accessLogs], '{ $.status = "429" }');
  alarms.add('rate-limited', {
    metric: rateLimited,
    atLeast: 10,
    feels: 'Callers are turned away with 429 and have to retry.',
    act: 'See which organization it is, and whether it is growth or a loop.',
  });

  return [
    new GraphWidget({
      title: 'Requests, and those refused',
      left: [requests, stage.metricClientError(sum), rateLimited],
      right: [serverErrors],
      width: 12,
    }),
    new GraphWidget({
      title: 'Latency (ms)',
      left: [latency('p50'), latency('p90'), latency('p99')],
      leftAnnotations: [{ value: slowFromMs, label: 'slow' }],
      period: Duration.minutes(5),
      width: 12,
    }),
    new LogQueryWidget({
      title: 'Organizations: requests, and those refused by their limit',
      logGroupNames: logs.map(({ logGroupName }) => logGroupName),
      view: LogQueryVisualizationType.TABLE,
      queryLines: [
        'filter ispresent(message.organization_id)',
        'stats count(*) as requests, sum(message.code = "rate_limited") as refused by message.organization_id',
        'sort refused desc, requests desc',
        'limit 20',
      ],
      width: 24,
    }),
  ];
};
