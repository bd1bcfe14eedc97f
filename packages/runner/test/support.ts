import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Assembly, Lambda, Processes, startGateway } from '@leads-and-stars/runner';
import { afterAll, expect } from 'vitest';
import { type ErrorCode, errors } from './app/errors.ts';

/** A directory for the tests of a file, or of a `describe`. */
export const ownDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'runner-test-'));
  // What was killed may still write there for a moment.
  afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10 }));
  return directory;
};

/** Waits until something holds, and says what it was if it never does. */
export const eventually = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds = 10,
): Promise<void> => {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await wait(20);
  }
};

export interface Runner {
  baseUrl: string;
  port: number;
  /** How many requests the gateway has passed on. */
  invoked(): number;
  /** As if the code of all functions had changed. */
  renew(): void;
  close(): Promise<void>;
}

/** Functions and gateway, put together as `startApp` does it, without an engine. */
export const startRunner = async (
  assembly: Assembly,
  environmentsPerFunction: number,
  logFile: string,
  sharesProcesses = false,
): Promise<Runner> => {
  const processes = new Processes();
  const lambda = new Lambda(processes, {
    tableEndpoint: 'http://127.0.0.1:1',
    certificateFile: '/dev/null',
    environmentsPerFunction,
    sharesProcesses,
    logs: openSync(logFile, 'a'),
  });
  let invoked = 0;
  const gateway = await startGateway(assembly.api, {
    port: 0,
    invoke: (id, event, requestId) => {
      invoked++;
      const fn = assembly.functions.find(({ logicalId }) => logicalId === id)!;
      return lambda.invoke(fn, event, requestId);
    },
  });
  return {
    baseUrl: gateway.baseUrl,
    port: Number(new URL(gateway.baseUrl).port),
    invoked: () => invoked,
    renew: () => {
      for (const fn of assembly.functions) lambda.renew(fn);
    },
    close: async () => {
      await gateway.close();
      await processes.close();
    },
  };
};

export interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  json: () => any;
}

/** Sends just these headers, which `fetch` does not: it joins one that is there twice. */
export const send = async (
  url: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<Reply> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers }, resolve).on('error', reject).end(body);
  });
  const bytes = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    json: () => JSON.parse(bytes.toString()),
  };
};

/** Sends bytes as they are, and reads the answer until the connection is closed. */
export const sendRaw = async (port: number, sent: string): Promise<Reply> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ');
    return [name.toLowerCase(), value];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    bytes: Buffer.from(body),
    json: () => JSON.parse(body),
  };
};

/** The app's one shape of errors, with the id in body and header. */
export const expectEnvelope = ({ status, headers, json }: Reply, code: ErrorCode): void => {
  const requestId = headers['x-request-id'];
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(json()).toEqual({
    error: { code, message: errors[code].message, request_id: requestId },
  });
  expect(status).toBe(errors[code].status);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['cache-control']).toBe('no-store');
};
