import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';

/** An engine behind TLS, as DynamoDB is: what that costs a process that starts, all of them pay. */
export const secured = async (engine: string) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'dynamodb' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const { hostname, port } = new URL(engine);
  const server = createServer({ key, cert, noDelay: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true });
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    endpoint: `https://localhost:${(server.address() as AddressInfo).port}`,
    certificate: cert,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};
