import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'vitest';

/** The status of what is answered to just these headers. `ca` is what to trust over HTTPS. */
export const ask = async (
  address: string,
  method: string,
  { Host, ...headers }: Record<string, string>,
  ca?: string,
): Promise<number> => {
  const { protocol, hostname, port, pathname, search } = new URL(address);
  const socket =
    protocol === 'https:'
      ? connectTls({ host: hostname, port: Number(port), ...(ca && { ca }) })
      : connectTcp(Number(port), hostname);
  const lines = { Host: Host ?? `${hostname}:${port}`, ...headers, Connection: 'close' };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n`);
  const [bytes] = await once(socket, 'data');
  socket.destroy();
  return Number(String(bytes).split(' ')[1]);
};

/** Something that is served: what, how, where, and what a program of this machine is answered. */
export interface Served {
  what: string;
  method: string;
  address: () => string;
  status: number;
  /** For the page of its own address only, by no other name of this machine. */
  ownAddressOnly?: boolean;
}

/** Names of this machine, and names of which a page may make one lead to it. */
export const ownHosts = ['localhost', '127.0.0.1:1', '[::1]'];
export const foreignHosts = ['rebound.example', '169.254.169.254', 'localhost.rebound.example:80'];
export const foreignOrigins = [
  'https://elsewhere.example',
  'http://localhost:1',
  'http://127.0.0.1',
  'null',
  '',
];

/** Expects the status of each of these headers. */
export const expectStatus = async (
  { method, address }: Served,
  headers: Record<string, string>[],
  status: number,
  ca?: string,
): Promise<void> => {
  for (const one of headers) {
    expect([one, await ask(address(), method, one, ca)]).toEqual([one, status]);
  }
};
