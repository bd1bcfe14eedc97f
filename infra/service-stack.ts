import { CfnOutput, type CfnResource, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { chainGrants } from '../lib/handlers/http/serve.ts';
import { sendsWakes } from '../lib/operations/definition.ts';
import { usualPerSecond } from '../lib/organizations/request-limit.ts';
import { usualGraceMinutes } from '../lib/stripe/grace.ts';
import { RestApi, usualOfStage } from './api.ts';
import type { ApiRoute } from './api-body.ts';
import { Bundles } from './bundle.ts';
import type { Deployment } from './deployment.ts';
import { createDomain } from './domain.ts';
import { EventsIn } from './events-in.ts';
import { EventsOut } from './events-out.ts';
import { FunctionLogs } from './function-logs.ts';
import { createIssuer } from './issuer.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import {
  type FunctionFile,
  isQueueConsumer,
  isRouted,
  isScheduled,
  isServed,
  isWorker,
  takesAdditions,
  takesFeedItems,
} from './operations.ts';
import { isLive } from './options.ts';
import { ServiceFunction } from './service-function.ts';
import { StreamConsumers } from './stream-consumers.ts';
import { createTable, grantTable, hideCallers } from './table.ts';
import { connectLast, takeTurns } from './turns.ts';
import { WakesQueue } from './wakes.ts';

/** The whole service: a table, a function for each operation, the API and the bus in front of them. */
export class ServiceStack extends Stack {
  constructor(
    scope: Construct,
    { stackName, options }: Deployment,
    functionFiles: readonly FunctionFile[],
  ) {
    super(scope, stackName, {
      description: 'Leads (CRM) and stars (prepaid credits) API',
      terminationProtection: true,
    });
    const issuer = createIssuer(this, options);
    const { table, name, identity } = createTable(this, options);
    const { cors_origins: origins = [], requests_per_second: perSecond = usualPerSecond } = options;
    const routes: ApiRoute[] = [];
    const eventsIn = new EventsIn(this, 'EventsIn', options.stripe_event_source);
    const streamConsumers = new StreamConsumers(this, 'StreamConsumers', table);
    const wakes = new WakesQueue(this, 'Wakes');
    // Where the service runs on the machine of who calls it, webhooks may lead to http://localhost.
    const localhost = this.node.tryGetContext('runner:webhooks_to_localhost') === 'true';
    const logs = new FunctionLogs(this, 'Logs');
    const eventsOut = new EventsOut(this, 'EventsOut', table);

    const bundles = new Bundles(functionFiles.map(({ file }) => file));
    for (const functionFile of functionFiles) {
      const { operation } = functionFile;
      const fn = new ServiceFunction(this, operation.id, {
        summary: operation.summary,
        code: bundles.of(functionFile.file),
        ...(isWorker(functionFile) && {
          timeout: Duration.seconds(functionFile.operation.timeoutSeconds),
          invokesItself: true,
        }),
        logGroup: logs.of(operation.kind),
        environment: {
          ...(sendsWakes(operation) && wakes.environment),
          ...(takesAdditions(functionFile) && streamConsumers.environment),
          ...(localhost && { WEBHOOKS_TO_LOCALHOST: 'true' }),
          ...(takesFeedItems(functionFile)
            ? eventsOut.environment
            : { TABLE_NAME: name, ...(identity && { TABLE_IDENTITY: identity }) }),
          ...(isQueueConsumer(functionFile) &&
            functionFile.operation.partner &&
            options.stripe_event_source && {
              STRIPE_LIVEMODE: String(isLive(options)),
              STRIPE_GRACE_MINUTES: String(options.stripe_grace_minutes ?? usualGraceMinutes),
            }),
          ...(isScheduled(functionFile) &&
            functionFile.operation.needs === 'issuer' && { JWKS_URI: issuer.jwksUri }),
          ...(isServed(functionFile) && {
            ISSUER: issuer.issuer,
            AUDIENCE: issuer.audience,
            JWKS_URI: issuer.jwksUri,
            REQUESTS_PER_SECOND: String(perSecond),
            ...(origins.length > 0 && { CORS_ORIGINS: origins.join(',') }),
          }),
        },
      });
      const ofChain = isRouted(functionFile) ? chainGrants(functionFile.operation) : [];
      grantTable(table, fn.role, [...ofChain, ...operation.table]);
      if (isServed(functionFile)) {
        routes.push({ operation: functionFile.operation, lambda: fn.lambda });
      } else {
        hideCallers(table, fn.role);
      }
      if (isQueueConsumer(functionFile)) eventsIn.addConsumer(functionFile.operation, fn.lambda);
      if (sendsWakes(operation)) wakes.allowSending(fn);
      if (isWorker(functionFile)) wakes.addWorker(functionFile.operation, fn);
      if (isScheduled(functionFile)) wakes.addScheduled(functionFile.operation, fn);
      if (takesAdditions(functionFile)) streamConsumers.addConsumer(functionFile.operation, fn);
      if (takesFeedItems(functionFile)) eventsOut.addPublisher(functionFile.operation, fn);
    }
    const api = new RestApi(this, 'Api', {
      routes,
      corsOrigins: origins,
      requestsPerSecond: options.stage_requests_per_second ?? usualOfStage,
    });
    const ownBaseUrl = createDomain(this, options, api.rest);
    new Monitoring(this, 'Monitoring', {
      listeners: { email: options.alarm_email, noticeEmail: options.notice_email },
      organizations: options.organizations,
      api,
      table,
      logs,
      eventsIn,
      streamConsumers,
      wakes,
      eventsOut,
    });

    new CfnOutput(this, 'BaseUrl', { value: ownBaseUrl ?? api.baseUrl });
    new CfnOutput(this, 'TableName', { value: name });
    if (identity) new CfnOutput(this, 'TableIdentity', { value: identity });
    new CfnOutput(this, 'Issuer', { value: issuer.issuer });
    new CfnOutput(this, 'Audience', { value: issuer.audience });
    new CfnOutput(this, 'JwksUri', { value: issuer.jwksUri });

    connectLast(this, api.rest.deploymentStage.node.defaultChild as CfnResource);
    takeTurns(this);
  }
}
