import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Endpoint } from '../../../../lib/webhooks/endpoint/endpoint.ts';
import { Receiver } from '../../../support/receiver.ts';
import type { Mood } from '../../../support/receiver-process.ts';
import { fakeDns } from './fake-dns.ts';

beforeEach(() => void vi.stubEnv('WEBHOOKS_TO_LOCALHOST', 'true'));
afterEach(() => void vi.unstubAllEnvs());

const opened = (url: string, options: ConstructorParameters<typeof Endpoint>[2] = {}) => {
  const endpoint = new Endpoint(url, 10, { timeoutMs: 500, ...options });
  onTestFinished(() => endpoint.close());
  return endpoint;
};
const answered = (status: number | null, failure: string | null, retryAfterMs?: number) => ({
  status,
  failure,
  retryAfterMs,
});
const failed = (failure: string) => ({ status: null, failure });
const message = ['{"type":"lead.created"}', { 'webhook-id': 'one' }] as const;

/** Has a server listen here until the test ends; answers its port. */
const listening = async (server: Server | HttpServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

test('what an endpoint of another process makes of a post', async () => {
  const receiver = await Receiver.start();
  const endpoint = opened(receiver.url);
  const cases: [Mood, ReturnType<typeof answered>, Record<string, string>?][] = [
    [200, answered(200, null)],
    [204, answered(204, null)],
    [500, answered(500, null)],
    [410, answered(410, null)],
    [429, answered(429, null, 7000), { 'retry-after': '7' }],
    [503, answered(503, null, 60_000), { 'retry-after': '60' }],
    // Elsewhere it says nothing of when to try again, and neither does nonsense.
    [500, answered(500, null), { 'retry-after': '7' }],
    [429, answered(429, null), { 'retry-after': 'soon' }],
    [429, answered(429, null), { 'retry-after': 'Sat, 21 Nov 2020 00:00:00 GMT' }],
    ['slow', answered(200, null)],
    ['redirects', answered(307, null)],
    // More than is wanted is cut off: the status has been said.
    ['much', answered(200, null)],
    ['half', answered(null, 'response_incomplete')],
    ['garbage', answered(null, 'response_invalid')],
    ['upgrades', answered(101, null)],
    ['too-low', answered(null, 'response_invalid')],
    ['cuts', answered(null, 'connection_failed')],
    ['hangs', answered(null, 'timeout')],
    ['endless', answered(null, 'timeout')],
    [200, answered(200, null)],
  ];
  for (const [mood, expected, headers] of cases) {
    await receiver.answers(mood, headers);
    const { retryAfterMs, ...answer } = await endpoint.post(...message);
    expect([mood, { ...answer, retryAfterMs }]).toEqual([mood, expected]);
  }
  // It has told of everything before it says that it is down.
  await receiver.down();
  expect(receiver.received.every(({ body }) => body === message[0])).toBe(true);
  // A redirect is not followed, and nothing but a connection that was kept is tried twice.
  expect(receiver.received.length).toBe(cases.length);
  expect(await endpoint.post(...message)).toEqual(failed('connection_failed'));
});

describe('a connection that was kept, and is reset when it is used again', () => {
  /** Answers the first request of each connection, and resets it at the second, maybe after a part of an answer. */
  const resetting = async (part: string) => {
    let [connections, requests] = [0, 0];
    const server = createTcpServer((socket) => {
      connections++;
      let ofThis = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        requests++;
        if (++ofThis === 1) return socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        if (part === '') return socket.resetAndDestroy();
        return socket.write(part, () => setImmediate(() => socket.resetAndDestroy()));
      });
    });
    const endpoint = opened(`http://localhost:${await listening(server)}/`);
    expect(await endpoint.post(...message)).toMatchObject({ status: 204 });
    return { endpoint, counts: () => [connections, requests] };
  };

  test('is replaced by another one: the endpoint has not failed', async () => {
    const { endpoint, counts } = await resetting('');
    expect(await endpoint.post(...message)).toMatchObject({ status: 204 });
    expect(counts()).toEqual([2, 3]);
  });

  test('has failed once it has begun to answer: then the message was taken', async () => {
    const { endpoint, counts } = await resetting(
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf',
    );
    expect(await endpoint.post(...message)).toEqual(failed('response_incomplete'));
    expect(counts()).toEqual([1, 2]);
  });
});

test('what is closed sends nothing any more, not even what was under way', async () => {
  let requests = 0;
  const server = createHttpServer((request, response) => {
    request.resume();
    if (++requests === 1) response.writeHead(204).end();
  });
  const endpoint = opened(`http://localhost:${await listening(server)}/`);
  expect(await endpoint.post(...message)).toMatchObject({ status: 204 });
  const underWay = endpoint.post(...message);
  await expect.poll(() => requests).toBe(2);
  endpoint.close();
  const cut = failed('connection_failed');
  expect([await underWay, await endpoint.post(...message)]).toEqual([cut, cut]);
  expect(requests).toBe(2);
});

describe('over HTTPS', () => {
  /** A server with a certificate for this name. */
  const served = async (name: string) => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
    });
    const hosts: string[] = [];
    const server = createServer({ key, cert }, (request, response) => {
      hosts.push(String(request.headers.host));
      request.resume().on('end', () => response.end());
    });
    return { port: await listening(server), ca: cert, hosts };
  };

  const toHere = (_name: string, type: string) => (type === 'A' ? ['127.0.0.1'] : 'ENODATA');

  test('a name that is unknown, or has no address, leads nowhere', async () => {
    const dns = fakeDns((asked) => (asked === 'hooks.example.com' ? 'ENOTFOUND' : 'ENODATA'));
    for (const name of ['hooks.example.com', 'other.example.com']) {
      const endpoint = opened(`https://${name}/`, { dns: dns.resolver });
      expect(await endpoint.post(...message)).toEqual(failed('dns_failed'));
    }
  });

  test('a name that leads to this machine is refused, whoever answers there', async () => {
    const name = 'hooks.example.com';
    const { port, ca, hosts } = await served(name);
    const dns = fakeDns(toHere);
    const refused = failed('address_refused');
    const endpoint = opened(`https://${name}:${port}/`, { ca, dns: dns.resolver });
    expect(await endpoint.post(...message)).toEqual(refused);
    expect(await opened(`https://127.0.0.1:${port}/`, { ca }).post(...message)).toEqual(refused);
    expect([dns.asked.toSorted(), hosts]).toEqual([[`A ${name}`, `AAAA ${name}`], []]);
  });

  /** As if this machine were on the public internet. */
  const allowed = (address: string) => address === '127.0.0.1';

  test('the connection goes to the address that was checked, however the name changes', async () => {
    const name = 'hooks.example.com';
    const { port, ca, hosts } = await served(name);
    const leadsTo = ['127.0.0.1', '10.0.0.1'];
    const dns = fakeDns((_name, type) => (type === 'A' ? [leadsTo.shift()!] : 'ENODATA'));
    const url = `https://${name}:${port}/`;
    const endpoint = opened(url, { ca, dns: dns.resolver, allowed });
    expect(await endpoint.post(...message)).toMatchObject({ status: 200 });
    // It was asked once, and a connection that is kept asks no more.
    expect(await endpoint.post(...message)).toMatchObject({ status: 200 });
    expect([hosts, leadsTo]).toEqual([[`${name}:${port}`, `${name}:${port}`], ['10.0.0.1']]);
    const later = opened(url, { ca, dns: dns.resolver, allowed });
    expect(await later.post(...message)).toEqual(failed('address_refused'));
    expect(hosts).toHaveLength(2);
  });

  test.each([
    ['of its own making', 'hooks.example.com', false],
    ['for another name', 'other.example.com', true],
  ])('a certificate %s is refused', async (_what, name, trusted) => {
    const { port, ca, hosts } = await served(name);
    const dns = fakeDns(toHere).resolver;
    const options = { dns, allowed, ...(trusted && { ca }) };
    const endpoint = opened(`https://hooks.example.com:${port}/`, options);
    expect(await endpoint.post(...message)).toEqual(failed('tls_failed'));
    expect(hosts).toEqual([]);
  });
});
