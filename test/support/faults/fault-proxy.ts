import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { passOnTo } from '@leads-and-stars/runner';
import type { ProxyReply, ProxyRequest, Step } from './step.ts';
import { WatchedRequests } from './watched-requests.ts';

/** A network that fails as it is told to, in front of an engine or the service. */
export class FaultProxy {
  /** The target's address, but for its port. */
  readonly endpoint: string;
  readonly #watched = new Set<WatchedRequests>();
  readonly #server: ReturnType<typeof createServer>;

  private constructor(endpoint: string, server: ReturnType<typeof createServer>) {
    this.endpoint = endpoint;
    this.#server = server;
  }

  /** Requests go through the plans of who watches them, and then through the steps in their order. */
  static async start(target: string, steps: readonly Step[] = [], port = 0): Promise<FaultProxy> {
    const forward = forwardTo(target);
    const server = createServer(async (incoming, response) => {
      const { method = '', url = '', headers } = incoming;
      const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const request = { method, url, headers, body: await buffer(incoming), operation };
      const watched = [...proxy.#watched].find((one) => one.has(request));
      const all = watched ? [watched.step, ...steps] : steps;
      const reply = await through(all, request, forward).catch(() => undefined);
      if (!reply) return void incoming.socket.destroy();
      const { 'transfer-encoding': _, connection: __, ...own } = reply.headers;
      response.writeHead(reply.status, { ...own, 'content-length': reply.body.length });
      if (!reply.isCutOff) return void response.end(reply.body);
      const half = reply.body.subarray(0, reply.body.length / 2);
      response.write(half, () => response.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const own = (server.address() as AddressInfo).port;
    const endpoint = target.replace(new URL(target).origin, `http://127.0.0.1:${own}`);
    const proxy = new FaultProxy(endpoint, server);
    return proxy;
  }

  /** Requests with one of these marks. `kill` ends the process whose requests have this session token. */
  watch(
    marks: readonly string[],
    kill: (sender: string) => Promise<void> = async () => {},
  ): WatchedRequests {
    const watched = new WatchedRequests(marks, kill);
    this.#watched.add(watched);
    return watched;
  }

  unwatch(watched: WatchedRequests): void {
    this.#watched.delete(watched);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const through = async (
  [step, ...later]: readonly Step[],
  request: ProxyRequest,
  forward: (request: ProxyRequest) => Promise<ProxyReply>,
): Promise<ProxyReply | undefined> => {
  if (!step) return forward(request);
  return step(request, async (instead = request) => {
    const reply = await through(later, instead, forward);
    if (!reply) throw new Error('there is no reply');
    return reply;
  });
};

const agent = new Agent({ keepAlive: true });

/** Sends requests to an engine, as its own client would, or to the service. */
export const forwardTo = (target: string): ((request: ProxyRequest) => Promise<ProxyReply>) => {
  const toEngine = passOnTo(target);
  const { hostname, port } = new URL(target);
  return async ({ method, url, headers, body, operation }) => {
    if (operation) {
      const { status, body: reply } = await toEngine(headers, body);
      return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: reply };
    }
    return new Promise((resolve, reject) => {
      send({ agent, hostname, port, method, path: url, headers }, (reply) => {
        const { statusCode = 0, headers } = reply;
        buffer(reply).then((body) => resolve({ status: statusCode, headers, body }), reject);
      })
        .on('error', reject)
        .end(body);
    });
  };
};
