import { validate } from '@scalar/openapi-validator';
import * as z from 'zod/mini';

// What is known of the OpenAPI document that a REST API is made from. CloudFormation's schemas and cdk-nag see nothing
// of it, and what API Gateway does not know of it, it leaves out with a warning that nobody reads.

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Body = any;

/**
 * Every type of refusal that API Gateway has, and the status that it has unless told:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const refusalTypes: Record<string, number | null> = {
  ACCESS_DENIED: 403,
  API_CONFIGURATION_ERROR: 500,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  BAD_REQUEST_BODY: 400,
  BAD_REQUEST_PARAMETERS: 400,
  DEFAULT_4XX: null,
  DEFAULT_5XX: null,
  EXPIRED_TOKEN: 403,
  INTEGRATION_FAILURE: 504,
  INTEGRATION_TIMEOUT: 504,
  INVALID_API_KEY: 403,
  INVALID_SIGNATURE: 403,
  MISSING_AUTHENTICATION_TOKEN: 403,
  QUOTA_EXCEEDED: 429,
  REQUEST_TOO_LARGE: 413,
  RESOURCE_NOT_FOUND: 404,
  THROTTLED: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED_MEDIA_TYPE: 415,
  WAF_FILTERED: 403,
};

export const integrationName = 'x-amazon-apigateway-integration';
export const refusalsName = 'x-amazon-apigateway-gateway-responses';

/** A text, or what becomes one in AWS. */
const text = z.union([
  z.string(),
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.strictObject({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
]);
const status = z.string().check(z.regex(/^[1-5]\d\d$/));
const texts = z.record(z.string(), z.string());
/** By their media type. */
const templates = z.record(z.string().check(z.regex(/^\w+\/[\w.+-]+$/)), z.string());
const parameters = (name: RegExp, value: RegExp) =>
  z.record(z.string().check(z.regex(name)), z.string().check(z.regex(value)));

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html, for REST APIs. */
const integration = z.strictObject({
  cacheKeyParameters: z.optional(z.array(z.string())),
  cacheNamespace: z.optional(z.string()),
  connectionId: z.optional(text),
  connectionType: z.optional(z.enum(['INTERNET', 'VPC_LINK'])),
  contentHandling: z.optional(z.enum(['CONVERT_TO_TEXT', 'CONVERT_TO_BINARY'])),
  credentials: z.optional(text),
  httpMethod: z.optional(z.string()),
  passthroughBehavior: z.optional(z.enum(['when_no_templates', 'when_no_match', 'never'])),
  requestParameters: z.optional(texts),
  requestTemplates: z.optional(templates),
  responses: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        contentHandling: z.optional(z.string()),
        responseParameters: z.optional(
          parameters(
            /^method\.response\.header\.[\w-]+$/,
            /^('[^']*'|(integration\.response|context)\..+)$/,
          ),
        ),
        responseTemplates: z.optional(templates),
        statusCode: status,
      }),
    ),
  ),
  timeoutInMillis: z.optional(z.int().check(z.gte(50), z.lte(29_000))),
  tlsConfig: z.optional(z.strictObject({ insecureSkipVerification: z.optional(z.boolean()) })),
  type: z.enum(['aws', 'aws_proxy', 'http', 'http_proxy', 'mock']),
  uri: z.optional(text),
});

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html */
const refusal = z.strictObject({
  responseParameters: z.optional(
    parameters(
      /^gatewayresponse\.header\.[\w-]+$/,
      /^('[^']*'|context\.\w+|method\.request\.(path|querystring|header)\.[\w-]+)$/,
    ),
  ),
  responseTemplates: z.optional(templates),
  statusCode: z.optional(status),
});
const refusals = z.partialRecord(z.enum(Object.keys(refusalTypes)), refusal);

const problemsBy = (schema: z.core.$ZodType, where: string, value: unknown): string[] =>
  (z.safeParse(schema, value).error?.issues ?? []).map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    return `${[where, ...issue.path].join(' ')}: ${[issue.code, ...keys].join(' ')}`;
  });

/** Extensions where API Gateway looks for none, or that have no schema here. */
const strayExtensions = (at: string, value: unknown, known: readonly string[]): string[] =>
  Object.keys(value as object)
    .filter((name) => name.startsWith('x-') && !known.includes(name))
    .map((name) => `${at} has ${name}`);

interface Operation {
  where: string;
  operation: Body;
}

const operationsOf = (body: Body): Operation[] =>
  Object.entries<Body>(body.paths ?? {}).flatMap(([path, item]) =>
    Object.entries<Body>(item).map(([method, operation]) => ({
      where: `${method} ${path}`,
      operation,
    })),
  );

/** What API Gateway refuses to import: a mapping to a response, or to a header of it, that the method does not have. */
const strayMappings = ({ where, operation }: Operation): string[] =>
  Object.values<Body>(operation[integrationName]?.responses ?? {}).flatMap(
    ({ statusCode, responseParameters = {} }) => {
      const response = operation.responses?.[statusCode];
      if (!response) return [`${where} maps to ${statusCode}, which it does not answer`];
      return Object.keys(responseParameters)
        .map((name) => name.replace('method.response.header.', ''))
        .filter((name) => !(name in (response.headers ?? {})))
        .map((name) => `${where} maps to ${name}, which ${statusCode} does not have`);
    },
  );

/** A Lambda proxy integration invokes by POST, and here by a role: nothing else permits the API to invoke. */
const wrongProxy = ({ where, operation }: Operation): string[] => {
  const { type, httpMethod, uri, credentials } = operation[integrationName] ?? {};
  if (type !== 'aws_proxy') return [];
  const address = JSON.stringify(uri)?.replace(/"|\[|\]|\{|\}/g, '');
  const invokes = /:lambda:path\/2015-03-31\/functions\/,Fn::GetAtt:\w+,Arn,\/invocations$/;
  return [
    ...(httpMethod === 'POST' ? [] : [`${where} invokes by ${httpMethod}`]),
    ...(credentials === undefined ? [`${where} invokes by no role`] : []),
    ...(invokes.test(address ?? '') ? [] : [`${where} invokes ${address}`]),
  ];
};

/** API Gateway takes one name for what varies at a place: not `/leads/{a}` and `/leads/{b}/notes`. */
const otherNames = (body: Body): string[] => {
  const names = new Map<string, string>();
  const problems = new Set<string>();
  for (const path of Object.keys(body.paths ?? {})) {
    const parts = path.split('/');
    parts.forEach((part, i) => {
      const before = parts.slice(0, i).join('/');
      if (!part.startsWith('{')) return;
      const first = names.get(before) ?? part;
      names.set(before, first);
      if (first !== part) problems.add(`${before}/${part} is ${first} elsewhere`);
    });
  }
  return [...problems];
};

const repeatedIds = (operations: readonly Operation[]): string[] => {
  const ids = operations.flatMap(({ operation }) => operation.operationId ?? []);
  return ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${id} is the id of two`);
};

/** What is sent as JSON has to be JSON, with what API Gateway puts in. */
const brokenTemplates = (body: Body): string[] =>
  Object.entries<Body>(body[refusalsName] ?? {}).flatMap(([type, { responseTemplates }]) => {
    const template = responseTemplates?.['application/json'];
    try {
      if (template !== undefined) JSON.parse(template);
      return [];
    } catch {
      return [`${type} is not JSON`];
    }
  });

/** What is wrong with the body of a REST API, so far as it can be known without AWS. */
export const wrongInBody = (body: Body): string[] => {
  const operations = operationsOf(body);
  return [
    ...(/^3\.0\.\d$/.test(body.openapi) ? [] : [`OpenAPI ${body.openapi}`]),
    ...(validate(body, { checkPathParameters: true }).errors ?? []).map(
      ({ path, message }) => `${String(path)}: ${message}`,
    ),
    ...strayExtensions('the body', body, [refusalsName]),
    ...problemsBy(refusals, 'refusals', body[refusalsName]),
    ...operations.flatMap(({ where, operation }) => [
      ...strayExtensions(where, operation, [integrationName]),
      ...problemsBy(integration, where, operation[integrationName]),
    ]),
    ...operations.flatMap(strayMappings),
    ...operations.flatMap(wrongProxy),
    ...otherNames(body),
    ...repeatedIds(operations),
    ...brokenTemplates(body),
  ];
};
