import { CfnResource, type Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup, CfnMetricFilter } from 'aws-cdk-lib/aws-logs';

/**
 * How many of a type CloudFormation works on at once. It begins all that waits for nothing, while Lambda takes 15
 * requests a second that change functions, and CloudWatch three alarms: stacks with 71 functions failed so.
 */
const mostAtOnce: Record<string, number> = {
  [CfnRole.CFN_RESOURCE_TYPE_NAME]: 10,
  [CfnLogGroup.CFN_RESOURCE_TYPE_NAME]: 5,
  [CfnFunction.CFN_RESOURCE_TYPE_NAME]: 10,
  [CfnEventSourceMapping.CFN_RESOURCE_TYPE_NAME]: 2,
  [CfnMetricFilter.CFN_RESOURCE_TYPE_NAME]: 3,
  [CfnAlarm.CFN_RESOURCE_TYPE_NAME]: 3,
};

/**
 * Has CloudFormation make, change and delete resources of a type a few at a time: where ten may be made at once, the
 * eleventh waits for the first, the twelfth for the second. To be called once the stack has all its resources.
 */
export const takeTurns = (stack: Stack): void => {
  for (const [type, most] of Object.entries(mostAtOnce)) {
    const all = resourcesOf(stack, type);
    for (const [i, one] of all.slice(most).entries()) one.addResourceDependency(all[i]!);
  }
};

/** Connects functions to streams and queues last: IAM takes a while until a new role may read these. */
export const connectLast = (stack: Stack, last: CfnResource): void => {
  for (const mapping of resourcesOf(stack, CfnEventSourceMapping.CFN_RESOURCE_TYPE_NAME)) {
    mapping.addResourceDependency(last);
  }
};

const resourcesOf = (stack: Stack, type: string): CfnResource[] =>
  stack.node
    .findAll()
    .filter((one) => one instanceof CfnResource)
    .filter(({ cfnResourceType }) => cfnResourceType === type);
