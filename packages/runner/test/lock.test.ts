import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { releaseLock, takeLock } from '@leads-and-stars/runner';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, ownDirectory } from './support.ts';

const directory = ownDirectory();

test('a lock is one process’s, until it is killed; it leaves nothing but a private file', async () => {
  const file = join(directory, 'lock');
  const lock = join(import.meta.dirname, '../src/machine/lock.ts');
  const program = `import { takeLock } from ${JSON.stringify(lock)};
    console.log(takeLock(${JSON.stringify(file)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('true\n');
  expect(takeLock(file)).toBe(false);

  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually('it is free', () => takeLock(file));
  expect(takeLock(file)).toBe(false);
  releaseLock(file);
  expect(takeLock(file)).toBe(true);
  releaseLock(file);
  expect([readdirSync(directory), statSync(file).mode & 0o777]).toEqual([['lock'], 0o600]);
});
