import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ascii } from './ascii.ts';
import { SelfContainedRole } from './role.ts';

/** How long the gateway waits for a function; the function is stopped a second later. */
export const integrationTimeout = Duration.seconds(10);

/** The time limit of each function that sets no other. */
export const requestTimeout = integrationTimeout.plus(Duration.seconds(1));

interface FunctionProps {
  summary: string;
  code: Code;
  environment: Record<string, string>;
  /** The time of a request unless told. */
  timeout?: Duration;
  /** Whether the function sends to the queue that invokes it: Lambda stops such a chain after 16 times unless told not to. */
  invokesItself?: boolean;
  /** Shared with others of its kind. */
  logGroup: LogGroup;
}

// docs/decisions/function-per-operation.md
/** What every function of the service has in common: runtime, bundle, a role of its own, tracing. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: SelfContainedRole;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { summary, code, environment, logGroup, invokesItself, timeout = requestTimeout } = props;
    const functionName = `${Stack.of(this).stackName}-${id}`;
    this.role = new SelfContainedRole(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: ascii(summary),
      code,
      handler: 'function.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      timeout,
      role: this.role,
      environment,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      ...(invokesItself && { recursiveLoop: RecursiveLoop.ALLOW }),
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason:
        'IAM knows no resource of these: X-Ray’s PutTraceSegments, and ListStreams of who reads the table’s stream.',
    });
  }
}
