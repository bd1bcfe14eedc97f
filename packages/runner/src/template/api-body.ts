import {
  type GatewayResponse,
  type Preflight,
  readGatewayResponse,
  readPreflight,
} from './api-responses.ts';
import type { TemplateResource } from './intrinsics.ts';
import { refuseUnknown } from './unknown-properties.ts';

/** What the OpenAPI document of an API says. */
export interface ApiBody {
  routes: Route[];
  preflights: Preflight[];
  /** What the gateway itself answers, by its name for the reason. */
  gatewayResponses: Map<string, GatewayResponse>;
}

export interface Route {
  method: string;
  /** As in the body: `/things/{id}`. */
  path: string;
  functionLogicalId: string;
  timeoutMilliseconds: number;
}

type Properties = TemplateResource['Properties'];

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'];

/** Reads an OpenAPI 3.0 document with API Gateway's extensions, and refuses what the runner does not know of it. */
export const readApiBody = (body: Properties): ApiBody => {
  const {
    openapi,
    info: _info,
    paths,
    'x-amazon-apigateway-gateway-responses': responses = {},
    ...more
  } = body;
  refuseUnknown('the API’s body', more);
  if (!/^3\.0\./.test(openapi)) throw new Error(`the runner does not know OpenAPI ${openapi}`);
  const operations = Object.entries<Properties>(paths).flatMap(([path, item]) =>
    Object.entries<Properties>(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const read = operations.map(readOperation);
  return {
    routes: read.flatMap(({ route }) => route ?? []),
    preflights: read.flatMap(({ preflight }) => preflight ?? []),
    gatewayResponses: new Map(
      Object.entries<Properties>(responses).map(([type, one]) => [
        type,
        readGatewayResponse(type, one),
      ]),
    ),
  };
};

interface Operation {
  path: string;
  method: string;
  operation: Properties;
}

const readOperation = ({
  path,
  method,
  operation,
}: Operation): { route?: Route; preflight?: Preflight } => {
  const where = `${method} ${path}`;
  if (!methods.includes(method)) throw new Error(`the runner does not know the method ${where}`);
  const {
    operationId: _id,
    parameters = [],
    responses: _responses,
    'x-amazon-apigateway-integration': integration,
    ...more
  } = operation;
  refuseUnknown(where, more);
  if (parameters.some((one: Properties) => one.in !== 'path')) {
    throw new Error(`the runner knows parameters of the path only, and ${where} has others`);
  }
  if (integration?.type === 'aws_proxy') {
    return { route: { method: method.toUpperCase(), path, ...readProxy(where, integration) } };
  }
  if (integration?.type === 'mock' && method === 'options') {
    return { preflight: { path, ...readPreflight(where, integration) } };
  }
  throw new Error(`the runner does not know the integration of ${where}`);
};

/** A Lambda proxy integration. The runner does not play the role that invokes. */
const readProxy = (where: string, integration: Properties) => {
  const {
    type: _type,
    httpMethod,
    uri,
    credentials: _role,
    timeoutInMillis,
    ...more
  } = integration;
  refuseUnknown(`the integration of ${where}`, more);
  if (httpMethod !== 'POST') throw new Error(`${where} does not invoke its function by POST`);
  return {
    functionLogicalId: integratedFunction(where, uri),
    timeoutMilliseconds: timeoutInMillis ?? 29_000,
  };
};

/** The function in `…:lambda:path/…/functions/<arn>/invocations`. */
const integratedFunction = (where: string, uri: { 'Fn::Join'?: [string, unknown[]] }): string => {
  const parts = uri['Fn::Join']?.[1] ?? [];
  const at = parts.findIndex((part) => String(part).endsWith('/functions/')) + 1;
  const target = (parts[at] as { 'Fn::GetAtt'?: [string, string] })?.['Fn::GetAtt'];
  if (at > 0 && target?.[1] === 'Arn' && parts[at + 1] === '/invocations') return target[0];
  throw new Error(
    `the runner knows integrations of the stack’s functions only: ${where} has another`,
  );
};
