import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { functionOf, passOnTo } from '@leads-and-stars/runner';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { cacheRequest, type GivenCache } from '../../infra/code-cache.ts';
import { issuerKeysKey } from '../../lib/table/keys.ts';
import { Runtime } from '../../packages/runner/test/runtime/runtime.ts';
import { provision } from '../support/organization.ts';
import { sample } from '../support/samples.ts';
import { table } from '../support/table.ts';
import { issuerKeys } from '../support/tokens.ts';

// What infra/start.ts does before a function's first event, in AWS's own runtime client, and that nothing fails by it.

const service = inject('service');
const directory = mkdtempSync(join(tmpdir(), 'leads-and-stars-start-'));
const certificates = join(directory, 'certificates.pem');
const organization = await provision();

/** What the function asked of both, in order. */
let asked: string[] = [];
/** The connections that a request to DynamoDB came by. */
let connections = new Set<unknown>();
/** Whether what is asked before the first event fails. */
let failing = false;
let invoked = false;
let issuer: Server;
let dynamodb: Server;

const addressOf = (server: Server) => `https://localhost:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  writeFileSync(certificates, cert);
  const keys = await issuerKeys();
  issuer = createServer({ key, cert }, (request, response) => {
    asked.push(`issuer ${request.method}`);
    response.end(keys);
  });
  const engine = passOnTo(service.tableEndpoint);
  dynamodb = createServer({ key, cert }, async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    asked.push(`table ${target ?? request.method}`);
    if (failing && !invoked) return request.socket.destroy();
    connections.add(request.socket);
    const body = (await buffer(request)).toString();
    if (!target) return response.end('healthy: dynamodb');
    const answer = await engine(request.headers, body);
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    return response.end(answer.body);
  });
  for (const server of [issuer, dynamodb]) {
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  }
});

afterAll(() => {
  for (const server of [issuer, dynamodb]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true });
});

beforeEach(() => {
  asked = [];
  connections = new Set();
  failing = false;
  invoked = false;
});

const start = async (id: string, code = functionOf(service.functions, id)!.code) => {
  const fn = { ...functionOf(service.functions, id)!, code };
  const routed = fn.environment.JWKS_URI !== undefined;
  const runtime = new Runtime(fn, {
    ...(routed && { JWKS_URI: `${addressOf(issuer)}/keys` }),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: new URL(service.tableEndpoint).username || 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: addressOf(dynamodb),
    NODE_EXTRA_CA_CERTS: certificates,
    // One in twenty would ask for one thing more.
    COUNT_ONE_REQUEST_IN: 'Infinity',
  });
  await runtime.start();
  onTestFinished(() => runtime.close());
  return {
    giveCache: async (): Promise<GivenCache> => (await runtime.invoke(cacheRequest)).payload,
    invoke: async () => {
      invoked = true;
      return runtime.invoke(await sample(id, organization));
    },
  };
};

/** Has an event answered, with 200. */
const expectAnswer = async ({ invoke }: Pick<Awaited<ReturnType<typeof start>>, 'invoke'>) => {
  const { payload } = await invoke();
  expect([payload.statusCode, payload]).toEqual([200, payload]);
};

/** Keeps the issuer's keys in the table, or takes them away. */
const keepKeys = async (keeps: boolean) => {
  const key = issuerKeysKey(`${addressOf(issuer)}/keys`);
  const TableName = service.tableName;
  if (!keeps) return table.send(new DeleteCommand({ TableName, Key: key }));
  const Item = { ...key, key_set: String(await issuerKeys()), asked_at: Date.now() };
  return table.send(new PutCommand({ TableName, Item }));
};

const beforeTheEvent = ['table GET', 'table GetItem'];
/** The membership, and then the counter with the wallet. */
const forTheEvent = ['table GetItem', 'table BatchGetItem'];

test('a function with a route connects and reads the kept keys before its first event, and uses both', async () => {
  await keepKeys(true);
  const runtime = await start('getBalance');
  await vi.waitFor(() => expect(asked).toEqual(beforeTheEvent), 10_000);
  await expectAnswer(runtime);
  expect(asked).toEqual([...beforeTheEvent, ...forTheEvent]);
  // By the connection that was there.
  expect(connections.size).toBe(1);
});

test('one that finds no kept keys asks the issuer when it has an event', async () => {
  await keepKeys(false);
  const runtime = await start('getBalance');
  await vi.waitFor(() => expect(asked).toEqual(beforeTheEvent), 10_000);
  await expectAnswer(runtime);
  expect(asked).toEqual([...beforeTheEvent, 'issuer GET', ...forTheEvent]);
});

test('one without a route connects, and needs no keys', async () => {
  const runtime = await start('spendStars');
  await vi.waitFor(() => expect(asked).toEqual(['table GET']), 10_000);
  const { kind, payload } = await runtime.invoke();
  expect([kind, payload]).toEqual(['response', payload]);
  expect(asked).not.toContain('issuer GET');
  expect(connections.size).toBe(1);
});

test.each([true, false])(
  'what fails before the first event fails nothing, with kept keys: %s',
  async (keeps) => {
    await keepKeys(keeps);
    failing = true;
    const runtime = await start('getBalance');
    await vi.waitFor(() => expect(asked).toEqual(expect.arrayContaining(beforeTheEvent)), 10_000);
    await expectAnswer(runtime);
    expect(asked.slice(-2)).toEqual(forTheEvent);
  },
);

test('a function runs with the code cache that it gave, and tells that V8 took it', async () => {
  await keepKeys(true);
  const { cache, taken } = await (await start('getBalance')).giveCache();
  expect(taken).toBe(null);
  const code = join(directory, 'cached');
  cpSync(functionOf(service.functions, 'getBalance')!.code, code, { recursive: true });
  writeFileSync(join(code, 'function.cache'), Buffer.from(cache, 'base64'));
  const runtime = await start('getBalance', code);
  await expectAnswer(runtime);
  expect(await runtime.giveCache()).toMatchObject({ taken: true });
});
