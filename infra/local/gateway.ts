import { randomUUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { APIGatewayProxyResult } from 'aws-lambda';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Assembly, Route } from './assembly.ts';
import { CliError } from './cli-error.ts';
import type { Invocation } from './environment.ts';
import { preflightHeaders } from './preflight.ts';
import { proxyEvent } from './proxy-event.ts';

/** Quotas of API Gateway: a request's body, and its request line with all headers, in bytes. */
const mostBody = 10 * 1024 * 1024;
const mostHeaders = 10_240;

export interface GatewayOptions {
  port: number;
  invoke: (functionLogicalId: string, event: unknown, requestId: string) => Promise<Invocation>;
  /** Adds what is served at the same address, outside of the API's stage. */
  extend?: (server: FastifyInstance) => void;
}

/** Serves a stack's REST API: its routes, and its own responses for what the gateway refuses. */
export const startGateway = async (
  assembly: Assembly,
  { port, invoke, extend }: GatewayOptions,
): Promise<{ baseUrl: string; close: () => Promise<void> }> => {
  const server = fastify({
    bodyLimit: mostBody,
    http: { maxHeaderSize: mostHeaders },
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: mostHeaders },
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => refuse(request, reply, 'DEFAULT_4XX'),
    clientErrorHandler: (_error, socket) => refuseUnreadable(assembly, socket),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  // Any body is bytes to a proxy integration: what its type may be is the function's to say.
  server.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type'];
  });

  const refuse = (request: FastifyRequest, reply: FastifyReply, type: string) => {
    const { statusCode, headers, body } = gatewayResponse(assembly, type, request.id);
    return reply.code(statusCode).headers(headers).send(Buffer.from(body));
  };
  server.setNotFoundHandler((request, reply) =>
    refuse(request, reply, 'MISSING_AUTHENTICATION_TOKEN'),
  );
  server.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    if (error.statusCode === 413) {
      // Were the connection closed now, a client that is still sending would miss the answer.
      reply.removeHeader('connection');
      request.raw.resume();
      return refuse(request, reply, 'REQUEST_TOO_LARGE');
    }
    if (error.statusCode && error.statusCode < 500) return refuse(request, reply, 'DEFAULT_4XX');
    console.error(error);
    return refuse(request, reply, 'DEFAULT_5XX');
  });

  const urlOf = (path: string) => `/${assembly.stage}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  for (const preflight of assembly.preflights) {
    server.options(urlOf(preflight.path), ({ headers: { origin } }, reply) =>
      reply.code(preflight.statusCode).headers(preflightHeaders(preflight, origin)).send(),
    );
  }
  for (const route of assembly.routes) {
    server.route({
      method: route.method,
      url: urlOf(route.path),
      handler: async (request, reply) => {
        const event = proxyEvent(request, route, assembly.stage, request.id);
        const work = invoke(route.functionLogicalId, event, request.id);
        const outcome = await withTimeout(work, route);
        if (outcome === 'late') return refuse(request, reply, 'INTEGRATION_TIMEOUT');
        const result = proxyResult(outcome);
        if (!result) return refuse(request, reply, 'DEFAULT_5XX');
        return reply.code(result.statusCode).headers(headersOf(result)).send(bodyOf(result));
      },
    });
  }

  extend?.(server);
  await server.listen({ host: '127.0.0.1', port }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CliError(
      `Port ${port} is in use: give another one with --port, or 0 for a free one.`,
    );
  });
  const address = server.server.address() as AddressInfo;
  return {
    baseUrl: `http://localhost:${address.port}/${assembly.stage}`,
    close: () => server.close(),
  };
};

/** A response that the template gives to something that the gateway itself refuses. */
const gatewayResponse = (assembly: Assembly, type: string, requestId: string) => {
  const fallback = type.startsWith('INTEGRATION') ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const response = assembly.gatewayResponses.get(type) ?? assembly.gatewayResponses.get(fallback);
  if (!response) throw new Error(`the template has no gateway response for ${type}`);
  const value = (source: string) =>
    source === 'context.requestId' ? requestId : source.replace(/^'|'$/g, '');
  return {
    statusCode: response.statusCode,
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(Object.entries(response.headers).map(([k, v]) => [k, value(v)])),
    },
    body: response.template.replace('$context.requestId', requestId),
  };
};

/** What is not HTTP, or has more headers than the gateway takes, never becomes a request. */
const refuseUnreadable = (assembly: Assembly, socket: Socket) => {
  if (!socket.writable) return;
  const { statusCode, headers, body } = gatewayResponse(assembly, 'DEFAULT_4XX', randomUUID());
  const lines = Object.entries({ ...headers, 'content-length': body.length, connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${statusCode} Bad Request\r\n${head}\r\n${body}`);
};

const withTimeout = async (
  work: Promise<Invocation>,
  { timeoutMilliseconds }: Route,
): Promise<Invocation | 'late'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMilliseconds, 'late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The function's answer; undefined where it failed or is not of the form that a REST API takes. */
const proxyResult = (outcome: Invocation): APIGatewayProxyResult | undefined => {
  if (outcome.kind === 'error') return undefined;
  const result = JSON.parse(outcome.payload ?? 'null');
  const valid =
    Number.isInteger(result?.statusCode) && ['string', 'undefined'].includes(typeof result.body);
  return valid ? result : undefined;
};

/** Throws for a header that can't be sent: too late, once the response has begun. */
const headersOf = (result: APIGatewayProxyResult): Record<string, string | string[]> => {
  const headers = { ...result.headers, ...result.multiValueHeaders };
  for (const [name, values] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const value of [values].flat()) validateHeaderValue(name, String(value));
  }
  return headers as Record<string, string | string[]>;
};

/**
 * As bytes: to a string, the server would add a charset that the function did not name. Undefined
 * where there is none: to no bytes, it would add a content type.
 */
const bodyOf = ({ body = '', isBase64Encoded }: APIGatewayProxyResult) =>
  body === '' ? undefined : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
