import { randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Invocation } from '../lambda/environment.ts';
import { portInUse } from '../machine/port-in-use.ts';
import type { RestApi, Route } from '../template/rest-api.ts';
import type { Answer } from './answer.ts';
import { proxyEvent } from './proxy-event.ts';
import { bodyOf, headersOf, proxyResult, whyNone } from './proxy-result.ts';
import { gatewayResponse, preflightHeaders } from './responses.ts';
import { Throttle } from './throttle.ts';

/** Quotas of API Gateway: a request's body, and its request line with all headers, in bytes. */
const mostBody = 10 * 1024 * 1024;
const mostHeaders = 10_240;

/** Lambda's quota of an event as JSON, in bytes. API Gateway answers 413 to what is over it, too. */
const mostEvent = 6_291_556;

export interface GatewayOptions {
  port: number;
  invoke: (functionLogicalId: string, event: unknown, requestId: string) => Promise<Invocation>;
  /** Told of each request to the API once it is answered. */
  onAnswer?: ((answer: Answer) => void) | undefined;
  /** Adds what is served at the same address, outside of the API's stage. */
  extend?: (server: FastifyInstance) => void;
}

/** Answers in the function's place, by API Gateway's name for the reason; `why` is for whoever runs this. */
type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  why?: string,
) => FastifyReply;

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
  const refuse: Refuse = (request, reply, type, why = type) => {
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

  serveMethods(server, api, invoke, refuse);
  if (onAnswer) {
    server.addHook('onResponse', async (request, reply) => {
      if (!request.url.startsWith(`/${api.stage}/`)) return;
      const { id: requestId, method, url } = request;
      const { statusCode: status, elapsedTime: milliseconds } = reply;
      onAnswer({ requestId, method, url, status, milliseconds, refusal: refusals.get(request) });
    });
  }
  extend?.(server);
  await server.listen({ host: '127.0.0.1', port }).catch(portInUse(port));
  const address = server.server.address() as AddressInfo;
  return {
    baseUrl: `http://localhost:${address.port}/${api.stage}`,
    close: () => server.close(),
  };
};

/** Serves the methods of an API, as many requests as its stage lets through. */
const serveMethods = (
  server: FastifyInstance,
  api: RestApi,
  invoke: GatewayOptions['invoke'],
  refuse: Refuse,
): void => {
  const throttle = api.throttle && new Throttle(api.throttle);
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (throttle?.take() === false) return refuse(request, reply, 'THROTTLED');
    return undefined;
  };
  const urlOf = (path: string) => `/${api.stage}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  for (const preflight of api.preflights) {
    server.options(urlOf(preflight.path), { preHandler }, ({ headers: { origin } }, reply) =>
      reply.code(preflight.statusCode).headers(preflightHeaders(preflight, origin)).send(),
    );
  }
  for (const route of api.routes) {
    server.route({
      method: route.method,
      url: urlOf(route.path),
      preHandler,
      handler: async (request, reply) => {
        const event = proxyEvent(request, route, api.stage, request.id);
        if (Buffer.byteLength(JSON.stringify(event)) > mostEvent) {
          return refuse(request, reply, 'REQUEST_TOO_LARGE');
        }
        const work = invoke(route.functionLogicalId, event, request.id);
        const outcome = await withTimeout(work, route);
        if (outcome === 'late') return refuse(request, reply, 'INTEGRATION_TIMEOUT', lateAnswer);
        const result = proxyResult(outcome);
        if (!result) return refuse(request, reply, 'DEFAULT_5XX', whyNone(outcome));
        return reply.code(result.statusCode).headers(headersOf(result)).send(bodyOf(result));
      },
    });
  }
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
