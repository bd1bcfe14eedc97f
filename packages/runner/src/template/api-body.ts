import type { TemplateResource } from './intrinsics.ts';

/** What the OpenAPI document of an API says. */
export interface ApiBody {
  routes: Route[];
  preflights: Preflight[];
  /** The answers of a path to all methods that it does not name. */
  otherMethods: OtherMethods[];
  /** The answers of the gateway itself, by its name for the reason. */
  gatewayResponses: Map<string, GatewayResponse>;
}

export interface Route {
  method: string;
  /** The path as the body has it: `/things/{id}`. */
  path: string;
  functionLogicalId: string;
  timeoutMilliseconds: number;
}

/** The answer to OPTIONS on a path. API Gateway gives it without calling a function (a mock integration). */
export interface Preflight {
  path: string;
  statusCode: number;
  headers: Record<string, string>;
  /** Other allowed origins: the answer to one of them names it, in place of the origin in `headers`. */
  moreOrigins: string[];
}

/** Given without calling a function, as a preflight. */
export interface OtherMethods {
  path: string;
  response: GatewayResponse;
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  template: string;
}

type Properties = TemplateResource['Properties'];

const anyMethod = 'x-amazon-apigateway-any-method';

/**
 * Reads an OpenAPI document with API Gateway's extensions: mocks that answer OPTIONS and methods that a path does not have, and
 * Lambda proxy integrations of the stack's functions. What else it says is not played.
 */
export const readApiBody = (body: Properties): ApiBody => {
  const { paths, 'x-amazon-apigateway-gateway-responses': responses = {} } = body;
  const operations = Object.entries<Properties>(paths).flatMap(([path, item]) =>
    Object.entries<Properties>(item).map(([method, operation]) => ({
      path,
      method,
      integration: operation['x-amazon-apigateway-integration'],
    })),
  );
  return {
    routes: operations
      .filter(({ method }) => method !== 'options' && method !== anyMethod)
      .map(({ path, method, integration }) => ({
        method: method.toUpperCase(),
        path,
        functionLogicalId: integratedFunction(integration.uri),
        timeoutMilliseconds: integration.timeoutInMillis ?? 29_000,
      })),
    preflights: operations
      .filter(({ method }) => method === 'options')
      .map(({ path, integration }) => ({ path, ...readPreflight(integration) })),
    otherMethods: operations
      .filter(({ method }) => method === anyMethod)
      .map(({ path, integration }) => ({
        path,
        response: readResponse(integration.responses.default),
      })),
    gatewayResponses: new Map(
      Object.entries<Properties>(responses).map(([type, one]) => [type, readResponse(one)]),
    ),
  };
};

/** The function in `…:lambda:path/…/functions/<arn>/invocations`. */
const integratedFunction = (uri: { 'Fn::Join': [string, Properties[]] }): string =>
  uri['Fn::Join'][1].find((part) => part['Fn::GetAtt'])?.['Fn::GetAtt'][0];

const readPreflight = ({ responses }: Properties): Omit<Preflight, 'path'> => {
  const { responseTemplates, ...response } = responses.default;
  const { statusCode, headers } = readResponse(response);
  // The template of `infra/cors.ts` for several allowed origins: it answers with the origin of the request.
  const template: string = responseTemplates?.['application/json'] ?? '';
  const origins = template.matchAll(/\$origin == "([^"]+)"/g);
  return { statusCode, headers, moreOrigins: [...origins].map(([, origin]) => origin!) };
};

/** A value in quotes is a fixed text; without, API Gateway puts in what it names. */
const readResponse = (response: Properties): GatewayResponse => ({
  statusCode: Number(response.statusCode),
  headers: Object.fromEntries(
    Object.entries<string>(response.responseParameters).map(([name, value]) => [
      name.replace(/^.*header\./, ''),
      value.replace(/^'|'$/g, ''),
    ]),
  ),
  template: response.responseTemplates?.['application/json'] ?? '',
});
