import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';

// Any web page can have its reader's browser send requests to this machine. Two headers give it away, which a
// page can't write itself.

/** The names of this machine, at any port. */
const ownHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Whether a `Host` names this machine. That of a page whose name was changed to point here does not. */
export const isOwnHost = (host: string | undefined): boolean => ownHost.test(host ?? '');

/** Whether a page asks that came from another server than the server that is asked. */
const isForeignPage = ({ host, origin }: IncomingHttpHeaders): boolean =>
  origin !== undefined && origin.replace(/^https?:\/\//, '') !== host;

const refusal = 'This answers programs of this machine and its own pages only.\n';

const isForeign = (headers: IncomingHttpHeaders): boolean =>
  !isOwnHost(headers.host) || isForeignPage(headers);

/** Has a server answer 403 to what pages of elsewhere ask, and keep its own pages out of their frames. */
export const checkOrigins = (server: FastifyInstance): void => {
  server.addHook('onRequest', async ({ headers }, reply) => {
    if (isForeign(headers)) return reply.code(403).type('text/plain').send(refusal);
    reply.header('x-frame-options', 'DENY');
    return undefined;
  });
};

/** Checks origins for a server that is not Fastify's. */
export const withOriginCheck =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    if (isForeign(request.headers)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal);
      return;
    }
    response.setHeader('x-frame-options', 'DENY');
    listener(request, response);
  };
