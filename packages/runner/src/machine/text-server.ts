import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { checkOrigins } from './origin-check.ts';

/**
 * Serves one of AWS's APIs on a free port of this machine, with each body, of up to `bodyLimit` bytes, as its text. Fastify is
 * loaded here and by the gateway only: most commands start no server, and it takes long to load.
 */
export const startTextServer = async (
  bodyLimit: number,
  addRoutes: (server: FastifyInstance) => void,
): Promise<{ endpoint: string; close: () => Promise<void> }> => {
  const { fastify } = await import('fastify');
  const server = fastify({ bodyLimit, forceCloseConnections: true });
  checkOrigins(server);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  addRoutes(server);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
};
