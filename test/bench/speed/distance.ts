import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * An address that leads to a service on this machine as if it were so many milliseconds away: each answer arrives so
 * much later, those of the TLS handshake too. That a connection opens takes no longer.
 */
export const distant = async (service: string, milliseconds: number) => {
  const { hostname, port, protocol } = new URL(service);
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true });
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      void wait(milliseconds).then(() => client.write(bytes));
    });
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    address: `${protocol}//${hostname}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};
