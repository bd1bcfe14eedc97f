import { Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * How many log lines match a pattern, in all of the groups. This is a metric of the stack's own, for what AWS does
 * not count itself. It exists, and costs, from the first match on.
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
