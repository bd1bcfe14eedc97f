import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ascii } from './ascii.ts';

/** How long the gateway waits for a function; the function is stopped a second later. */
export const integrationTimeout = Duration.seconds(10);

const requestTimeout = integrationTimeout.plus(Duration.seconds(1));

interface FunctionProps {
  summary: string;
  code: Code;
  environment: Record<string, string>;
  /** As long as a request has, unless told. */
  timeout?: Duration;
}

/** What every function of the service has in common: runtime, bundle, role, logs, tracing. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { summary, code, environment, timeout = requestTimeout }: FunctionProps,
  ) {
    super(scope, id);
    const functionName = `${Stack.of(this).stackName}-${id}`;
    this.logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    this.role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.logGroup.logGroupArn],
      }),
    );
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      description: ascii(summary),
      code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      timeout,
      role: this.role,
      environment,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources to name: PutTraceSegments is granted on * or not at all.',
    });
  }
}
