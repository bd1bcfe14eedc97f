import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';

// As docs/machines.md says: a machine gets a token of the runner.
// @module-tag long

const root = join(import.meta.dirname, '../../..');
const script = (name: string) => join(root, `tools/dev/${name}.ts`);
const run = promisify(execFile);

let directory: string;
let dev: ChildProcess;
// biome-ignore lint/suspicious/noExplicitAny: the ready file.
let ready: any;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-machines-'));
  const args = [script('dev'), '--memory', '--port', '0', '--environments', '2'];
  dev = spawn(process.execPath, args, { cwd: directory, stdio: 'ignore' });
  const file = join(directory, '.local/service.json');
  const isThere = () => existsSync(file) || dev.exitCode !== null;
  await eventually(isThere, (there) => there, 90_000);
  ready = JSON.parse(await readFile(file, 'utf8'));
});

afterAll(async () => {
  const ended = once(dev, 'exit');
  dev.kill('SIGTERM');
  await ended;
  await rm(directory, { recursive: true });
});

/** Prints a token of a demo user. */
const token = async (...args: string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, [script('token'), ...args], { cwd: directory });
  return stdout.trim();
};

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
const get = async (path: string, bearer: string): Promise<any> => {
  const [{ organization_id }] = ready.organizations;
  const headers = { authorization: `Bearer ${bearer}`, 'x-organization-id': organization_id };
  return (await fetch(`${ready.base_url}${path}`, { headers })).json();
};

test('a token of the runner is of the demo user with that role, and is taken', async () => {
  const [{ users }] = ready.organizations;
  for (const role of ['agent', 'viewer']) {
    const bearer = await token('--role', role);
    expect(decodeJwt(bearer).sub).toBe(users[role]);
    expect((await get('/organization', bearer)).role).toBe(role);
  }
});
