import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownDirectory, send } from './support.ts';

const runner = join(import.meta.dirname, '..');
const [, code = ''] =
  /```ts\n(.*?)```/s.exec(readFileSync(join(runner, 'README.md'), 'utf8')) ?? [];

const directory = ownDirectory();

test('the README’s code runs an app, as it stands there', { tags: ['long'] }, async () => {
  mkdirSync(join(directory, 'infra'));
  mkdirSync(join(directory, 'node_modules/@leads-and-stars'), { recursive: true });
  symlinkSync(join(import.meta.dirname, 'app/app.ts'), join(directory, 'infra/app.ts'));
  symlinkSync(runner, join(directory, 'node_modules/@leads-and-stars/runner'));
  // A program may have the port that the README names.
  const anyPort = code.replace('port: 3000', 'port: 0');
  expect(anyPort).not.toBe(code);
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', anyPort], {
    cwd: directory,
    // What the example has not removed when it is ended goes with the directory.
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(child, 'exit');
  try {
    const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [said])]);
    const baseUrl = String(line).trim();
    expect(baseUrl).toMatch(/^http:\/\/localhost:\d+\/v1$/);
    const body = JSON.stringify({ topic: 'readme', text: 'runs' });
    expect((await send(`${baseUrl}/notes`, { body })).status).toBe(201);
  } finally {
    child.kill();
    await ended;
  }
});
