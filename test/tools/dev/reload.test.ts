import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ready } from '../../../tools/service/ready-file.ts';
import { type Command, callAs, dev, patienceSeconds, useCommands } from './commands.ts';
import { copyProject } from './project.ts';
import { eventually, ownDirectory } from './support.ts';

// One run of `npm run dev` in a copy of the project, whose sources change while it serves.

useCommands();

const directory = ownDirectory();
let run: Command;
let ready: Ready;

beforeAll(async () => {
  await copyProject(join(directory, 'project'));
  run = dev(['--memory', '--port', '0'], { project: join(directory, 'project') });
  ready = await run.ready();
});

afterAll(async () => {
  run.kill('SIGINT', 'group');
  await run.gone();
  expect(await run.ended).toBe(0);
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
      await eventually(`it prints ${pattern}`, () => found() !== undefined, patienceSeconds);
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

const time = String.raw`\d\d:\d\d:\d\d`;
const id = '[0-9a-f-]{36}';
const cost = String.raw`\d+ ms [\d.]+ units`;

test('each request is one line, of its address the route with ids alone; each event is one, of ids', async () => {
  const output = printed();
  const { users } = ready.organizations[0]!;
  await get(`/members/${users.agent}`);
  await get('/members/maria');
  await output.line(new RegExp(`^${time} GET /v1/members/${users.agent} 200 ${cost} ${id}$`, 'm'));
  const refused = String.raw`GET /v1/members/\{user_id\} 400 invalid_request`;
  await output.line(new RegExp(`^${time} ${refused} ${cost} ${id}$`, 'm'));
  expect(output.requests().length).toBe(2);

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
  expect(output.all()).toMatch(/^Bundling …\nReloaded/m);
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
