import { createSocket, type Socket } from 'node:dgram';
import { promises } from 'node:dns';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';
import { onTestFinished } from 'vitest';

type Type = 'A' | 'AAAA';
const types: Record<number, Type> = { 1: 'A', 28: 'AAAA' };
const codes = { A: 1, AAAA: 28, CNAME: 5 };
const errors = { failure: 2, unknown: 3 };

/** Addresses, maybe of the name that this one is an alias of; an error; or no answer at all. */
type Answer = string[] | { alias: string; of: string[] } | keyof typeof errors | 'silence';

const encoded = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ]);

const record = (name: string, type: keyof typeof codes, data: Buffer) => {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(codes[type]);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([encoded(name), head, data]);
};

/** The name that a query asks for (RFC 1035, 4.1.2), and where its question ends. */
const question = (query: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: types[query.readUInt16BE(at + 1)]!, end: at + 5 };
};

const reply = (query: Buffer, answer: Exclude<Answer, 'silence'>): Buffer => {
  const { name, type, end } = question(query);
  const { alias, of } = Array.isArray(answer)
    ? { alias: name, of: answer }
    : typeof answer === 'string'
      ? { alias: name, of: [] }
      : answer;
  const records = [
    ...(alias === name ? [] : [record(name, 'CNAME', encoded(alias))]),
    ...of.map((one) => record(alias, type, Buffer.from(ipaddr.parse(one).toByteArray()))),
  ];
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 + (typeof answer === 'string' ? errors[answer] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...records]);
};

/** A name server of this process, for the test that starts it. */
export class FakeDns {
  /** What was asked for, such as `AAAA hooks.example.com`. */
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async start(answer: (name: string, type: Type) => Answer): Promise<FakeDns> {
    const socket = createSocket('udp4');
    const dns = new FakeDns(socket);
    socket.on('message', (query, { port, address }) => {
      const { name, type } = question(query);
      dns.asked.push(`${type} ${name}`);
      const given = answer(name, type);
      if (given !== 'silence') socket.send(reply(query, given), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    onTestFinished(() => void socket.close());
    return dns;
  }

  /** Asks this server, once and for a minute unless told otherwise. */
  resolver(timeout = 60_000): promises.Resolver {
    const resolver = new promises.Resolver({ timeout, tries: 1 });
    resolver.setServers([`127.0.0.1:${(this.#socket.address() as AddressInfo).port}`]);
    return resolver;
  }
}
