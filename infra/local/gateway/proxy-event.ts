import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FastifyRequest } from 'fastify';
import { account } from '../account.ts';
import type { Route } from '../template/rest-api.ts';

/** The event that a REST API gives to a Lambda proxy integration (payload version 1). */
export const proxyEvent = (
  request: FastifyRequest,
  route: Route,
  stage: string,
  requestId: string,
): APIGatewayProxyEvent => {
  const url = new URL(request.raw.url ?? '/', 'http://localhost');
  const headers = multiValue(pairs(request.raw.rawHeaders));
  const query = multiValue([...url.searchParams]);
  const now = Date.now();
  return {
    resource: route.path,
    path: url.pathname.slice(stage.length + 1),
    httpMethod: request.method,
    headers: lastOfEach(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastOfEach(query)),
    multiValueQueryStringParameters: orNull(query),
    pathParameters: orNull(request.params as Record<string, string>),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: 'local',
      authorizer: null,
      domainName: request.host,
      domainPrefix: 'local',
      extendedRequestId: requestId,
      httpMethod: request.method,
      identity: {
        sourceIp: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
      } as APIGatewayProxyEvent['requestContext']['identity'],
      path: url.pathname,
      protocol: `HTTP/${request.raw.httpVersion}`,
      requestId,
      requestTime: new Date(now).toUTCString(),
      requestTimeEpoch: now,
      resourceId: route.functionLogicalId,
      resourcePath: route.path,
      stage,
    },
    ...body(request.body as Buffer | undefined),
  };
};

/** Text as it is; what is not UTF-8, in base64. */
const body = (bytes: Buffer | undefined) => {
  if (!bytes || bytes.length === 0) return { body: null, isBase64Encoded: false };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { body: text, isBase64Encoded: false };
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
