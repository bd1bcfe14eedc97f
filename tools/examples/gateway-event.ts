import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ExampleRequest } from '../../functions/example.ts';
import { needsOrganization, type Routed } from '../../lib/operations/definition.ts';
import { isPlatformPermission } from '../../lib/operations/permissions.ts';
import { pathOf } from './request.ts';

/** Who sends an example, and where. */
export interface Sender {
  organizationId: string;
  token: string;
  /** A platform key, for what only the company's own backend may do. */
  platformKey: string;
}

/** The headers of an example's request, with an `Idempotency-Key` where the operation takes one. */
export const headersOf = (
  operation: Routed,
  { headers = {}, body }: ExampleRequest,
  { organizationId, token, platformKey }: Sender,
): Record<string, string> => ({
  authorization: `Bearer ${isPlatformPermission(operation.permission) ? platformKey : token}`,
  ...(needsOrganization(operation) && {
    'x-organization-id': organizationId,
  }),
  accept: 'application/json',
  ...(operation.idempotent && { 'idempotency-key': randomUUID() }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...headers,
});

/** An example as API Gateway hands it to the operation's function. */
export const gatewayEvent = (
  operation: Routed,
  request: ExampleRequest,
  sender: Sender,
): APIGatewayProxyEvent => {
  const { method, path: template } = operation;
  const headers = asWritten(headersOf(operation, request, sender));
  const query = Object.entries(request.query ?? {}).map(([name, values]) => [
    name,
    [values].flat(),
  ]);
  const [path = ''] = pathOf(operation, request).split('?');
  return {
    resource: template,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: inLists(headers),
    queryStringParameters:
      query.length > 0 ? Object.fromEntries(query.map(([name, all]) => [name, all!.at(-1)])) : null,
    multiValueQueryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    pathParameters: request.path ?? null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      httpMethod: method,
      identity: { sourceIp: '127.0.0.1', userAgent: 'sample' } as never,
      path: `/v1${path}`,
      protocol: 'HTTP/1.1',
      requestId: randomUUID(),
      requestTimeEpoch: 1_795_228_800_000,
      resourceId: operation.id,
      resourcePath: template,
      stage: 'v1',
    },
    body: request.body === undefined ? null : JSON.stringify(request.body),
    isBase64Encoded: false,
  };
};

const inLists = (headers: Record<string, string>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

/** API Gateway hands headers over as the client spelled them: here, as most do. */
const asWritten = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      value,
    ]),
  );
