import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '@leads-and-stars/runner';
import { type Ready, readReadyFile, serves } from '../../tools/service/ready-file.ts';

const root = join(import.meta.dirname, '../..');
/** Without a blank, as Windows has a shell between. */
const readyFile = '.local/systems.json';
const isWindows = process.platform === 'win32';

/** Starts `npm run dev` as this system's npm does, with these options; does the work once it serves, and ends it. */
export const whileServing = async (
  options: readonly string[],
  work: (ready: Ready) => Promise<void>,
): Promise<void> => {
  const file = join(root, readyFile);
  rmSync(file, { force: true });
  const args = ['run', 'dev', '--', '--ready-file', readyFile, ...options];
  // npm is a script there, which only a shell starts.
  const child = spawn('npm', args, {
    cwd: root,
    shell: isWindows,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  let ready: Partial<Ready> | undefined;
  try {
    while (!ready && !hasEnded()) {
      await Promise.race([wait(100), ended]);
      ready = await readReadyFile(file);
    }
    if (!ready) throw new CliError('npm run dev ended before it served.');
    await work(ready as Ready);
  } finally {
    if (!hasEnded()) end(child.pid!);
    await ended;
    rmSync(file, { force: true });
  }
  while (await serves(ready.base_url!)) await wait(100);
};

/** Windows has no signal that asks, and ends no children with a process. */
const end = (pid: number): void => {
  if (isWindows) execFileSync('taskkill', ['/pid', String(pid), '/t', '/f']);
  else process.kill(pid, 'SIGTERM');
};
