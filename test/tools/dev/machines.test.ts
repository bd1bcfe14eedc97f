import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';

// As docs/machines.md says: a machine gets a token of the runner, and a form's backend calls the API with it.
// @module-tag long

const root = join(import.meta.dirname, '../../..');
const script = (name: string) => join(root, `tools/dev/${name}.ts`);
const run = promisify(execFile);

const hooks = join(import.meta.dirname, 'client-source.js');
const formExample = ['--import', hooks, join(root, 'docs/examples/form.mjs')];

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

test('the example of a form names the variables that it misses', async () => {
  const env = { BASE_URL: 'http://localhost:3000/v1', PIPELINE: 'x' };
  const running = run(process.execPath, formExample, { env });
  await expect(running).rejects.toMatchObject({
    code: 1,
    stderr: 'Set ORGANIZATION, LEADS_TOKEN_FILE.\n',
  });
});

test('the example of a form makes one lead of each form, however often it is sent', async () => {
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, await token('--role', 'agent'));
  const [{ organization_id, pipeline_id, tokens }] = ready.organizations;
  const form = spawn(process.execPath, formExample, {
    env: {
      BASE_URL: ready.base_url,
      ORGANIZATION: organization_id,
      PIPELINE: pipeline_id,
      LEADS_TOKEN_FILE: tokenFile,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(form, 'exit');
  try {
    const [line] = await once(form.stdout, 'data');
    const port = /\d+/.exec(String(line))?.[0];
    const postText = (body: string) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
    const post = async (body: object) => {
      const answer = await postText(JSON.stringify(body));
      const { outcome } = (await answer.json()) as { outcome?: string };
      return [answer.status, outcome];
    };
    const maria = { form_id: crypto.randomUUID(), name: 'Maria', email: 'form-maria@example.com' };
    const answers = await Promise.all([post(maria), post(maria), post(maria)]);
    expect(answers.filter(([, outcome]) => outcome === 'created').length).toBe(1);
    expect(answers.filter(([status]) => status === 200).length).toBe(3);
    // A second form of someone who is known says nothing of that, and what is wrong is told.
    const again = { ...maria, form_id: crypto.randomUUID() };
    expect(await post(again)).toEqual([200, undefined]);
    expect((await post({ ...maria, form_id: crypto.randomUUID(), email: 'x' }))[0]).toBe(400);
    expect((await post({ name: 'x'.repeat(20_000) }))[0]).toBe(413);
    // What can never succeed is not to be sent again.
    for (const body of ['{bad', 'null', '5', '[]']) {
      expect([body, (await postText(body)).status]).toEqual([body, 400]);
    }
    const { items } = await get('/leads?email=form-maria@example.com', tokens.owner);
    expect(items).toMatchObject([{ contact_name: 'Maria', tags: ['website'] }]);
  } finally {
    form.kill('SIGTERM');
    await ended;
  }
});
