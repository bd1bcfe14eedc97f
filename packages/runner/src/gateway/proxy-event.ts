import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FastifyRequest } from 'fastify';
import { account } from '../account.ts';
import type { Route } from '../template/api-body.ts';
import { reachesFunction } from './headers.ts';

/**
 * The event that a REST API gives to a Lambda proxy integration (payload version 1): the query decoded, the path and
 * what is in it as it was sent.
 */
export const proxyEvent = (
  request: FastifyRequest,
  route: Route,
  stage: string,
): APIGatewayProxyEvent => {
  const target = request.target!;
  const sent = pairs(request.raw.rawHeaders);
  const headers = multiValue(sent.filter(([name, value]) => reachesFunction(name, value)));
  const query = multiValue(target.query);
  const path = target.path.replace(/^\/[^/]*/, '');
  const now = Date.now();
  return {
    resource: route.path,
    path,
    httpMethod: request.method,
    headers: lastOfEach(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastOfEach(query)),
    multiValueQueryStringParameters: orNull(query),
    pathParameters: orNull(pathParameters(route, path)),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: 'local',
      authorizer: null,
      domainName: request.host,
      domainPrefix: 'local',
      extendedRequestId: request.id,
      httpMethod: request.method,
      identity: {
        sourceIp: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
      } as APIGatewayProxyEvent['requestContext']['identity'],
      path: target.path,
      protocol: `HTTP/${request.raw.httpVersion}`,
      requestId: request.id,
      requestTime: new Date(now).toUTCString(),
      requestTimeEpoch: now,
      resourceId: route.functionLogicalId,
      resourcePath: route.path,
      stage,
    },
    ...body(request.body as Buffer | undefined),
  };
};

const pathParameters = (route: Route, path: string): Record<string, string> => {
  const parts = path.split('/');
  const names = route.path.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  return Object.fromEntries(names.flatMap((name, i) => (name ? [[name, parts[i] ?? '']] : [])));
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text as it is; what is not UTF-8, in base64. */
const body = (bytes: Buffer | undefined) => {
  if (!bytes || bytes.length === 0) return { body: null, isBase64Encoded: false };
  try {
    return { body: utf8.decode(bytes), isBase64Encoded: false };
  } catch {
    return { body: bytes.toString('base64'), isBase64Encoded: true };
  }
};

const pairs = (raw: readonly string[]): [string, string][] => {
  const list: [string, string][] = [];
  for (let i = 0; i < raw.length; i += 2) list.push([raw[i] ?? '', raw[i + 1] ?? '']);
  return list;
};

const multiValue = (list: readonly [string, string][]): Record<string, string[]> => {
  const values = new Map<string, string[]>();
  for (const [name, value] of list) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
};

const lastOfEach = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1) ?? '']));

const orNull = <T extends object>(values: T): T | null =>
  Object.keys(values).length > 0 ? values : null;
