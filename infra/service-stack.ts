import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { chainGrants } from '../lib/handlers/http/serve.ts';
import { sendsWakes } from '../lib/operations/definition.ts';
import { issuerPrefix, requestCounters } from '../lib/table/keys.ts';
import { Api } from './api.ts';
import type { Route } from './api-body.ts';
import { Bundles } from './bundle.ts';
import { corsOrigins } from './cors.ts';
import type { Deployment } from './deployment.ts';
import { createDomain } from './domain.ts';
import { EventsIn } from './events-in.ts';
import { EventsOut } from './events-out.ts';
import { FunctionLogs } from './function-logs.ts';
import { createIssuer } from './issuer.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import {
  type FunctionSource,
  isQueueConsumer,
  isRouted,
  isScheduled,
  isWorker,
  takesAdditions,
  takesFeedItems,
} from './operations.ts';
import { requestsPerSecond } from './requests-per-second.ts';
import { ServiceFunction } from './service-function.ts';
import { StreamConsumers } from './stream-consumers.ts';
import { createTable, grantTable, protectIssuerKeys } from './table.ts';
import { Wakes } from './wakes.ts';

/** The whole service: a table, a function for each operation, the API and the bus in front of them. */
export class ServiceStack extends Stack {
  constructor(
    scope: Construct,
    { stackName, options }: Deployment,
    sources: readonly FunctionSource[],
  ) {
    super(scope, stackName, {
      description: 'Leads (CRM) and stars (prepaid credits) API',
      terminationProtection: true,
    });
    const issuer = createIssuer(this, options);
    const { table, name, identity } = createTable(this, options);
    const origins = corsOrigins(options);
    const perSecond = requestsPerSecond(options);
    const routes: Route[] = [];
    const eventsIn = new EventsIn(this, 'EventsIn');
    const streamConsumers = new StreamConsumers(this, 'StreamConsumers', table);
    const wakes = new Wakes(this, 'Wakes');
    // Where the service runs on the machine of who calls it, webhooks may lead to http://localhost.
    const localhost = this.node.tryGetContext('runner:webhooks_to_localhost') === 'true';
    const logs = new FunctionLogs(this, 'Logs');
    const eventsOut = new EventsOut(this, 'EventsOut', table);

    const bundles = new Bundles(sources.map(({ file }) => file));
    for (const source of sources) {
      const { operation } = source;
      const fn = new ServiceFunction(this, operation.id, {
        summary: operation.summary,
        code: bundles.of(source.file),
        ...(isWorker(source) && {
          timeout: Duration.seconds(source.operation.seconds),
          invokesItself: true,
        }),
        logGroup: logs.of(operation.kind),
        environment: {
          ...(sendsWakes(operation) && wakes.environment),
          ...(localhost && { WEBHOOKS_TO_LOCALHOST: 'true' }),
          ...(takesFeedItems(source)
            ? eventsOut.environment
            : { TABLE_NAME: name, ...(identity && { TABLE_IDENTITY: identity }) }),
          ...(isScheduled(source) && source.operation.asksIssuer && { JWKS_URI: issuer.jwksUri }),
          ...(isRouted(source) && {
            ISSUER: issuer.issuer,
            AUDIENCE: issuer.audience,
            JWKS_URI: issuer.jwksUri,
            REQUESTS_PER_SECOND: String(perSecond),
            ...(origins.length > 0 && { CORS_ORIGINS: origins.join(',') }),
          }),
        },
      });
      const ofChain = isRouted(source) ? chainGrants(source.operation) : [];
      const renewsKeys = isScheduled(source) && source.operation.asksIssuer;
      grantTable(table, fn.role, [...ofChain, ...operation.table], renewsKeys ? issuerPrefix : '');
      if (!renewsKeys) protectIssuerKeys(table, fn.role, { readable: isRouted(source) });
      if (isRouted(source)) {
        if (source.operation.scope !== 'user') {
          grantTable(table, fn.role, ['UpdateItem'], requestCounters);
        }
        routes.push({ operation: source.operation, lambda: fn.lambda });
      }
      if (isQueueConsumer(source)) eventsIn.addConsumer(source.operation, fn.lambda);
      if (sendsWakes(operation)) wakes.allowSending(fn);
      if (isWorker(source)) wakes.addWorker(source.operation, fn);
      if (isScheduled(source)) wakes.addScheduled(source.operation, fn);
      if (takesAdditions(source)) streamConsumers.addConsumer(source.operation, fn);
      if (takesFeedItems(source)) eventsOut.addPublisher(source.operation, fn);
    }
    const api = new Api(this, 'Api', {
      routes,
      corsOrigins: origins,
      requestsPerSecond: perSecond,
    });
    const ownBaseUrl = createDomain(this, options, api.rest);
    new Monitoring(this, 'Monitoring', {
      email: options.alarm_email,
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
  }
}
