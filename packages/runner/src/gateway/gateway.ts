import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { mostPayloadBytes } from '../lambda/payload.ts';
import type { Invocation } from '../lambda/runtime-process.ts';
import { isOwnHost } from '../machine/origin-check.ts';
import { portInUse } from '../machine/port-in-use.ts';
import type { Route } from '../template/api-body.ts';
import type { RestApi } from '../template/rest-api.ts';
import { proxyEvent } from './proxy-event.ts';
import { bodyOf, headersOf, proxyResult, whyNone } from './proxy-result.ts';
import { hasValidHostAndExpect, type RequestTarget, readTarget } from './request-target.ts';
import type { ResponseSummary } from './response-summary.ts';
import {
  filledResponse,
  gatewayResponse,
  preflightHeaders,
  responseToUnreadable,
} from './responses.ts';

/** Quotas of API Gateway: a request's body, and its request line with all headers, in bytes. */
const mostBodyBytes = 10 * 1024 * 1024;
const mostHeaderBytes = 10_240;

export interface GatewayOptions {
  port: number;
  invoke: (functionLogicalId: string, event: unknown, requestId: string) => Promise<Invocation>;
  /** Told of each request to the API once it is answered. */
  onResponse?: ((answer: ResponseSummary) => void) | undefined;
  /** Adds what is served at the same address, outside of the API's stage. */
  extend?: ((server: FastifyInstance) => void) | undefined;
}

/** Answers in the function's place, by API Gateway's name for the reason; `why` is for whoever runs this. */
type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  why?: string,
) => FastifyReply;

/** Answers with what the template has. */
type Answer = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: ReturnType<typeof filledResponse>,
  why?: string,
) => FastifyReply;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path of an API's method, as in the template. */
    path?: string;
  }
  interface FastifyRequest {
    /** Set once it was read. */
    target?: RequestTarget;
  }
}

const lateAnswer = 'The function did not answer in time.';
const foreignHost = 'Its Host is none of localhost, 127.0.0.1 and [::1].';

/** Serves a stack's REST API: its routes, and its own responses for what the gateway refuses. */
export const startGateway = async (
  api: RestApi,
  { port, invoke, onResponse, extend }: GatewayOptions,
): Promise<{ baseUrl: string; close: () => Promise<void> }> => {
  const { fastify } = await import('fastify');
  const server = fastify({
    bodyLimit: mostBodyBytes,
    http: { maxHeaderSize: mostHeaderBytes, requireHostHeader: false },
    genReqId: () => randomUUID(),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: mostHeaderBytes },
    exposeHeadRoutes: false,
    // A path that can't be decoded: Fastify runs no hooks for it.
    frameworkErrors: (_error, request, reply) => {
      reply.raw.once('finish', () => tell(request, reply));
      refuse(request, reply, 'DEFAULT_4XX');
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end(responseToUnreadable(api, randomUUID()));
    },
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.addHook('onRequest', async (request, reply) => {
    const target = readTarget(request.url);
    if (!target || !hasValidHostAndExpect(request.raw)) {
      return refuse(request, reply, 'DEFAULT_4XX');
    }
    request.target = target;
    if (!isOwnHost(request.headers.host)) {
      return refuse(request, reply, 'ACCESS_DENIED', foreignHost);
    }
    // Any body is bytes to a proxy integration: what its type may be is the function's to say.
    delete request.headers['content-type'];
    return undefined;
  });
  // Node answers a request with `Expect` by itself unless this is listened to.
  server.server.on('checkExpectation', server.routing);

  const refusals = new WeakMap<FastifyRequest, ResponseSummary['refusal']>();
  const answer: Answer = (request, reply, { statusCode, headers, body }, why) => {
    refusals.set(request, { code: JSON.parse(body).error.code, why });
    return reply.code(statusCode).headers(headers).send(Buffer.from(body));
  };
  const refuse: Refuse = (request, reply, type, why) =>
    answer(request, reply, gatewayResponse(api, type, request.id), why);
  server.setNotFoundHandler((request, reply) =>
    refuse(request, reply, 'MISSING_AUTHENTICATION_TOKEN'),
  );
  server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error.statusCode === 413) {
      // Were the connection closed now, a client that is still sending would miss the answer.
      reply.removeHeader('connection');
      request.raw.resume();
      return refuse(request, reply, 'REQUEST_TOO_LARGE');
    }
    if (error.statusCode && error.statusCode < 500) return refuse(request, reply, 'DEFAULT_4XX');
    if (!onResponse) console.error(error);
    return refuse(request, reply, 'DEFAULT_5XX', error.stack);
  });

  serveMethods(server, api, invoke, refuse);
  serveOtherMethods(server, api, answer);
  const tell = (request: FastifyRequest, reply: FastifyReply) => {
    const { path } = request.routeOptions.config;
    if (!path && !request.url.startsWith(`/${api.stage}/`)) return;
    onResponse?.({
      requestId: request.id,
      method: request.method,
      stage: api.stage,
      path,
      parameters: request.params as Record<string, string>,
      hasQuery: request.url.includes('?'),
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
      refusal: refusals.get(request),
    });
  };
  server.addHook('onResponse', async (request, reply) => tell(request, reply));
  extend?.(server);
  await server.listen({ host: '127.0.0.1', port }).catch(portInUse(port));
  const address = server.server.address() as AddressInfo;
  return {
    baseUrl: `http://localhost:${address.port}/${api.stage}`,
    close: () => server.close(),
  };
};

const serveAt = (
  server: FastifyInstance,
  { stage }: RestApi,
  method: string | string[],
  path: string,
  handler: RouteHandlerMethod,
): void => {
  const url = `/${stage}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  for (const each of [url, `${url}/`]) {
    server.route({ method, url: each, config: { path }, handler });
  }
};

/** The methods that API Gateway takes for any. */
const anyMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Serves what paths answer to methods that they do not have. */
const serveOtherMethods = (server: FastifyInstance, api: RestApi, answer: Answer): void => {
  for (const { path, response } of api.otherMethods) {
    const own = api.routes.filter((route) => route.path === path).map(({ method }) => method);
    if (api.preflights.some((preflight) => preflight.path === path)) own.push('OPTIONS');
    const others = anyMethods.filter((method) => !own.includes(method));
    serveAt(server, api, others, path, (request, reply) =>
      answer(request, reply, filledResponse(response, request.id)),
    );
  }
};

/** Serves the methods of an API. */
const serveMethods = (
  server: FastifyInstance,
  api: RestApi,
  invoke: GatewayOptions['invoke'],
  refuse: Refuse,
): void => {
  const serve = (method: string, path: string, handler: RouteHandlerMethod) =>
    serveAt(server, api, method, path, handler);
  for (const preflight of api.preflights) {
    serve('OPTIONS', preflight.path, ({ headers: { origin } }, reply) =>
      reply.code(preflight.statusCode).headers(preflightHeaders(preflight, origin)).send(),
    );
  }
  for (const route of api.routes) {
    serve(route.method, route.path, async (request, reply) => {
      const event = proxyEvent(request, route, api.stage);
      if (isTooLarge(event)) {
        return refuse(request, reply, 'REQUEST_TOO_LARGE');
      }
      const work = invoke(route.functionLogicalId, event, request.id);
      const outcome = await withTimeout(work, route);
      if (outcome === 'late') return refuse(request, reply, 'INTEGRATION_TIMEOUT', lateAnswer);
      const result = proxyResult(outcome);
      if (!result) return refuse(request, reply, 'DEFAULT_5XX', whyNone(outcome));
      return reply.code(result.statusCode).headers(headersOf(result)).send(bodyOf(result));
    });
  }
};

/**
 * API Gateway answers 413 to a request that Lambda does not take. A character takes 6 bytes in JSON at most; all but the
 * body is small.
 */
const isTooLarge = (event: { body: string | null }): boolean =>
  (event.body?.length ?? 0) * 6 > mostPayloadBytes / 2 &&
  Buffer.byteLength(JSON.stringify(event)) > mostPayloadBytes;

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
