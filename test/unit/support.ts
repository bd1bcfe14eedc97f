import { randomUUID } from 'node:crypto';
import { globalAgent } from 'node:https';
import { credentials } from '@leads-and-stars/runner';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { inject } from 'vitest';
import { operation as createLead } from '../../functions/leads/create-lead.ts';
import { handler as putOrganization } from '../../functions/organizations/put-organization.ts';
import type { HttpHandler } from '../../lib/handlers/http/middleware.ts';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { mostPerSecond } from '../../lib/organizations/request-limit.ts';
import { gatewayEvent } from '../../tools/examples/gateway-event.ts';
import { FaultProxy } from '../support/faults/fault-proxy.ts';
import type { Step } from '../support/faults/step.ts';
import { sign } from '../support/tokens.ts';

// The functions in the test's own process, with the variables that they have in theirs.

export const surroundings = inject('surroundings');

globalAgent.options.ca = surroundings.certificate;
Object.assign(process.env, {
  TABLE_NAME: surroundings.tableName,
  ISSUER: surroundings.issuer,
  AUDIENCE: surroundings.audience,
  JWKS_URI: `${surroundings.issuer}/.well-known/jwks.json`,
  AWS_ENDPOINT_URL_DYNAMODB: surroundings.tableEndpoint,
  // Some tests send more for one organization than the usual limit lets through.
  REQUESTS_PER_SECOND: String(mostPerSecond),
  COUNT_ONE_REQUEST_IN: 'Infinity',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
});

/** With another value of a variable, or none, for what is opened meanwhile. */
export const withVariable = async (
  name: string,
  value: string | undefined,
  work: () => Promise<void>,
): Promise<void> => {
  const usual = process.env[name];
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
  try {
    await work();
  } finally {
    if (usual === undefined) delete process.env[name];
    else process.env[name] = usual;
  }
};

/** Each request to the table goes through these steps, of a client whose first request is meanwhile. */
export const withSteps = async (
  steps: readonly Step[],
  work: (proxy: FaultProxy) => Promise<void>,
): Promise<void> => {
  const proxy = await FaultProxy.start(surroundings.tableEndpoint, steps);
  try {
    await withVariable('AWS_ENDPOINT_URL_DYNAMODB', proxy.endpoint, () => work(proxy));
  } finally {
    await proxy.close();
  }
};

// What the functions log, as their runtime takes it. No spy: a file that restores its own would restore this one.
type Line = Record<string, unknown>;
const logged: { level: 'info' | 'error'; line: Line }[] = [];
for (const level of ['info', 'error'] as const) {
  console[level] = (line: Line) => logged.push({ level, line });
}

/** What of an event is not as in the sample. */
export interface Request {
  headers?: Record<string, string | string[]>;
  path?: Record<string, string> | null;
  query?: Record<string, string[]> | null;
  body?: string | null;
  isBase64Encoded?: boolean;
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
  requestId: string;
  log: typeof logged;
}

const createLeadEvent = gatewayEvent(
  createLead,
  {},
  {
    organizationId: '',
    token: '',
    platformKey: '',
  },
);

const eventOf = (request: Request, requestId: string): APIGatewayProxyEvent =>
  ({
    ...createLeadEvent,
    // The chain reads all of a header's values.
    headers: {},
    multiValueHeaders: Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name, [value].flat()]),
    ),
    pathParameters: request.path ?? null,
    multiValueQueryStringParameters: request.query ?? null,
    body: request.body ?? null,
    isBase64Encoded: request.isBase64Encoded ?? false,
    requestContext: { ...createLeadEvent.requestContext, requestId },
  }) as unknown as APIGatewayProxyEvent;

/** What Lambda tells a function of its invocation: the time that is left. */
export const contextFor = (milliseconds: number): Context => {
  const deadline = Date.now() + milliseconds;
  return {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  } as Context;
};

/** Runs a handler as Lambda does for a request to the API. */
export const run = async (
  handler: HttpHandler,
  request: Request,
  milliseconds = 11_000,
): Promise<Answer> => {
  const requestId = randomUUID();
  const result = await handler(eventOf(request, requestId), contextFor(milliseconds));
  return {
    status: result.statusCode,
    headers: result.headers ?? {},
    text: result.body,
    body: result.body === '' ? undefined : JSON.parse(result.body),
    requestId,
    log: logged.filter(({ line }) => line.request_id === requestId),
  };
};

/** For what only the company's own backend may do. */
export const platformHeaders = {
  Authorization: `Bearer ${surroundings.platformKey}`,
  'Content-Type': 'application/json',
};

/** An organization of a test's own, with a member of every role. */
export class Organization {
  readonly id = randomUUID();
  readonly users = Object.fromEntries(roles.map((role) => [role, randomUUID()])) as Record<
    Role,
    string
  >;
  readonly tokens = {} as Record<Role, string>;
  pipelineId = '';

  static async make(fields: object = {}): Promise<Organization> {
    const organization = new Organization();
    const { id, users, tokens } = organization;
    for (const role of roles) tokens[role] = await sign({ sub: users[role] });
    const { body, text } = await run(putOrganization, {
      path: { organization_id: id },
      headers: platformHeaders,
      body: JSON.stringify({
        name: 'Test',
        members: roles.map((role) => ({ user_id: users[role], role })),
        ...fields,
      }),
    });
    if (!body.pipelines) throw new Error(`no organization: ${text}`);
    organization.pipelineId = body.pipelines[0].id;
    return organization;
  }

  headers(fields: Record<string, string | string[]> = {}, role: Role = 'owner') {
    return {
      Authorization: `Bearer ${this.tokens[role]}`,
      'X-Organization-Id': this.id,
      ...fields,
    };
  }
}
