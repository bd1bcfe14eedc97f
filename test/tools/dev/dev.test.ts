import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { adminClient, credentials, freePort, region } from '@leads-and-stars/runner';
import { decodeJwt } from 'jose';
import { beforeAll, expect, inject, test } from 'vitest';
import { roles } from '../../../lib/operations/permissions.ts';
import { createPlatformKey } from '../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../tools/demo/platform-key.ts';
import type { Ready } from '../../../tools/service/ready-file.ts';
import { Command, callAs, dev, patienceSeconds, useCommands } from './commands.ts';
import { eventually, ownDirectory, root } from './support.ts';

useCommands();

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const local = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);

const ownProcesses = [/dynoxide|DynamoDBLocal/, /reaper\.ts/, /runtime\.cjs/];

const putEvent = async (
  { events_endpoint: endpoint, event_bus_name: EventBusName }: Ready,
  DetailType: string,
  detail: object,
) => {
  const client = new EventBridgeClient({ endpoint, region, credentials });
  const entry = { EventBusName, Source: 'billing', DetailType, Detail: JSON.stringify(detail) };
  const { FailedEntryCount } = await client.send(new PutEventsCommand({ Entries: [entry] }));
  expect(FailedEntryCount).toBe(0);
};

/** Ends a run, of which nothing is left then: neither processes nor temporary files. */
const end = async (run: Command, signal: NodeJS.Signals, to?: 'group') => {
  const commands = run.processes().map(({ command }) => command);
  for (const own of ownProcesses) expect(commands).toContainEqual(expect.stringMatching(own));
  run.kill(signal, to);
  await run.gone();
  const code = await run.ended;
  if (signal === 'SIGKILL') return;
  expect([code, readdirSync(run.temporary)]).toEqual([0, []]);
};

const directory = ownDirectory();
let port: number;
let run: Command;
let ready: Ready;

const start = (...more: string[]) =>
  dev(['--port', String(port), '--events-file', 'events.jsonl', ...more], { cwd: directory });
const database = '.local/leads-and-stars.db';

beforeAll(async () => {
  port = await freePort();
  mkdirSync(join(directory, '.local'), { mode: 0o755 });
  for (const older of ['events.jsonl', '.local/service.json', '.local/service.json.tmp']) {
    writeFileSync(join(directory, older), '', { mode: 0o644 });
  }
  run = start();
  ready = await run.ready();
});

test('a run with demo data writes where it serves and with whose tokens', async () => {
  const tokens = Object.fromEntries(roles.map((role) => [role, expect.any(String)]));
  const users = Object.fromEntries(roles.map((role) => [role, uuid]));
  const user_names = Object.fromEntries(roles.map((role) => [role, expect.any(String)]));
  const ids = { organization_id: uuid, pipeline_id: uuid };
  const organization = { ...ids, name: expect.any(String), users, user_names, tokens };
  expect(ready).toEqual({
    api_key: expect.stringMatching(/^lsk_/),
    stripe_event_bus_name: 'aws.partner/stripe.com/ed_test_local',
    base_url: `http://localhost:${port}/v1`,
    dynamodb_endpoint: local,
    lambda_endpoint: local,
    events_endpoint: local,
    event_bus_name: 'LeadsAndStars',
    table_name: 'leads-and-stars',
    issuer: decodeJwt(ready.outsider_token).iss,
    issuer_file: join(realpathSync(directory), '.local/issuer.json'),
    organizations: [organization, organization],
    platform_key: expect.stringMatching(/^lsp_/),
    outsider_token: expect.any(String),
  });
  const engine = adminClient(ready.dynamodb_endpoint);
  expect((await engine.send(new ListTablesCommand())).TableNames).toEqual([ready.table_name]);
});

test('a run keeps its own directory and all that it writes private, whatever was there before', async () => {
  const found = (file: string) => statSync(join(directory, file), { throwIfNoEntry: false });
  const modeOf = (file: string) => ((found(file)?.mode ?? 0o600) & 0o777).toString(8);
  const names = () => readdirSync(join(directory, '.local'));
  expect(names()).toContainEqual(expect.stringMatching(/\.db\.state-\w{8}$/));
  await eventually('it keeps its events', () => found('events.jsonl')!.size > 0, patienceSeconds);
  expect(names()).toContain(basename(database));
  expect([modeOf('.local'), statSync(run.readyFile).mode & 0o777]).toEqual(['700', 0o600]);
  const files = ['events.jsonl', ...names().map((name) => `.local/${name}`)];
  // Those that went meanwhile are none.
  expect(files.filter((file) => modeOf(file) !== '600')).toEqual([]);
});

test('a run with demo data gives each role a token of its own in its organization', async () => {
  const [one, two] = ready.organizations.map(({ organization_id }) => organization_id);
  for (const { organization_id, tokens } of ready.organizations) {
    const told = (token: string) => callAs(ready, token, organization_id, '/organization');
    const found = await Promise.all(
      roles.map(async (role) => (await told(tokens[role])).body.role),
    );
    expect(found).toEqual(roles);
    expect((await told(ready.outsider_token)).status).toBe(403);
    const other = organization_id === one ? two! : one!;
    expect((await callAs(ready, tokens.owner, other, '/organization')).status).toBe(403);
  }
});

test('a run with demo data prints calls that a shell can run', async () => {
  const lines = run.stdout.split('\n');
  const variables = lines.filter((line) => /^(\. |call\(\))/.test(line)).join('\n');
  const [create = '', list = '', balance = ''] = lines.filter((line) => /^call /.test(line));
  const shell = async (line: string) => {
    const script = `${variables}\n${line}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: directory });
    return JSON.parse(stdout);
  };
  const created = await shell(create);
  expect(created).toMatchObject({ id: uuid, contact_name: 'Maria Silva' });
  expect((await shell(list)).items).toContainEqual(created);
  expect(await shell(balance)).toMatchObject({ total_stars: 350 });
});

test('a run fits its first words on a screen, with no token', async () => {
  // Its ready file is there a moment before.
  await eventually('it has said all', () => run.stdout.includes('call()'), patienceSeconds);
  const [said = ''] = run.stdout.split(/^(?=\d\d:\d\d:\d\d )/m);
  const ofNpm = 4;
  const rows = said
    .trimEnd()
    .split('\n')
    .map((line) => Math.ceil(line.length / 100) || 1);
  expect(rows.reduce((sum, one) => sum + one, ofNpm)).toBeLessThanOrEqual(24);
  expect(said).not.toMatch(/eyJ[\w-]+\.eyJ/);
  expect(said).toMatch(/^Synthesizing the app, and bundling its functions …\nServing /);
});

test('npm run token prints a token of a role', async () => {
  const { organization_id } = ready.organizations[0]!;
  const script = join(root, 'tools/dev/token.ts');
  const ask = (...args: string[]) =>
    promisify(execFile)(process.execPath, [script, ...args], { cwd: directory });
  const token = (await ask('--role', 'agent')).stdout.trim();
  expect((await callAs(ready, token, organization_id, '/organization')).body.role).toBe('agent');
  await expect(ask('--role', 'guest')).rejects.toThrow('--role takes one of: owner,');
});

test('a service by the machine’s clock has none to move', async () => {
  const script = join(root, 'tools/dev/clock.ts');
  const moved = promisify(execFile)(process.execPath, [script, '+1d'], { cwd: directory });
  const stderr = expect.stringMatching(/goes by this machine's clock/);
  await expect(moved).rejects.toMatchObject({ code: 1, stderr });
});

test('a run that is killed and started again has all that was there, with the demo once, and ends with its terminal', async () => {
  const { organization_id, pipeline_id, tokens } = ready.organizations[0]!;
  // Tokens and keys of a run are good in the next.
  const table = localTable(ready.dynamodb_endpoint, ready.table_name);
  const made = await createPlatformKey(table, { name: 'Made by hand', role: 'platform' });
  const call = (of: Ready, path: string, body?: object) =>
    callAs(of, tokens.owner, organization_id, path, body);
  const { body } = await call(ready, '/leads', { contact_name: 'Lasting', pipeline_id });
  const before = (await call(ready, '/leads')).body.items;
  expect(before[0]).toEqual(body);
  const event_id = randomUUID();
  await putEvent(ready, 'pack.purchased', { event_id, organization_id, stars: 7 });
  await end(run, 'SIGKILL');
  // As if it had been killed before it noted its key.
  rmSync(join(directory, '.local/api-key'));
  const second = start();
  const again = await second.ready();
  const keys = (await call(again, '/keys')).body.items;
  expect(keys.filter(({ name }: { name: string }) => name === 'Demo').length).toBe(1);
  const isApplied = async () => {
    const { items } = (await call(again, '/billing/history')).body;
    return items.some((entry: { event_id: string }) => entry.event_id === event_id);
  };
  await eventually('the accepted event is applied', isApplied, patienceSeconds);
  expect((await call(again, '/leads')).body.items).toEqual(before);
  expect(again.platform_key).toBe(ready.platform_key);
  for (const key of [again.platform_key!, made.key]) {
    expect((await callAs(again, key, organization_id, '/billing/balance')).status).toBe(200);
  }
  await end(second, 'SIGHUP', 'group');
  const left = ['service.json', 'env.sh'].map((name) => join(directory, '.local', name));
  expect(left.filter((file) => existsSync(file))).toEqual([]);
});

test('npm runs it, on an engine that runs already, with no demo; Ctrl-C ends it alone', {
  tags: ['long'],
}, async () => {
  const endpoint = inject('service').tableEndpoint;
  const run = new Command(
    (ready) => {
      const options = ['--dynamodb-endpoint', endpoint, '--no-demo', '--port', '0'];
      return ['npm', 'run', 'dev', '--', ...options, '--ready-file', ready];
    },
    { cwd: root },
  );
  const ready = await run.ready();
  expect(ready).toMatchObject({ dynamodb_endpoint: endpoint, organizations: [] });
  expect(run.stdout).not.toContain('curl');

  const commands = run.processes().map(({ command }) => command);
  expect(commands).toContainEqual(expect.stringMatching(/reaper\.ts/));
  expect(commands).not.toContainEqual(expect.stringMatching(/dynoxide|DynamoDBLocal/));
  run.kill('SIGINT', 'group');
  await run.gone();
  expect((await adminClient(endpoint).send(new ListTablesCommand())).TableNames).toHaveLength(1);
});
