import { randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CliError } from '../../cli/cli-error.ts';
import type { Invocation } from '../lambda/environment.ts';
import type { RestApi, Route } from '../template/rest-api.ts';
import type { Answer } from './answer.ts';
import { proxyEvent } from './proxy-event.ts';
import { bodyOf, headersOf, proxyResult, whyNone } from './proxy-result.ts';
import { gatewayResponse, preflightHeaders } from './responses.ts';

/** Quotas of API Gateway: a request's body, and its request line with all headers, in bytes. */
const mostBody = 10 * 1024 * 1024;
const mostHeaders = 10_240;

export interface GatewayOptions {
  port: number;
  invoke: (functionLogicalId: string, event: unknown, requestId: string) => Promise<Invocation>;
  /** Told of each request to the API once it is answered. */
  onAnswer?: ((answer: Answer) => void) | undefined;
  /** Adds what is served at the same address, outside of the API's stage. */
  extend?: (server: FastifyInstance) => void;
}

const lateAnswer = 'The function did not answer in time.';

/** Serves a stack's REST API: its routes, and its own responses for what the gateway refuses. */
export const startGateway = async (
  api: RestApi,
  { port, invoke, onAnswer, extend }: GatewayOptions,
): Promise<{ baseUrl: string; close: () => Promise<void> }> => {
  const server = fastify({
    bodyLimit: mostBody,
    http: { maxHeaderSize: mostHeaders },
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: mostHeaders },
    exposeHeadRoutes: false,
    frameworkErrors: (_error, request, reply) => refuse(request, reply, 'DEFAULT_4XX'),
    clientErrorHandler: (_error, socket) => refuseUnreadable(api, socket),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  // Any body is bytes to a proxy integration: what its type may be is the function's to say.
  server.addHook('onRequest', async ({ headers }) => {
    delete headers['content-type'];
  });

  const refusals = new WeakMap<FastifyRequest, Answer['refusal']>();
  const refuse = (request: FastifyRequest, reply: FastifyReply, type: string, why = type) => {
    const { statusCode, headers, body } = gatewayResponse(api, type, request.id);
    refusals.set(request, { code: JSON.parse(body).error.code, why });
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
    return refuse(request, reply, 'DEFAULT_5XX', String(error));
  });

  const urlOf = (path: string) => `/${api.stage}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  for (const preflight of api.preflights) {
    server.options(urlOf(preflight.path), ({ headers: { origin } }, reply) =>
      reply.code(preflight.statusCode).headers(preflightHeaders(preflight, origin)).send(),
    );
  }
  for (const route of api.routes) {
    server.route({
      method: route.method,
      url: urlOf(route.path),
      handler: async (request, reply) => {
        const event = proxyEvent(request, route, api.stage, request.id);
        const work = invoke(route.functionLogicalId, event, request.id);
        const outcome = await withTimeout(work, route);
        if (outcome === 'late') return refuse(request, reply, 'INTEGRATION_TIMEOUT', lateAnswer);
        const result = proxyResult(outcome);
        if (!result) return refuse(request, reply, 'DEFAULT_5XX', whyNone(outcome));
        return reply.code(result.statusCode).headers(headersOf(result)).send(bodyOf(result));
      },
    });
  }

  if (onAnswer) {
    server.addHook('onResponse', async (request, reply) => {
      if (!request.url.startsWith(`/${api.stage}/`)) return;
      const { id: requestId, method, url } = request;
      const { statusCode: status, elapsedTime: milliseconds } = reply;
      onAnswer({ requestId, method, url, status, milliseconds, refusal: refusals.get(request) });
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
    baseUrl: `http://localhost:${address.port}/${api.stage}`,
    close: () => server.close(),
  };
};

/** What is not HTTP, or has more headers than the gateway takes, never becomes a request. */
const refuseUnreadable = (api: RestApi, socket: Socket) => {
  if (!socket.writable) return;
  const { statusCode, headers, body } = gatewayResponse(api, 'DEFAULT_4XX', randomUUID());
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
