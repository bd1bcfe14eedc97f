import { Aws } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Routed } from '../lib/operations/definition.ts';
import { preflight } from './cors.ts';
import { gatewayResponses, otherMethod } from './refusals.ts';
import { integrationTimeout } from './service-function.ts';

/** An operation, and the function that it is served by. */
export interface ApiRoute {
  operation: Routed;
  lambda: IFunction;
}

/** What API Gateway does with the methods that a path does not name. */
const anyMethod = 'x-amazon-apigateway-any-method';

interface BodyOptions {
  title: string;
  version: string;
  routes: readonly ApiRoute[];
  corsOrigins: readonly string[];
  /** The ARN of the role with which the API invokes a route's function. */
  invokerArnOf: (route: ApiRoute) => string;
}

/**
 * The OpenAPI document from which API Gateway makes the API: its routes, CORS preflights and gateway responses. Readers
 * have `docs/openapi.json`. CloudFormation does not check this document, so `test/stack/api-body.test.ts` does.
 */
export const apiBody = ({ title, version, routes, corsOrigins, invokerArnOf }: BodyOptions) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const { operation, lambda } = route;
    const { id, method, path, response } = operation;
    paths[path] ??=
      corsOrigins.length > 0 ? { options: { ...parameters(path), ...preflight(corsOrigins) } } : {};
    paths[path][method.toLowerCase()] = {
      operationId: id,
      ...parameters(path),
      responses: { [response.status]: { description: 'What the function answers.' } },
      'x-amazon-apigateway-integration': {
        type: 'aws_proxy',
        httpMethod: 'POST',
        uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${lambda.functionArn}/invocations`,
        credentials: invokerArnOf(route),
        timeoutInMillis: integrationTimeout.toMilliseconds(),
      },
    };
  }
  for (const [path, item] of Object.entries(paths)) {
    const methods = Object.keys(item).map((method) => method.toUpperCase());
    item[anyMethod] = { ...parameters(path), ...otherMethod(methods.toSorted(), corsOrigins) };
  }
  return {
    openapi: '3.0.1',
    info: { title, version },
    paths,
    'x-amazon-apigateway-gateway-responses': gatewayResponses(corsOrigins),
  };
};

/** Declares the names in braces in a path, as OpenAPI requires. */
const parameters = (path: string): { parameters?: object[] } => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  };
};
