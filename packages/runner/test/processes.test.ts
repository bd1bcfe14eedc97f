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
const leftBy = (how: 'start' | 'adopt'): Promise<number> => {
  const args = [join(import.meta.dirname, 'killed-runner.ts'), how];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout) => resolve(Number(stdout)));
  });
};

test.skipIf(process.platform !== 'linux')(
  'a process that is being started when the runner is killed ends too, one that nobody was told of goes on',
  async () => {
    const adopted = await leftBy('adopt');
    onTestFinished(() => void process.kill(adopted, 'SIGKILL'));
    expect(adopted).toBeGreaterThan(0);
    const started = await leftBy('start');
    expect(started).toBeGreaterThan(0);
    await eventually('it is gone', () => !isAlive(started), 10);
    expect(isAlive(adopted)).toBe(true);
  },
);

test('one that is started after all were ended ends too', async () => {
  const processes = new Processes();
  const begin = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const before = processes.adopt(begin());
  await processes.close();
  expect(isAlive(before.pid!)).toBe(false);
  const after = processes.start(begin);
  expect((await once(after, 'exit'))[1]).toBe('SIGKILL');
});
