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

/** The log lines of mistakes of ours, each of a request. */
export const internalLines = '{ $.message.code = "internal" }';
/** The lines of API Gateway’s access log for requests without a good token or key. */
export const unauthenticatedLines = '{ $.status = "401" }';

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
    urgency: 'wakes',
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
    urgency: 'tells',
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
  alarms.add('server-errors', {
    urgency: 'wakes',
    of: 'internal',
    metric: logCount(alarms, 'InternalErrors', logs, internalLines),
    atLeast: 10,
    feels: 'Requests fail with 500: maybe all of one organization, whatever the others do.',
    act: 'See whose they are, and the cause in the log: it is a mistake of ours.',
  });
  const unauthenticated = logCount(alarms, 'Unauthenticated', [accessLogs], unauthenticatedLines);
  alarms.add('logins-refused', {
    urgency: 'wakes',
    metric: new MathExpression({
      expression: 'IF(requests >= 20 AND unauthenticated >= 0.9 * requests, 1, 0)',
      usingMetrics: { requests, unauthenticated },
      label: 'Nearly all get 401',
    }),
    atLeast: 1,
    feels: 'Nobody can log in: nine requests of ten and more get 401.',
    act: 'See whether the issuer has other keys or another address than the service knows.',
  });
  alarms.add('no-requests', {
    urgency: 'wakes',
    metric: new MathExpression({
      expression: 'IF(FILL(requests, 0) < 1 AND DIFF(FILL(requests, 0)) <= -100, 1, 0)',
      usingMetrics: { requests },
      label: 'None, after a hundred and more',
      period: Duration.minutes(15),
    }),
    atLeast: 1,
    // The fall is one period. It is heard for an hour, so that it does not seem to be over at once.
    staysFor: 3,
    feels: 'Nothing reaches the service any more.',
    act: 'Send a request by its address, and see where it ends: the name, API Gateway, or your own side.',
  });
  const rateLimited = logCount(alarms, 'RateLimited', [accessLogs], '{ $.status = "429" }');
  alarms.add('rate-limited', {
    urgency: 'tells',
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
