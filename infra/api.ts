import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AwsIntegration,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { exposedHeaders } from '../lib/handlers/http/cors.ts';
import { securityHeaders } from '../lib/handlers/http/security-headers.ts';
import { type ErrorCode, errorKinds } from '../lib/operations/errors.ts';
import type { RoutedOperation } from '../lib/operations/operation.ts';
import { burstSeconds } from '../lib/organizations/request-limit.ts';
import { preflight } from './cors.ts';
import { SelfContainedRole } from './role.ts';
import { integrationTimeout } from './service-function.ts';

const stageName = 'v1';

/**
 * What the gateway itself refuses, in the service's own envelope. Types that are missing here answer as the
 * default of their kind. These are the types of authorizers and API keys, which no route has, and every failure
 * of a function. A function that failed may have written something, so the message must not call a repeat safe.
 */
const refusals: readonly [ResponseType, ErrorCode][] = [
  [ResponseType.DEFAULT_4XX, 'invalid_request'],
  [ResponseType.DEFAULT_5XX, 'internal'],
  // A REST API takes a request to an unknown route for one that AWS credentials should have signed.
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  [ResponseType.INVALID_SIGNATURE, 'not_found'],
  [ResponseType.EXPIRED_TOKEN, 'not_found'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.ACCESS_DENIED, 'forbidden'],
  [ResponseType.WAF_FILTERED, 'forbidden'],
  [ResponseType.REQUEST_TOO_LARGE, 'payload_too_large'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.THROTTLED, 'rate_limited'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
];

/** The stage's limit is that of so many organizations together, so that one alone can't use it up. */
const organizationsAtOnce = 100;

interface ApiProps {
  corsOrigins: string[];
  /** Of each organization. */
  requestsPerSecond: number;
}

/** The REST API, stage `v1`: routes to functions, and one envelope for whatever is refused. */
export class Api extends Construct {
  readonly accessLogs: LogGroup;
  readonly #api: RestApi;
  readonly #corsOrigins: string[];
  readonly #invoker: SelfContainedRole;
  readonly #invocation = new PolicyStatement({ actions: ['lambda:InvokeFunction'] });

  constructor(scope: Construct, id: string, { corsOrigins, requestsPerSecond }: ApiProps) {
    super(scope, id);
    this.#corsOrigins = corsOrigins;
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#api = new RestApi(this, 'Rest', {
      restApiName: Stack.of(this).stackName,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: true,
      ...(corsOrigins.length > 0 && { defaultCorsPreflightOptions: preflight(corsOrigins) }),
      deployOptions: {
        stageName,
        // A trace of the stage would have each request's whole address, with the contacts that are looked for in it.
        tracingEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        throttlingRateLimit: organizationsAtOnce * requestsPerSecond,
        throttlingBurstLimit: organizationsAtOnce * requestsPerSecond * burstSeconds,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
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
    this.accessLogs = accessLogs;
    this.#invoker = new SelfContainedRole(this, 'Invoker', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    this.#invoker.addToPrincipalPolicy(this.#invocation);
    this.#keepExecutionLogs();
    for (const [type, code] of refusals) this.#refuse(type, code);
    this.#acknowledge();
  }

  /** Metrics and the domain need it. */
  get rest(): RestApi {
    return this.#api;
  }

  /** Ends in `/v1`, without a slash. */
  get baseUrl(): string {
    return this.#api.urlForPath('/').replace(/\/$/, '');
  }

  /**
   * The API invokes its functions by one role. The CDK's own integration gives each function a permission for each
   * of its methods: that is one more resource for each route.
   */
  addRoute({ id, method, path }: RoutedOperation, lambda: IFunction): void {
    this.#invocation.addResources(lambda.functionArn);
    const integration = new AwsIntegration({
      service: 'lambda',
      proxy: true,
      path: `2015-03-31/functions/${lambda.functionArn}/invocations`,
      options: { credentialsRole: this.#invoker, timeout: integrationTimeout },
    });
    this.#api.root.resourceForPath(path).addMethod(method, integration, { operationName: id });
  }

  /** The group that API Gateway writes errors to. Without ours, it makes one itself and keeps it for ever. */
  #keepExecutionLogs(): void {
    const logs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.#api.restApiId}/${stageName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#api.deploymentStage.node.addDependency(logs);
  }

  #refuse(type: ResponseType, code: ErrorCode): void {
    const { status, message, retryAfter } = { retryAfter: undefined, ...errorKinds[code] };
    // API Gateway puts the id in after JSON.stringify. An id has nothing to escape.
    const error = { code, message, request_id: '$context.requestId' };
    this.#api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        'X-Request-Id': 'context.requestId',
        'Cache-Control': "'no-store'",
        ...Object.fromEntries(Object.entries(securityHeaders).map(([k, v]) => [k, `'${v}'`])),
        ...(retryAfter && { 'Retry-After': `'${retryAfter}'` }),
        // These can't depend on the origin. Everyone may read what they hold.
        ...(this.#corsOrigins.length > 0 && {
          'Access-Control-Allow-Origin': "'*'",
          'Access-Control-Expose-Headers': `'${exposedHeaders.join(',')}'`,
        }),
      },
      templates: { 'application/json': JSON.stringify({ error }) },
    });
  }

  #acknowledge(): void {
    Validations.of(this.#api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'Each function validates its request and names what is wrong with it.',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason: 'A web ACL costs while idle; the stage throttles, and one can be attached.',
      },
      {
        id: 'AwsSolutions-APIG4',
        reason: 'Each function verifies the token itself: any OIDC issuer, one error envelope.',
      },
      { id: 'AwsSolutions-COG4', reason: 'As APIG4: the issuer need not be Cognito.' },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The account-wide role by which API Gateway writes logs; AWS keeps its policy.',
      },
    );
  }
}
