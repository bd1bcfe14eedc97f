import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine that nothing listens on at the moment. */
export const freePort = async (address = '127.0.0.1'): Promise<number> => {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};
