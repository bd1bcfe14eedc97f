import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Processes } from '../src/index.ts';
import { eventually } from './support.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The process that the killed runner left. */
const leftBy = (how: 'adopt' | 'leave'): Promise<number> => {
  const args = [join(import.meta.dirname, 'runner-to-kill.ts'), how];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout) => resolve(Number(stdout)));
  });
};

test('a process that the runner takes charge of ends with it when it is killed, another goes on', async () => {
  const left = await leftBy('leave');
  onTestFinished(() => void process.kill(left, 'SIGKILL'));
  expect(left).toBeGreaterThan(0);
  const adopted = await leftBy('adopt');
  expect(adopted).toBeGreaterThan(0);
  await eventually('it is gone', () => !isAlive(adopted), 10);
  expect(isAlive(left)).toBe(true);
});

test('one that is started after all were ended ends too', async () => {
  const processes = new Processes();
  const begin = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const before = processes.adopt(begin());
  await processes.close();
  expect(isAlive(before.pid!)).toBe(false);
  const after = processes.adopt(begin());
  expect((await once(after, 'exit'))[1]).toBe('SIGKILL');
});
