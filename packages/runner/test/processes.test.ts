import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
  'a process that is being started when the runner is killed ends too',
  async () => {
    const pid = await leftBy('start');
    expect(pid).toBeGreaterThan(0);
    await eventually('it is gone', () => !isAlive(pid), 10);
  },
);

test('one that nobody was told of goes on', async () => {
  const pid = await leftBy('adopt');
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  expect(pid).toBeGreaterThan(0);
  expect(isAlive(pid)).toBe(true);
});
