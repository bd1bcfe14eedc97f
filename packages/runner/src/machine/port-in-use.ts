import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { CliError } from './cli-error.ts';

const inUse = (port: number): CliError =>
  new CliError(
    `Port ${port} is in use: stop the program that has it, or give another port with --port, 0 for a free one.`,
  );

/** Throws what a server failed with; of a port that it can't have, in words. */
export const portInUse =
  (port: number) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EADDRINUSE') throw inUse(port);
    if (error.code !== 'EACCES') throw error;
    throw new CliError(`Port ${port} is not for every user: give one above 1023 with --port.`);
  };

/** Throws, in words, unless a server can have this port of `localhost`: no program may listen at either of its addresses. */
export const expectFreePort = async (port: number): Promise<void> => {
  if (port === 0) return;
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch(portInUse(port));
  server.close();
  await once(server, 'close');
  // Browsers and curl take `localhost` for this address first.
  if (await listens(port, '::1')) throw inUse(port);
};

const listens = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host });
    const end = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
