import { Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * A metric of how many log lines match a pattern, in all of these log groups: for what AWS has no metric of. CloudWatch
 * makes the metric at the first match, and it costs money from then on.
 */
export const logCount = (
  scope: Construct,
  metricName: string,
  groups: readonly ILogGroup[],
  pattern: string,
): Metric => {
  const metricNamespace = Stack.of(scope).stackName;
  groups.forEach((logGroup, i) => {
    new MetricFilter(scope, `${metricName}${i}`, {
      logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace,
      metricName,
    });
  });
  return new Metric({ namespace: metricNamespace, metricName, statistic: Stats.SUM });
};
