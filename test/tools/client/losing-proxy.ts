import { createServer, request as forward, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What becomes of one request: it is passed on, or lost on its way or on its way back, or refused. */
export type Fate = 'passes' | 'is lost' | 'loses its reply' | 'loses half its reply' | 429 | 503;

export interface LosingProxy {
  baseUrl: string;
  /** What becomes of the next requests; those after them pass. */
  fates: Fate[];
  /** Method, path, idempotency key and token of each that came. */
  seen: {
    method: string;
    path: string;
    key: string | undefined;
    authorization: string | undefined;
  }[];
  close(): void;
}

/** Stands between a client and the service, and fails as networks and gateways do. */
export const startLosingProxy = async (target: string, ownPort = 0): Promise<LosingProxy> => {
  const { port, pathname, origin } = new URL(target);
  const proxy: Omit<LosingProxy, 'baseUrl' | 'close'> = { fates: [], seen: [] };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const key = headers['idempotency-key'] as string | undefined;
    const { authorization } = headers;
    proxy.seen.push({ method, path: url.replace(pathname, ''), key, authorization });
    const body = await buffer(request);
    const fate = proxy.fates.shift() ?? 'passes';
    if (fate === 'is lost') return response.destroy();
    if (typeof fate === 'number') return refuse(response, fate);
    forward({ host: '127.0.0.1', port, method, path: url, headers }, async (reply) => {
      const bytes = await buffer(reply);
      if (fate === 'loses its reply') return response.destroy();
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      if (fate === 'passes') return response.end(bytes);
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    })
      .on('error', () => response.destroy())
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  return Object.assign(proxy, {
    baseUrl: target.replace(origin, `http://127.0.0.1:${own}`),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

const refuse = (response: ServerResponse, status: 429 | 503) => {
  const code = status === 429 ? 'rate_limited' : 'unavailable';
  const body = { error: { code, message: 'Not now.', request_id: 'of-the-proxy' } };
  response
    .writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    .end(JSON.stringify(body));
};
