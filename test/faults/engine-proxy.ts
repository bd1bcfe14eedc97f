import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { passOnTo } from '@leads-and-stars/runner';

/** A request to DynamoDB, and what it asks for. */
export interface EngineRequest {
  /** Such as `TransactWriteItems`. */
  operation: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface EngineReply {
  status: number;
  body: Buffer;
  /** In place of this machine's time. */
  date?: string;
}

export interface EngineProxy {
  endpoint: string;
  close(): Promise<void>;
}

/** What stands before an engine. Where `handle` gives no reply, the connection ends without one. */
export const startEngineProxy = async (
  handle: (request: EngineRequest) => Promise<EngineReply | undefined>,
): Promise<EngineProxy> => {
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const request = { operation, headers: incoming.headers, body };
    const reply = await handle(request).catch(() => undefined);
    if (!reply) return void incoming.socket.destroy();
    response.writeHead(reply.status, {
      'content-type': 'application/x-amz-json-1.0',
      ...(reply.date && { date: reply.date }),
    });
    response.end(reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** What the engine itself answers. */
export const forward = async (
  engine: string,
  { headers, body }: EngineRequest,
): Promise<EngineReply> => {
  const answered = await passOnTo(engine)(headers, body);
  return { status: answered.status, body: answered.body };
};

export const jsonReply = (status: number, body: object): EngineReply => ({
  status,
  body: Buffer.from(JSON.stringify(body)),
});
