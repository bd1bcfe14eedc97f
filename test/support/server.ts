import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The origin of a server of a test's own that answers so. */
export const serverOf = async (answer: RequestListener, host = '127.0.0.1'): Promise<string> => {
  const server = createServer(answer).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
};
