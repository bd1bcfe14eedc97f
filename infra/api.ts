import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type ApiRoute, apiBody } from './api-body.ts';
import { SelfContainedRole } from './role.ts';

const stageName = 'v1';

/**
 * Requests a second that a new account may get in each region:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
export const usualOfStage = 2500;
/** The share of a second's requests that may come at once. AWS's own quotas have the same share. */
const burstShare = 0.5;

interface ApiProps {
  routes: readonly ApiRoute[];
  corsOrigins: readonly string[];
  /** Requests a second of each method. */
  requestsPerSecond: number;
}

// docs/decisions/function-per-operation.md
/** The REST API, stage `v1`: routes to functions, and one envelope for whatever is refused. */
export class RestApi extends Construct {
  readonly accessLogs: LogGroup;
  /** Metrics and the domain need it. */
  readonly rest: SpecRestApi;

  constructor(scope: Construct, id: string, { routes, corsOrigins, requestsPerSecond }: ApiProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.rest = new SpecRestApi(this, 'Rest', {
      restApiName: stackName,
      apiDefinition: ApiDefinition.fromInline(
        apiBody({
          title: stackName,
          version: stageName,
          routes,
          corsOrigins,
          invokerArnOf: this.#createInvokers(routes),
        }),
      ),
      // Any other mode leaves a route that the body no longer has.
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // An import makes another type, whatever the property says, unless it is told here, too.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      cloudWatchRole: true,
      deployOptions: {
        stageName,
        // A trace of the stage would have each request's whole address, with the contacts that are looked for in it.
        tracingEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        throttlingRateLimit: requestsPerSecond,
        throttlingBurstLimit: Math.floor(requestsPerSecond * burstShare),
        accessLogDestination: new LogGroupLogDestination(this.accessLogs),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields({
          caller: false,
          httpMethod: true,
          ip: true,
          protocol: true,
          requestTime: true,
          resourcePath: true,
          responseLength: true,
          status: true,
          user: false,
        }),
      },
    });
    this.#keepExecutionLogs();
    this.#acknowledge();
  }

  /** The API's address, which ends in `/v1` without a slash. */
  get baseUrl(): string {
    return this.rest.urlForPath('/').replace(/\/$/, '');
  }

  /**
   * The roles by which the API invokes its functions: those of billing, and all others, as a role's policies have 10,240
   * characters at most. With permissions in their place, each route would take one more resource.
   */
  #createInvokers(routes: readonly ApiRoute[]): (route: ApiRoute) => string {
    const isBilling = ({ operation: { path } }: ApiRoute) => path.startsWith('/billing/');
    const ofBilling = routes.filter(isBilling);
    const others = this.#createInvoker(
      'Invoker',
      routes.filter((route) => !isBilling(route)),
    );
    const billing =
      ofBilling.length > 0 ? this.#createInvoker('BillingInvoker', ofBilling) : others;
    return (route) => (isBilling(route) ? billing : others).roleArn;
  }

  #createInvoker(id: string, routes: readonly ApiRoute[]): SelfContainedRole {
    const invoker = new SelfContainedRole(this, id, {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    const resources = routes.map(({ lambda }) => lambda.functionArn);
    invoker.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }),
    );
    return invoker;
  }

  /** The group that API Gateway writes errors to. Without ours, it makes a group itself and keeps it for ever. */
  #keepExecutionLogs(): void {
    const logs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.rest.restApiId}/${stageName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.rest.deploymentStage.node.addDependency(logs);
  }

  #acknowledge(): void {
    Validations.of(this.rest).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Each function validates its request and names what is wrong with it.',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason: 'A web ACL costs while idle; the stage throttles, and one can be attached.',
      },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The account-wide role by which API Gateway writes logs; AWS keeps its policy.',
      },
    );
  }
}
