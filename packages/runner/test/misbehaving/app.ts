import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { CfnMethod } from 'aws-cdk-lib/aws-apigateway';
import { Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Api } from '../../../../infra/api.ts';
import { Bundles } from '../../../../infra/bundle.ts';
import { createTable } from '../../../../infra/table.ts';
import type { AnyOperation } from '../../../../lib/operations/operation.ts';

// The service's own API and table, in front of functions that no service should have.
const app = new App();
const stack = new Stack(app, 'Misbehaving');
const api = new Api(stack, 'Api', { corsOrigins: [], requestsPerSecond: 10 });
const { name: tableName } = createTable(stack);
const file = join(import.meta.dirname, 'functions.ts');
const code = new Bundles([file]).of(file);

interface Misfit {
  handler: 'echo' | 'behave' | 'meet' | 'logs' | 'missing';
  path: string;
  /** Seconds. */
  timeout: number;
  environment?: Record<string, string>;
  /** How long the gateway waits, in milliseconds, if not as long as the service's. */
  integrationTimeout?: number;
}

const add = (id: string, misfit: Misfit) => {
  const lambda = new LambdaFunction(stack, id, {
    functionName: `Misbehaving-${id}`,
    code,
    handler: `index.${misfit.handler}`,
    runtime: Runtime.NODEJS_24_X,
    memorySize: 512,
    timeout: Duration.seconds(misfit.timeout),
    environment: misfit.environment ?? {},
  });
  api.addRoute({ id, method: 'POST', path: misfit.path } as AnyOperation, lambda);
  if (misfit.integrationTimeout === undefined) return;
  for (const method of stack.node.findAll()) {
    if (!(method instanceof CfnMethod) || method.operationName !== id) continue;
    method.addPropertyOverride('Integration.TimeoutInMillis', misfit.integrationTimeout);
  }
};

add('Echo', {
  handler: 'echo',
  path: '/echo/{first}/to/{second}',
  timeout: 10,
  environment: { TABLE_NAME: tableName, OF_ECHO: 'only' },
});
add('Behave', { handler: 'behave', path: '/behave', timeout: 1 });
add('Patient', { handler: 'behave', path: '/patient', timeout: 9 });
add('Slow', { handler: 'behave', path: '/slow', timeout: 6, integrationTimeout: 3000 });
add('Meet', { handler: 'meet', path: '/meet', timeout: 9, environment: { OF_MEET: 'only' } });
add('Logs', { handler: 'logs', path: '/logs', timeout: 9 });
add('Unexported', { handler: 'missing', path: '/unexported', timeout: 1 });
add('Broken', {
  handler: 'behave',
  path: '/broken',
  timeout: 1,
  environment: { FAILS_AT: 'load' },
});
app.synth();
