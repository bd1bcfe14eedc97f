import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './support.ts';

// A runner that is killed the moment it has started a process, before it can tell anyone of it.

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The process that was started so. */
const startedBy = (how: string): Promise<number> => {
  const script = `
    import { spawn } from 'node:child_process';
    import { writeSync } from 'node:fs';
    import { Processes } from '${import.meta.resolve('../src/machine/processes.ts')}';
    const processes = new Processes();
    const begin = (variables) => {
      const env = { ...process.env, ...variables };
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        env,
        stdio: 'ignore',
        detached: true,
      });
      writeSync(1, String(child.pid));
      process.kill(process.pid, 'SIGKILL');
      return child;
    };
    ${how}`;
  return new Promise((resolve) => {
    const args = ['--input-type=module', '--eval', script];
    execFile(process.execPath, args, (_error, stdout) => resolve(Number(stdout)));
  });
};

test.skipIf(process.platform !== 'linux')(
  'a process that is being started when the runner is killed ends too',
  async () => {
    const pid = await startedBy('processes.start(begin);');
    expect(pid).toBeGreaterThan(0);
    await eventually('it is gone', () => !isAlive(pid), 10);
  },
);

test('one that nobody was told of goes on', async () => {
  const pid = await startedBy('processes.adopt(begin({}));');
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  expect(isAlive(pid)).toBe(true);
});
