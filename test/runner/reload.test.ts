import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Ready } from '../../infra/local/commands/ready-file.ts';
import { type Command, callAs, dev } from './commands.ts';
import { copyProject } from './project.ts';
import { eventually, makeDirectory, remove } from './support.ts';

// One run of `npm run dev` in a copy of the project, whose sources change while it serves.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 200_000 });

let directory: string;
let run: Command;
let ready: Ready;

beforeAll(async () => {
  directory = await makeDirectory();
  await copyProject(join(directory, 'project'));
  run = dev(['--memory', '--port', '0'], { cwd: join(directory, 'project') });
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
  return {
    line: async (pattern: RegExp): Promise<string> => {
      const found = () => pattern.exec(run.stdout.slice(from))?.[0];
      await eventually(`it prints ${pattern}`, () => found() !== undefined, 60);
      return found()!;
    },
    all: () => run.stdout.slice(from),
  };
};

/** Changes a source file; the returned function puts it back. */
const change = async (name: string, from: string, to: string) => {
  const file = join(directory, 'project', name);
  const source = await readFile(file, 'utf8');
  expect(source).toContain(from);
  await writeFile(file, source.replace(from, to));
  return () => writeFile(file, source);
};

const time = String.raw`\d\d:\d\d:\d\d`;
const id = '[0-9a-f-]{36}';
const cost = String.raw`\d+ ms [\d.]+ units`;

test('each request is one line: ids and names, and nothing that a client wrote', async () => {
  const output = printed();
  await get('/leads?tag=secret-tag&limit=2');
  await get('/leads?limit=none');
  await get('/nothing/maria@example.com');
  await output.line(new RegExp(`^${time} GET /v1/leads\\?tag&limit 200 ${cost}$`, 'm'));
  await output.line(new RegExp(`^${time} GET /v1/leads\\?limit 400 invalid_request \\d+ ms`, 'm'));
  await output.line(new RegExp(`^${time} GET /v1/nothing/… 404 not_found \\d+ ms$`, 'm'));
  // Beside the events of the demo data, which may come late.
  const lines = output
    .all()
    .split('\n')
    .filter((line) => line && !/^[\d:]+ event /.test(line));
  expect(lines.length).toBe(3);
  for (const secret of ['secret-tag', 'maria', 'none', ready.organizations[0]!.tokens.admin]) {
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  }
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
  const body = '    if (!wallet)';
  const restore = await change(
    'functions/get-balance.ts',
    body,
    `    if (wallet) throw new TypeError('spilled');\n${body}`,
  );
  expect(await output.line(/^Reloaded .*$/m)).toBe('Reloaded getBalance.');
  output = printed();
  expect((await get('/billing/balance')).status).toBe(500);
  const failed = `^${time} GET /v1/billing/balance 500 internal ${cost}\n  TypeError: spilled\n    +at `;
  await output.line(new RegExp(failed, 'm'));
  expect((await get('/leads')).status).toBe(200);
  output = printed();
  await restore();
  expect(await output.line(/^Reloaded .*$/m)).toBe('Reloaded getBalance.');
  expect((await get('/billing/balance')).status).toBe(200);
});

test('what does not compile is told with its place, and what ran before goes on', async () => {
  let output = printed();
  const restore = await change('lib/etag.ts', 'export const', 'export cnst');
  expect(await output.line(/lib\/etag\.ts:\d+:\d+:/)).toMatch(/etag/);
  await output.line(/^This does not compile\. What ran before goes on\.$/m);
  expect((await get('/leads')).status).toBe(200);
  output = printed();
  await restore();
  await output.line(/^It compiles again, to what runs already\.$/m);
});

test('another definition than the one that was synthesized is told to need another start', async () => {
  const output = printed();
  const restore = await change('functions/list-plans.ts', "'/billing/plans'", "'/plans'");
  await output.line(/^list-plans\.ts defines another route .* start again/m);
  await restore();
  await output.line(/^Reloaded listPlans\.$[\s\S]*^Reloaded listPlans\.$/m);
});
