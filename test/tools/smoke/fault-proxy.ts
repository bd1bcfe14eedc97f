import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An answer on its way. A fault changes it. */
export interface OnTheWay {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type Fault = (request: IncomingMessage, answer: OnTheWay) => void;

/** A gateway as it might be in AWS: what the service answers, with a fault. */
export const startFaultProxy = async (
  baseUrl: string,
  fault: Fault,
): Promise<{ baseUrl: string; close: () => void }> => {
  const { origin, pathname } = new URL(baseUrl);
  const server: Server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers;
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const { 'content-length': _length, ...given } = Object.fromEntries(answer.headers);
    const changed = { status: answer.status, headers: given, body: await answer.text() };
    fault(request, changed);
    response.writeHead(changed.status, changed.headers).end(changed.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { baseUrl: `http://localhost:${port}${pathname}`, close };
};
