import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Processes } from '../src/machine/processes.ts';

// A runner that starts one process, writes its number, and is killed before it can tell anyone of it.
// Its argument: `start`, or `adopt` for a process that is not marked.

const processes = new Processes();

const begin = (variables: Record<string, string>) => {
  const env = { ...process.env, ...variables };
  const script = 'setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script], { env, stdio: 'ignore', detached: true });
  writeSync(1, String(child.pid));
  process.kill(process.pid, 'SIGKILL');
  return child;
};

if (process.argv[2] === 'start') processes.start(begin);
else processes.adopt(begin({}));
