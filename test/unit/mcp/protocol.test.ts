import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { versions } from '../../../lib/mcp/message.ts';
import { answerMessage, type Toolbox } from '../../../lib/mcp/protocol.ts';

const newest = '2026-07-28';
const toolbox: Toolbox = {
  info: { name: 'tools', title: 'Tools', version: '1' },
  instructions: 'Be kind.',
  admit: async () => {},
  list: async () => [{ name: 'double' }],
  call: async (name, given) => (name === 'double' ? { given } : undefined),
};

const meta = (version: unknown = newest) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
});

interface Sent {
  message?: unknown;
  headers?: Record<string, string>;
  tools?: Toolbox;
}

const ask = ({ message, headers = {}, tools = toolbox }: Sent) =>
  answerMessage(message, (name) => headers[name], tools);

/** A request of 2026-07-28 as it has to be, with changes. */
const modern = (method: string, params: Record<string, unknown> = {}, headers = {}): Sent => ({
  message: { jsonrpc: '2.0', id: 7, method, params: { _meta: meta(), ...params } },
  headers: {
    'MCP-Protocol-Version': newest,
    'Mcp-Method': method,
    ...(params.name !== undefined && { 'Mcp-Name': String(params.name) }),
    ...headers,
  },
});

const legacy = (method: string, params?: object, headers = {}): Sent => ({
  message: { jsonrpc: '2.0', id: 'a', method, params },
  headers,
});

const codeOf = async (sent: Sent) => {
  const { status = 200, body } = await ask(sent);
  const { id, error, result } = body as {
    id?: unknown;
    error?: { code: number };
    result?: unknown;
  };
  return [status, error?.code ?? result, id];
};

test('the protocol has at most 150 lines', () => {
  const files = globSync(join(import.meta.dirname, '../../../lib/mcp/*.ts'));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.length).toBeLessThanOrEqual(150);
});

describe('of 2026-07-28', () => {
  const about = {
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': toolbox.info },
  };
  const cached = { ttlMs: 300_000, cacheScope: 'private' };

  test('discovery, the list and a call are answered with what every result has', async () => {
    const discovered = await ask(modern('server/discover'));
    expect(discovered.body).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        ...about,
        ...cached,
        supportedVersions: versions,
        capabilities: { tools: {} },
        instructions: 'Be kind.',
      },
    });
    const listed = await ask(modern('tools/list'));
    expect(listed.body).toMatchObject({ result: { ...about, ...cached, tools: [{}] } });
    const called = await ask(modern('tools/call', { name: 'double', arguments: { n: 1 } }));
    expect(called.body).toMatchObject({ result: { ...about, given: { n: 1 } } });
    expect(called.body).not.toHaveProperty('result.ttlMs');
  });

  test.each(['initialize', 'ping', 'prompts/list', 'subscriptions/listen', 'toString'])(
    '%s is no method',
    async (method) => expect(await codeOf(modern(method))).toEqual([404, -32601, 7]),
  );

  test.each([
    ['none', {}],
    ['without a version', { ...meta(), 'io.modelcontextprotocol/protocolVersion': undefined }],
    ['with a version that is no text', meta(1)],
    ['without capabilities', { 'io.modelcontextprotocol/protocolVersion': newest }],
    ['that is no object', 'x'],
  ])('_meta %s is refused', async (_, _meta) =>
    expect(await codeOf(modern('tools/list', { _meta }))).toEqual([400, -32602, 7]),
  );

  test('a version that is not spoken is told which are', async () => {
    const version = '1999-01-01';
    const sent = modern(
      'tools/list',
      { _meta: meta(version) },
      { 'MCP-Protocol-Version': version },
    );
    const { status, body } = await ask(sent);
    const data = { supported: versions, requested: version };
    expect([status, body]).toMatchObject([400, { error: { code: -32022, data } }]);
    // It is spoken with a session only.
    const older = modern(
      'tools/list',
      { _meta: meta('2025-11-25') },
      { 'MCP-Protocol-Version': '2025-11-25' },
    );
    expect(await codeOf(older)).toEqual([400, -32022, 7]);
  });

  const call = { name: 'double' };
  test.each([
    ['another version', {}, { 'MCP-Protocol-Version': '2025-11-25' }],
    ['no version', {}, { 'MCP-Protocol-Version': undefined }],
    ['another method', {}, { 'Mcp-Method': 'tools/list' }],
    ['a method in other letters', {}, { 'Mcp-Method': 'Tools/Call' }],
    ['another name', {}, { 'Mcp-Name': 'halve' }],
    ['no name', {}, { 'Mcp-Name': undefined }],
    ['a name that is no base64', {}, { 'Mcp-Name': '=?base64?***?=' }],
    ['no name in the body', { name: undefined }, { 'Mcp-Name': undefined }],
  ])('headers with %s are refused', async (_, params, headers) =>
    expect(await codeOf(modern('tools/call', { ...call, ...params }, headers))).toEqual([
      400, -32020, 7,
    ]),
  );

  test.each([' double ', `=?base64?${Buffer.from('double').toString('base64')}?=`])(
    'the name %j is that of the body',
    async (name) =>
      expect(await codeOf(modern('tools/call', call, { 'Mcp-Name': name }))).toMatchObject([
        200,
        {},
        7,
      ]),
  );
});

describe('of 2025', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2025-11-25'],
    [newest, '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('who begins with %s is answered with %s', async (protocolVersion, answered) => {
    const sent = legacy('initialize', { protocolVersion, capabilities: {} });
    expect((await ask(sent)).body).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: {
        protocolVersion: answered,
        capabilities: { tools: {} },
        serverInfo: toolbox.info,
        instructions: 'Be kind.',
      },
    });
  });

  test.each([
    {},
    { 'MCP-Protocol-Version': '2025-11-25' },
    { 'MCP-Protocol-Version': '2025-06-18' },
  ])('tools are listed and called with headers %j', async (headers) => {
    expect((await ask(legacy('ping', undefined, headers))).body).toHaveProperty('result', {});
    const listed = await ask(legacy('tools/list', {}, headers));
    expect(listed.body).toHaveProperty('result', { tools: [{ name: 'double' }] });
    const called = await ask(legacy('tools/call', { name: 'double' }, headers));
    expect(called.body).toHaveProperty('result', { given: {} });
  });

  test('another version in the header is refused, and another method', async () => {
    const sent = legacy('tools/list', {}, { 'MCP-Protocol-Version': '2025-03-26' });
    expect(await codeOf(sent)).toEqual([400, -32022, 'a']);
    expect(await codeOf(legacy('server/discover', {}))).toEqual([200, -32601, 'a']);
  });
});

test.each([legacy, modern])('a call without a tool of ours is an error', async (make) => {
  const code = async (params: Record<string, unknown>, headers = {}) =>
    (await codeOf(make('tools/call', params, headers)))[1];
  expect(await code({ name: 'halve' })).toBe(-32602);
  expect(await code({ name: 'double', arguments: [] })).toBe(-32602);
  expect(await code({ name: 'double', arguments: {} })).toMatchObject({ given: {} });
});

test.each([
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }],
])('%s gets no answer', async (_, message) => {
  expect(await ask({ message })).toEqual({ status: 202, body: undefined });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a list', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
  ['no version of JSON-RPC', { id: 1, method: 'ping' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }],
  ['null as id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['a fraction as id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
])('%s is no request', async (_, message) => {
  expect(await codeOf({ message })).toEqual([400, -32600, undefined]);
});

test('who is no caller hears so before anything else', async () => {
  const error = new Error('no caller');
  const refuse = () => Promise.reject(error);
  const tools = { ...toolbox, admit: refuse, list: refuse, call: refuse };
  const call = { name: 'double', arguments: {} };
  for (const sent of [
    modern('server/discover'),
    modern('tools/list'),
    modern('tools/call', call),
    modern('tools/call', { ...call, _meta: {} }),
    modern('prompts/list'),
    legacy('initialize', {}),
    legacy('ping'),
    legacy('tools/list'),
    legacy('tools/call', call),
    legacy('tools/call', {}),
    legacy('prompts/list'),
    { message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
    { message: [] },
  ]) {
    await expect(ask({ ...sent, tools }), JSON.stringify(sent)).rejects.toBe(error);
  }
});
