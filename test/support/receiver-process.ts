// A receiver of webhooks in a process of its own: it does with each request what it was told last.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A status, or something worse. */
export type Mood =
  | number
  | 'hangs'
  | 'slow'
  | 'half'
  | 'much'
  | 'endless'
  | 'redirects'
  | 'garbage'
  | 'upgrades'
  | 'too-low'
  | 'cuts';

export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  /** How many requests it had at once, this one included. */
  atOnce: number;
}

export type Order = { mood: Mood; headers?: Record<string, string> } | 'down';

let mood: Mood = 200;
let headers: Record<string, string> = {};
let atOnce = 0;

const answers = (request: { socket: Socket }, response: ServerResponse) => {
  if (typeof mood === 'number') return response.writeHead(mood, headers).end('as you like');
  if (mood === 'slow') return setTimeout(() => response.writeHead(200).end(), 100);
  if (mood === 'redirects') return response.writeHead(307, { location: '/elsewhere' }).end();
  if (mood === 'half') {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    return setTimeout(() => request.socket.destroy(), 20);
  }
  // Whoever reads all of it waits for ever.
  if (mood === 'much') return response.writeHead(200).write(Buffer.alloc(10_000_000));
  if (mood === 'endless') {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 20);
    return response.on('close', () => clearInterval(timer));
  }
  if (mood === 'garbage') return request.socket.end('HTTP/1.1 twohundred\r\n\r\n');
  if (mood === 'too-low')
    return request.socket.end('HTTP/1.1 042 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  if (mood === 'upgrades') {
    return request.socket.write('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  }
  if (mood === 'cuts') return request.socket.destroy();
  return undefined;
};

const server: Server = createServer((request, response) => {
  atOnce++;
  const now = atOnce;
  response.on('close', () => atOnce--);
  let body = '';
  request.setEncoding('utf8').on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    const id = String(request.headers['webhook-id']);
    process.send?.({ id, headers: request.headers, body, atOnce: now });
    answers(request, response);
  });
});

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  if (order === 'down') {
    server.closeAllConnections();
    server.close(() => process.send?.({ done: true }));
    return;
  }
  mood = order.mood;
  headers = order.headers ?? {};
  process.send?.({ done: true });
});
server.listen(0, 'localhost', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
