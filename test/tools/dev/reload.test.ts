import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ready } from '../../../tools/dev/ready-file.ts';
import { type Command, callAs, dev, useCommands } from './commands.ts';
import { copyProject } from './project.ts';
import { eventually, makeDirectory, remove, send, sendRaw } from './support.ts';

// One run of `npm run dev` in a copy of the project, whose sources change while it serves.

useCommands();

let directory: string;
let run: Command;
let ready: Ready;

beforeAll(async () => {
  directory = await makeDirectory();
  await copyProject(join(directory, 'project'));
  run = dev(['--memory', '--port', '0'], { project: join(directory, 'project') });
  ready = await run.ready();
});

afterAll(async () => {
  run.kill('SIGINT', 'group');
  await run.gone();
  expect(await run.ended).toBe(0);
  await remove(directory);
});

const get = (path: string) => {
  const { organization_id, tokens } = ready.organizations[0]!;
  return callAs(ready, tokens.admin, organization_id, path);
};

/** What is printed from now on. */
const printed = () => {
  const from = run.stdout.length;
  const fromError = run.stderr.length;
  return {
    line: async (pattern: RegExp): Promise<string> => {
      const found = () => pattern.exec(run.stdout.slice(from))?.[0];
      await eventually(`it prints ${pattern}`, () => found() !== undefined, 60);
      return found()!;
    },
    all: () => run.stdout.slice(from) + run.stderr.slice(fromError),
    /** The lines of requests, without events: those of the demo data may come late. */
    requests: () =>
      run.stdout
        .slice(from)
        .split('\n')
        .filter((line) => / \/v1\//.test(line)),
  };
};

/** Changes a source file; the returned function puts it back. */
const change = async (name: string, from: string, to: string) => {
  const file = join(directory, 'project', name);
  const source = await readFile(file, 'utf8');
  expect(source).toContain(from);
  // In one step: whoever watches would build half of a file.
  const write = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await write(source.replace(from, to));
  return () => write(source);
};

/** Sends a request line to a server whose certificate nobody knows. */
const sendTls = async (address: string, requestLine: string) => {
  const { port } = new URL(address);
  const socket = connect({ host: 'localhost', port: Number(port), rejectUnauthorized: false });
  socket.end(`${requestLine}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return text(socket);
};

const time = String.raw`\d\d:\d\d:\d\d`;
const id = '[0-9a-f-]{36}';
const cost = String.raw`\d+ ms [\d.]+ units`;

test('each request is one line: its route with ids, and nothing else of its address', async () => {
  const output = printed();
  const { users } = ready.organizations[0]!;
  await get('/leads?tag=secret-tag&limit=2');
  await get(`/members/${users.agent}`);
  await get('/members/maria');
  await get('/nothing/maria');
  await output.line(new RegExp(`^${time} GET /v1/leads\\?… 200 ${cost} ${id}$`, 'm'));
  await output.line(new RegExp(`^${time} GET /v1/members/${users.agent} 200 ${cost} ${id}$`, 'm'));
  const refused = String.raw`GET /v1/members/\{user_id\} 400 invalid_request`;
  await output.line(new RegExp(`^${time} ${refused} ${cost} ${id}$`, 'm'));
  await output.line(new RegExp(`^${time} GET /v1/… 404 not_found \\d+ ms ${id}$`, 'm'));
  expect(output.requests().length).toBe(4);
});

describe('nothing that is planted in a request is printed', () => {
  const planted = 'planted-by-maria';
  const lines = (...given: string[]) => [...given, 'Connection: close', '', ''].join('\r\n');
  const host = 'Host: localhost';

  /** By what is planted in: what is sent to the gateway, and whether it gets as far as to be a line. */
  const toGateway: [string, string, boolean][] = [
    ['the method', lines(`${planted} /v1/leads HTTP/1.1`, host), false],
    ['the version', lines(`GET /v1/leads HTTP/${planted}`, host), false],
    ['what is no request', `${planted}\r\n\r\n`, false],
    ['a path', lines(`GET /v1/${planted} HTTP/1.1`, host), true],
    ['an id', lines(`GET /v1/leads/${planted} HTTP/1.1`, host), true],
    ['a malformed path', lines(`GET /v1/leads/${planted}%zz HTTP/1.1`, host), true],
    ['a path outside of the API', lines(`GET /${planted} HTTP/1.1`, host), false],
    ['another host’s address', lines(`GET http://${planted}/v1/leads HTTP/1.1`, host), true],
    ['a name of the query', lines(`GET /v1/leads?${planted}=1 HTTP/1.1`, host), true],
    ['a value of the query', lines(`GET /v1/leads?limit=${planted} HTTP/1.1`, host), true],
    ['a malformed query', lines(`GET /v1/leads?${planted}=%ff HTTP/1.1`, host), true],
    ['a preflight', lines(`OPTIONS /v1/leads?${planted} HTTP/1.1`, host), true],
    ['the Host', lines('GET /v1/leads HTTP/1.1', `Host: ${planted}`), true],
    ['an expectation', lines('GET /v1/leads HTTP/1.1', host, `Expect: ${planted}`), true],
    ['an origin', lines('GET /v1/leads HTTP/1.1', host, `Origin: https://${planted}`), true],
    ['a token', lines('GET /v1/leads HTTP/1.1', host, `Authorization: Bearer ${planted}`), true],
    ['a header’s name', lines('GET /v1/leads HTTP/1.1', host, `${planted}: 1`), true],
    ['a malformed header', lines('GET /v1/leads HTTP/1.1', host, `a ${planted}: 1`), false],
    [
      'a body',
      `${lines('POST /v1/leads HTTP/1.1', host, `Content-Length: ${planted.length}`)}${planted}`,
      true,
    ],
    ['a login', lines(`GET /docs/login?redirect_uri=${planted} HTTP/1.1`, host), false],
    ['a code', lines(`GET /docs/issuer/authorize?redirect_uri=${planted} HTTP/1.1`, host), false],
  ];

  test('to the gateway, in any part', async () => {
    const output = printed();
    const port = Number(new URL(ready.base_url).port);
    for (const [, sent] of toGateway) await sendRaw(port, sent);
    const { organization_id, tokens, pipeline_id } = ready.organizations[0]!;
    const lead = { contact_name: planted, pipeline_id, [planted]: planted };
    expect((await callAs(ready, tokens.agent, organization_id, '/leads', lead)).status).toBe(400);
    await get('/billing/plans');
    await output.line(/GET \/v1\/billing\/plans 200/);
    expect(output.requests().length).toBe(toGateway.filter(([, , line]) => line).length + 2);
    expect(output.all()).not.toMatch(/planted|maria/i);
  });

  test('to the ports beside it', async () => {
    const output = printed();
    const { lambda_endpoint, event_bus_name } = ready;
    const post = (path: string, body: string, headers = {}) =>
      send(`${lambda_endpoint}${path}`, { headers, body });
    const invoke = (name: string, body: string) =>
      post(`/2015-03-31/functions/${name}/invocations`, body);
    expect((await invoke(planted, '{}')).status).toBe(404);
    await invoke('LeadsAndStars-spendStars', planted);
    const spending = { organization_id: planted, event_id: `${planted}@`, stars: planted };
    const refused = await invoke('LeadsAndStars-spendStars', JSON.stringify(spending));
    expect(refused.headers['x-amz-function-error']).toBe('Unhandled');
    expect((await post('/', '{}', { 'x-amz-target': planted })).status).toBe(400);
    const entry = {
      EventBusName: event_bus_name,
      Source: 'billing',
      DetailType: 'stars.spent',
      Detail: JSON.stringify({ ...spending, event_id: 'e-1' }),
    };
    const target = { 'x-amz-target': 'AWSEvents.PutEvents' };
    expect((await post('/', JSON.stringify({ Entries: [entry] }), target)).status).toBe(200);
    expect((await post('/', planted, target)).status).toBe(500);
    await sendTls(ready.issuer, `GET /authorize?redirect_uri=${planted} HTTP/1.1`);
    await output.line(/spendStars invalid_request/);
    await output.line(/applyWalletEvents e-1 invalid_request/);
    expect(output.all()).not.toMatch(/planted|maria/i);
  });
});

test('each event is one line: ids, and nothing of the contact', async () => {
  const output = printed();
  const { organization_id, pipeline_id, tokens } = ready.organizations[0]!;
  const lead = { contact_name: 'Marta Nunes', pipeline_id, email: 'marta@example.com' };
  const { body } = await callAs(ready, tokens.agent, organization_id, '/leads', lead);
  const event = `event lead.created ${id} of lead ${body.id} version 1`;
  await output.line(new RegExp(`^${time} ${event}$`, 'm'));
  expect(output.all()).not.toMatch(/marta/i);
});

test('a function whose source changes runs it from then on, and only that one is reloaded', async () => {
  expect((await get('/billing/balance')).status).toBe(200);
  let output = printed();
  const restore = await change(
    'functions/billing/get-balance.ts',
    'handle: (_call, body) => ({ body }),',
    "handle: () => {\n    throw new TypeError('spilled');\n  },",
  );
  expect(await output.line(/^Reloaded .*$/m)).toBe('Reloaded getBalance.');
  output = printed();
  expect((await get('/billing/balance')).status).toBe(500);
  const failed = `^${time} GET /v1/billing/balance 500 internal ${cost} ${id}\n  TypeError: spilled\n    +at `;
  await output.line(new RegExp(failed, 'm'));
  expect((await get('/leads')).status).toBe(200);
  output = printed();
  await restore();
  expect(await output.line(/^Reloaded .*$/m)).toBe('Reloaded getBalance.');
  expect((await get('/billing/balance')).status).toBe(200);
});

test('what does not compile is told with its place, and what ran before goes on', async () => {
  let output = printed();
  const restore = await change('lib/schema/etag.ts', 'export const', 'export cnst');
  expect(await output.line(/lib\/schema\/etag\.ts:\d+:\d+:/)).toMatch(/etag/);
  await output.line(/^This does not compile\. What ran before goes on\.$/m);
  expect((await get('/leads')).status).toBe(200);
  output = printed();
  await restore();
  await output.line(/^It compiles again, to what runs already\.$/m);
});

test('another definition than the one that was synthesized is told to need another start', async () => {
  const output = printed();
  const restore = await change('functions/billing/list-plans.ts', "'/billing/plans'", "'/plans'");
  await output.line(/^list-plans\.ts defines another route .* start again/m);
  await restore();
  await output.line(/^Reloaded listPlans\.$[\s\S]*^Reloaded listPlans\.$/m);
});
