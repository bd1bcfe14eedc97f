import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CliError, freePort, Processes, startEngine } from '@leads-and-stars/runner';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { dev, patienceSeconds, useCommands } from './commands.ts';
import { copyProject } from './project.ts';
import { eventually, ownDirectory } from './support.ts';

useCommands();

const directory = ownDirectory();

/** Runs it to its end, which is that of a command that failed and cleaned up; what it told. */
const failing = async (
  args: string[],
  stdout: RegExp,
  options?: Parameters<typeof dev>[1],
): Promise<string> => {
  const run = dev(args, options);
  const code = await run.ended;
  await run.gone();
  expect([code, existsSync(run.readyFile)]).toEqual([1, false]);
  expect(run.stdout).toMatch(stdout);
  expect(readdirSync(run.temporary)).toEqual([]);
  expect(run.stderr).not.toMatch(/^\s+at /m);
  return run.stderr.trim();
};

const nothing = /^$/;
/** What it begins with, and nothing that looks as if it served. */
const begun = /^Synthesizing the app, and bundling.*\n$/;

const wrongOptions: [what: string, args: string[], told: RegExp][] = [
  ['an unknown option', ['--bogus'], /'--bogus'[\s\S]*--port <n>/],
  ['an argument', ['bogus'], /too many arguments[\s\S]*--port <n>/],
  ['a port that is none', ['--port', '65536'], / to 65535\./],
  ['no environments', ['--environments', '0'], / from 1 to 1000\./],
  [
    'two places for the data',
    ['--memory', '--dynamodb-endpoint', 'http://x'],
    /cannot be used with/,
  ],
  ['no place for a file', ['--ready-file', '/dev/null/x'], /^--ready-file \/dev\/null\/x .*$/],
  [
    'an origin that is none',
    ['--cors-origin', 'localhost:1/'],
    /must be an origin such as .*5173\./,
  ],
  ['an endpoint that is no URL', ['--dynamodb-endpoint', 'x'], /must be a URL\./],
];
const isTold = async (_what: string, args: string[], told: RegExp) =>
  expect(await failing(args, nothing)).toMatch(told);
const title = '%s is told before anything is started';
test.each(wrongOptions.slice(0, 2))(title, isTold);
test.each(wrongOptions.slice(2))(title, { tags: ['long'] }, isTold);

test('a port that is in use is told before anything is started, in one line that names --port; no old ready file stays', async () => {
  const readyFile = join(directory, 'ready.json');
  await writeFile(readyFile, 'of an earlier run');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const args = ['--memory', '--port', String(port), '--ready-file', readyFile];
  const told = await failing(args, nothing, { cwd: directory });
  server.close();
  expect([existsSync(readyFile), existsSync(join(directory, '.local'))]).toEqual([false, false]);
  expect(told).toMatch(new RegExp(`^Port ${port} is in use.* --port.*$`));
});

const processes = new Processes();
afterAll(() => processes.close());

test('an engine that runs already is taken', async () => {
  const running = inject('service').tableEndpoint;
  expect(await startEngine(processes, { endpoint: running })).toBe(running);
});

test.each(['where none answers', 'that never answers'])(
  'at an endpoint %s is given up',
  async (what) => {
    const port = await freePort();
    const silent = createServer();
    onTestFinished(() => void silent.close());
    if (what === 'that never answers') await once(silent.listen(port, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${port}`;
    await expect(startEngine(processes, { endpoint })).rejects.toThrow(
      `No DynamoDB engine answers at ${endpoint}`,
    );
  },
);

test.each([
  ['there can be no file', () => join(import.meta.filename, 'leads.db')],
  ['the file is no database', () => join(directory, 'broken.db')],
])('is not started where %s, which is told and left as it is', async (_what, fileOf) => {
  const text = 'This is not a database.';
  await writeFile(join(directory, 'broken.db'), text);
  const starting = startEngine(processes, { file: fileOf() });
  await expect(starting).rejects.toBeInstanceOf(CliError);
  await expect(starting).rejects.toThrow(fileOf());
  expect(readFileSync(join(directory, 'broken.db'), 'utf8')).toBe(text);
});

test.each([
  ['stopped by Ctrl-C', 'SIGINT', 'group', 0],
  // It can clean up nothing itself.
  ['killed', 'SIGKILL', 'process', null],
] as const)(
  '%s while it bundles functions, it leaves no process',
  async (_how, signal, to, code) => {
    // For these options no template was kept.
    const origin = `http://${randomUUID()}.example`;
    const run = dev(['--memory', '--port', '0', '--cors-origin', origin]);
    const runs = (part: string) => run.processes().some(({ command }) => command.includes(part));
    await eventually('it bundles', () => runs('app.ts') && runs('esbuild'), patienceSeconds);
    expect(readdirSync(run.temporary).length).toBeGreaterThan(0);
    run.kill(signal, to);
    await run.gone();
    expect([await run.ended, existsSync(run.readyFile)]).toEqual([code, false]);
    if (code === 0) expect(readdirSync(run.temporary)).toEqual([]);
  },
);

test('where npm installs no engine of its own, it is told in one line what to do', {
  tags: ['long'],
}, async () => {
  const project = join(directory, 'project');
  // What npm leaves out on other platforms.
  await copyProject(project, { leftOut: ['@dynoxide'] });
  const env = { PATH: join(project, 'empty') };
  const told = await failing(['--memory', '--port', '0'], begun, { project, env });
  expect(told).toMatch(/^There is no engine .*--dynamodb-endpoint.*$/);
});
